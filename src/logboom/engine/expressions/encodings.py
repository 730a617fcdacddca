"""Functions that decode and encode texts."""

import base64
import binascii
import hashlib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.rows.distinct import fit
from logboom.engine.rows.values import Value
from logboom.model.columns import Kind
from logboom.model.event import KIND_OF_TYPE


def maps(function: Callable[[str], str | None]) -> Builder:
    """Return the builder of a function from text to text."""
    return lambda arguments: arguments.map(function, arguments.text(0), kind=Kind.STR)


def decode_base64(text: str) -> str | None:
    """Decode base64 in either alphabet, with or without padding; null if the result is not a text."""
    plain = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def read_json(arguments: Arguments) -> Value:
    """Return the values at a path of names and numbers, such as `a.0.b`; a name after a list selects from each element.

    `$` is the whole value.
    """
    return arguments.map(find_json, arguments.text(0), arguments.text(1), kind=None)


def find_json(text: str, path: str) -> object:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None
    rest = path.removeprefix("$").removeprefix(".")
    for step in rest.split(".") if rest else ():
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal():
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, list):
            value = list_members(value, step)
        else:
            return None
    return as_cell(value)


def list_members(values: list[Any], name: str) -> list[Any] | None:
    """Return the members of that name of all objects in a list; lists among them are flattened."""
    found: list[Any] = []
    for each in values:
        member = each.get(name) if isinstance(each, dict) else None
        found += member if isinstance(member, list) else [] if member is None else [member]
    return found or None


def as_cell(value: Any) -> object:
    """Return what a column can hold: scalars and plain lists of one type; everything else stays JSON."""
    if isinstance(value, dict) or (isinstance(value, list) and not is_plain(value)):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list):
        return [as_scalar(each) for each in value]
    return None if value is None else as_scalar(value)


def is_plain(values: list[Any]) -> bool:
    kinds = {type(as_scalar(value)) for value in values}
    return len(kinds) == 1 and kinds <= KIND_OF_TYPE.keys()


def as_scalar(value: Any) -> Any:
    return fit(value) if type(value) is int else value


ENCODINGS: dict[str, Builder] = {
    "urldecode": maps(lambda text: unquote(text.replace("+", " "))),
    "urlencode": maps(lambda text: quote(text, safe="")),
    "md5": maps(lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()),
    "sha256": maps(lambda text: hashlib.sha256(text.encode()).hexdigest()),
    "base64decode": maps(decode_base64),
    "base64encode": maps(lambda text: base64.b64encode(text.encode()).decode()),
    "hexencode": maps(lambda text: text.encode().hex().upper()),
    "json_quote": maps(lambda text: msgspec.json.encode(text).decode()),
    "json_get": read_json,
}

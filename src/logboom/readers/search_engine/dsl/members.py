"""Reads the members of JSON objects, and says what is wrong with them."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from logboom.base.errors import Invalid
from logboom.readers.search_engine.dsl.context import malformed

LONGEST_TEXT = 32 * 1024
MOST_VALUES = 10_000

Members = Mapping[str, Any]
Scalar = str | int | float | bool


def read_object(content: object, where: str) -> Members:
    if not isinstance(content, dict):
        raise malformed(f"[{where}] is {show(content)}, expected an object")
    return content


def read_list(content: object) -> list[Any]:
    """Return the items of a list; anything else is the only item."""
    return content if isinstance(content, list) else [content]


def read_field(content: object, clause: str, value: str) -> tuple[str, Members]:
    """Return the only field of a clause and its options, of which `value` may be written alone."""
    members = read_object(content, clause)
    fields = [name for name in members if name not in ("boost", "_name")]
    if len(fields) != 1:
        raise malformed(f"[{clause}] query has {len(fields)} fields, expected one")
    inner = members[fields[0]]
    return fields[0], inner if isinstance(inner, dict) else {value: inner}


def read_scalar(members: Members, name: str, clause: str) -> Scalar:
    value = members.get(name)
    if not isinstance(value, str | int | float):
        raise malformed(f"[{clause}] {name} is {show(value)}, expected a text, number or boolean")
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise malformed(
            f"[{clause}] {name} has {len(value)} characters, expected at most {LONGEST_TEXT}"
        )
    return value


def read_text(members: Members, name: str, default: str) -> str:
    value = members.get(name, default)
    if not isinstance(value, str):
        raise malformed(f"[{name}] is {show(value)}, expected a text")
    return value


def read_whole(value: object, name: str, least: int, most: int) -> int:
    """Return a whole number, which may be written as a text."""
    try:
        number = int(value) if isinstance(value, str | int) else None
    except ValueError:
        number = None
    if number is None or isinstance(value, bool):
        raise Invalid(f"[{name}] is {show(value)}, expected a whole number")
    if not least <= number <= most:
        raise Invalid(f"[{name}] is {number}, expected {least} to {most}")
    return number


def read_flag(value: object, name: str) -> bool:
    """Return a boolean, which may be written as a text; empty is true, as in parameters."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false", ""):
        return value != "false"
    raise Invalid(f"[{name}] is {show(value)}, expected true or false")


def write_scalar(value: Scalar) -> str:
    """Return a value as a text that is compared with values of events."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def list_scalars(values: object, clause: str) -> Iterator[Scalar]:
    listed = read_list(values)
    if len(listed) > MOST_VALUES:
        raise malformed(f"[{clause}] has {len(listed)} values, expected at most {MOST_VALUES}")
    for value in listed:
        yield read_scalar({"value": value}, "value", clause)


def show(value: object) -> str:
    """Return a value of a request for messages; anything but a text as JSON."""
    written = repr(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
    return written[:80]

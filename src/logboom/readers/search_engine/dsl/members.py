"""Reads the members of JSON objects, and says what is wrong with them."""

from collections.abc import Iterator, Mapping
from typing import Any

from logboom.base.errors import Invalid
from logboom.readers.search_engine.dsl.context import malformed

Members = Mapping[str, Any]
Scalar = str | int | float | bool


def read_object(content: object, where: str) -> Members:
    if not isinstance(content, dict):
        raise malformed(f"[{where}] is {show(content)}, expected an object")
    return content


def read_list(content: object) -> list[Any]:
    """The items of a list; anything else is the only item."""
    return content if isinstance(content, list) else [content]


def read_field(content: object, clause: str, value: str) -> tuple[str, Members]:
    """The only field of a clause and its options, of which `value` may be written alone."""
    options = {name: each for name, each in read_object(content, clause).items() if name[:1] != "_"}
    fields = [name for name in options if name != "boost"] or list(options)
    fields += [name for name in read_object(content, clause) if name[:1] == "_" and name != "_name"]
    if len(fields) != 1:
        raise malformed(f"[{clause}] query has {len(fields)} fields, expected one")
    inner = read_object(content, clause)[fields[0]]
    return fields[0], inner if isinstance(inner, dict) else {value: inner}


def read_scalar(members: Members, name: str, clause: str) -> Scalar:
    value = members.get(name)
    if not isinstance(value, str | int | float):
        raise malformed(f"[{clause}] {name} is {show(value)}, expected a text, number or boolean")
    return value


def read_text(members: Members, name: str, default: str) -> str:
    value = members.get(name, default)
    if not isinstance(value, str):
        raise malformed(f"[{name}] is {show(value)}, expected a text")
    return value


def read_whole(value: object, name: str, least: int, most: int) -> int:
    """A whole number, which may be written as a text."""
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
    """A boolean, which may be written as a text; empty is true, as in parameters."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false", ""):
        return value != "false"
    raise Invalid(f"[{name}] is {show(value)}, expected true or false")


def write_scalar(value: Scalar) -> str:
    """A value as a text that is compared with values of events."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def list_scalars(values: object, clause: str) -> Iterator[Scalar]:
    for value in read_list(values):
        yield read_scalar({"value": value}, "value", clause)


def show(value: object) -> str:
    return repr(value)[:80]

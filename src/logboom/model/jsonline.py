"""Parses one line of NDJSON without loss: key order, repeated keys and the text of numbers are kept."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct

MAX_NESTING = 256
MAX_VALUES = 250_000
"""Values of one event, each of which takes up to 500 bytes of memory while it is read."""
MANY_VALUES = compile_later(
    rb'(?:(?:[^",]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+,){%d}+' % MAX_VALUES, re.DOTALL
)
"""As many commas outside texts."""
SURROGATE = compile_later("[\ud800-\udfff]")
INT64_DIGITS = 19


class Number(NamedTuple):
    """A JSON number as it was written."""

    text: str


class Members(InternalStruct, frozen=True):
    """A JSON object: its members in order, including repeated keys."""

    pairs: list[tuple[str, "Value"]]

    def __iter__(self) -> Iterator[tuple[str, "Value"]]:
        return iter(self.pairs)


Value = str | Number | bool | None | Members | list["Value"]


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(
    object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=refuse_constant
)


def parse_object(line: bytes) -> Members | None:
    """Return the object on this line, or None if the line is not one valid JSON object of bounded size."""
    if line.count(b",") >= MAX_VALUES and MANY_VALUES.match(line):
        return None
    try:
        text = line.decode()
        value, end = DECODER.raw_decode(text.strip(" \t\r\n"))
    except (ValueError, RecursionError):
        return None
    if end != len(text.strip(" \t\r\n")) or not isinstance(value, Members):
        return None
    return value if measure_depth(value) <= MAX_NESTING else None


def measure_depth(value: Value) -> int:
    """Return how many levels deep a value is nested, counted without recursion."""
    depth, level = 0, [value]
    while level:
        inner: list[Value] = []
        for item in level:
            if isinstance(item, Members):
                inner.extend(child for _, child in item)
            elif isinstance(item, list):
                inner.extend(item)
        depth += any(isinstance(item, list | Members) for item in level)
        level = inner
    return depth


def encode_value(value: Value) -> str:
    """Return compact JSON text of a parsed value, numbers as they were written."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Members):
        return (
            "{" + ",".join(f"{encode_text(key)}:{encode_value(item)}" for key, item in value) + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(encode_value, value)) + "]"
    if isinstance(value, str):
        return encode_text(value)
    return {True: "true", False: "false", None: "null"}[value]


def encode_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def clean_text(text: str) -> str:
    """Return valid Unicode text: lone surrogates become the replacement character."""
    return SURROGATE.sub("\ufffd", text)


def read_number(number: Number) -> int | float | str:
    """Return the value that a column stores: int64, else a float, else (beyond a float) the text."""
    text = number.text
    is_short = len(text) <= INT64_DIGITS + 1
    if is_short and text.lstrip("-").isdigit() and -(2**63) <= int(text) < 2**63:
        return int(text)
    value = float(text)
    return text if value in (float("inf"), float("-inf")) else value


def keeps_digits(text: str, value: float) -> bool:
    """Return whether a float equals the number that was written, however it was spelled."""
    try:
        return Decimal(text) == Decimal(repr(value))
    except InvalidOperation:
        return False

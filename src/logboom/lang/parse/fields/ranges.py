"""Ranges: `[low TO high]`, curly brackets exclude a limit, and LogsQL's `range[low, high)`."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import And, Exists, Filter, Quantity, Range
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.fields.moments import compare_moment, take_moment_limit
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import (
    join_parts,
    read_quoted_limit,
    take_quantity,
    take_run,
)
from logboom.lang.tokens import IN_RANGE

MOMENTS = compile_later(r"[\[{(]\s*+(?:now\b|[^\s\[\](){}|]++\s++TO\s++now\b)")
CLOSINGS = {"[": "]", "{": "}", "(": ")"}

Value = TypeVar("Value")


class Bounds(NamedTuple, Generic[Value]):
    """None is no limit."""

    low: Value | None
    high: Value | None
    includes_low: bool
    includes_high: bool


def parse_bounds(cursor: Cursor, parse: Callable[[Cursor], Value]) -> Bounds[Value]:
    """Parse from the opening bracket to the closing one; each says whether its limit is included."""
    start = cursor.position
    opening = cursor.text[start]
    cursor.position += 1
    cursor.skip_blanks()
    low = parse_bound(cursor, parse)
    if not cursor.take(tokens.RANGE_JOINT):
        cursor.skip_blanks()
        place = cursor.position
        raise cursor.unexpected(["TO"], cursor.replace(place, place, "TO "))
    high = parse_bound(cursor, parse)
    cursor.skip_blanks()
    if not cursor.sees_any("]})"):
        raise cursor.error(
            f'this range is never closed, expected "{CLOSINGS[opening]}"',
            start,
            expected=["]", "}"],
            suggestion=cursor.replace(cursor.position, cursor.position, CLOSINGS[opening]),
        )
    closing = cursor.text[cursor.position]
    cursor.position += 1
    return Bounds(low, high, opening == "[", closing == "]")


def parse_bound(cursor: Cursor, parse: Callable[[Cursor], Value]) -> Value | None:
    return None if cursor.take(tokens.NO_BOUND) else parse(cursor)


def parse_range(cursor: Cursor, subject: Subject) -> Filter:
    start = cursor.position
    if cursor.sees(MOMENTS):
        return parse_moments(cursor, subject)
    low, high, includes_low, includes_high = parse_bounds(cursor, parse_range_limit)
    if low is None and high is None:
        return Exists(subject.field)
    if low is not None and high is not None and type(low) is not type(high):
        message = "one limit is a number and one a text, expected two of the same kind"
        raise cursor.error(message, start, cursor.position, ["two numbers", "two texts"])
    return Range(
        subject.field, low, high, includes_low or low is None, includes_high or high is None
    )


def parse_moments(cursor: Cursor, subject: Subject) -> Filter:
    """`[now-1d TO now]`; any time may stand beside one that is relative to now."""
    bounds = parse_bounds(cursor, take_moment)
    tests: list[Filter] = []
    if bounds.low is not None:
        tests.append(compare_moment(subject, ">=" if bounds.includes_low else ">", bounds.low))
    if bounds.high is not None:
        tests.append(compare_moment(subject, "<=" if bounds.includes_high else "<", bounds.high))
    return tests[0] if len(tests) == 1 else And(tuple(tests))


def take_moment(cursor: Cursor) -> str:
    return take_moment_limit(cursor) or join_parts(
        tokens.decode_run(take_run(cursor, IN_RANGE), "")
    )


def parse_range_limit(cursor: Cursor) -> Quantity | str:
    """Parse a number, or else a text, quoted or not."""
    start = cursor.position
    quoted = cursor.take_quoted()
    if quoted is not None:
        return read_quoted_limit(cursor, start, quoted)
    quantity = take_quantity(cursor, IN_RANGE)
    if quantity is not None:
        return quantity
    return join_parts(tokens.decode_run(take_run(cursor, IN_RANGE), ""))

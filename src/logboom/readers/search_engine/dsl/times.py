"""Times of a request: ISO 8601 or parts of it, numbers, and date math, each the period that it names."""

import re
from datetime import UTC, tzinfo

from logboom.base.clock import format_time
from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.lang.times import (
    CALENDAR,
    RELATIVE,
    STEP,
    UNITS,
    add_units,
    apply_steps,
    resolve_period,
    split_amount,
)
from logboom.readers.search_engine.dsl.context import malformed
from logboom.readers.search_engine.dsl.members import Scalar

NS_PER_MS = 1_000_000
MIN_NS, MAX_NS = -(2**63) + 1, 2**63 - 1
SECONDS = ("epoch_second", "epoch_seconds")
NUMBER = compile_later(r"-?\d{1,19}(?:\.\d{1,9})?", re.ASCII)
YEAR_DIGITS = 4

Period = tuple[int, int]
"""From and to (excluded) in nanoseconds."""


def read_period(value: Scalar, now_ns: int, zone: tzinfo = UTC, format_: str = "") -> Period:
    """Return the period that a time names: its millisecond, or the unit that it was rounded to."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refuse(value)
    if isinstance(value, int | float):
        return read_number(str(value), format_)
    text = value.strip()
    base, separator, steps = text.partition("||")
    if separator:
        start_ns, _ = read_period(base, now_ns, zone, format_)
        return apply_math(steps, start_ns, zone, value)
    if text.startswith("now"):
        return apply_math(text.removeprefix("now"), now_ns, zone, value)
    is_calendar = CALENDAR.fullmatch(text) is not None
    if NUMBER.fullmatch(text) and (not is_calendar or len(text) != YEAR_DIGITS):
        return read_number(text, format_)
    if not is_calendar:
        raise refuse(value)
    try:
        return resolve_period(text, now_ns, zone)
    except Invalid as error:
        raise refuse(value) from error


def read_number(text: str, format_: str) -> Period:
    """Read milliseconds since 1970, or seconds if the format says so."""
    unit_ns = 1000 * NS_PER_MS if format_.split("||")[0] in SECONDS else NS_PER_MS
    try:
        start_ns = int(text) * unit_ns
    except ValueError:
        try:
            start_ns = int(float(text) * unit_ns)
        except (OverflowError, ValueError) as error:
            raise refuse(text) from error
    return clamp(start_ns), clamp(start_ns + unit_ns)


def apply_math(steps: str, start_ns: int, zone: tzinfo, written: Scalar) -> Period:
    """Apply the offsets and roundings after a time; the last rounding says how long the period is."""
    if not RELATIVE.fullmatch(f"now{steps}") or "@" in steps:
        raise refuse(written)
    moment_ns = apply_steps(steps, start_ns, zone)
    last = (STEP.findall(steps) or [""])[-1]
    if not last.startswith("/"):
        return moment_ns, clamp(moment_ns + 1)
    _, unit = split_amount(last[1:])
    return moment_ns, clamp(add_units(moment_ns, 1, UNITS[unit], zone))


def clamp(time_ns: int) -> int:
    return max(MIN_NS, min(time_ns, MAX_NS))


def refuse(written: object) -> Invalid:
    return malformed(
        f"failed to parse date field [{str(written)[:80]}], expected ISO 8601, milliseconds since 1970, or date math "
        "such as now-1h/h"
    )


def between(from_ns: int | None, to_ns: int | None) -> ast.Filter:
    """Match events from one time to before another."""
    if from_ns is None and to_ns is None:
        return ast.Exists("_time")
    return ast.Between(
        None if from_ns is None else format_time(from_ns),
        None if to_ns is None else format_time(to_ns),
    )


def during(period: Period) -> ast.Filter:
    return between(*period)

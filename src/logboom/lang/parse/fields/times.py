"""Tests of the event's time: periods, ranges and limits, kept as written but validated."""

import re

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import Between, Comparison, During, Exists, Filter
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.day_times import parse_day_times
from logboom.lang.parse.fields.moments import take_called_moment
from logboom.lang.parse.fields.ranges import parse_bounds
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import parse_text
from logboom.lang.parse.nearest import find_misspelled
from logboom.lang.times import SPAN, SPAN_PART, WORDS, parse_moment, resolve_period
from logboom.lang.tokens import IN_FILTER, IN_RANGE, Site

OFFSET = compile_later(r"\s++offset\s++(?=[0-9])", re.IGNORECASE)
BARE_OFFSET = compile_later(r"offset\s++(?=[0-9])", re.IGNORECASE)
AGE = compile_later(rf"{SPAN.pattern}(?=[\s)|]|\Z)", re.ASCII)
CHECK_NS = 1_700_000_000 * 10**9
"""Any time works: whether a text is valid does not depend on the current time."""


def parse_period(cursor: Cursor, subject: Subject, site: Site = IN_FILTER) -> Filter:
    """Parse what follows the colon: a period, a range, hours of the day, or a star."""
    if cursor.sees_any("[{("):
        return parse_time_range(cursor)
    day_times = parse_day_times(cursor)
    if day_times is not None:
        return day_times
    start = cursor.position
    if cursor.take(BARE_OFFSET):
        return Between(None, f"now-{take_length(cursor)}")
    is_quoted = cursor.next in tokens.QUOTES
    text = take_time_text(cursor, site)
    if text == "*" and not is_quoted:
        return Exists(subject.field)
    try:
        resolve_period(text, CHECK_NS)
    except Invalid as error:
        near = find_misspelled(text, WORDS)
        correction = cursor.replace(start, cursor.position, near) if near else None
        raise cursor.error(
            error.message, start, cursor.position, ["a period"], correction
        ) from error
    return shift(cursor, start, text) if cursor.take(OFFSET) else During(text)


def shift(cursor: Cursor, start: int, period: str) -> Filter:
    """`5m offset 1h`: of the same length, but ending an hour ago."""
    before = take_length(cursor)
    if not SPAN.fullmatch(period):
        message = f"an offset after {show(period)}, expected one after a length such as 5m"
        raise cursor.error(message, start, cursor.position, ["a length such as 5m"])
    steps = "".join(f"-{part}" for part in SPAN_PART.findall(period))
    return Between(f"now-{before}{steps}", f"now-{before}")


def take_length(cursor: Cursor) -> str:
    length = cursor.take(SPAN)
    if length is None:
        raise cursor.unexpected(["a length such as 1h"])
    return "-".join(SPAN_PART.findall(length))


def parse_time_range(cursor: Cursor) -> Filter:
    start = cursor.position
    bounds = parse_bounds(cursor, parse_moment_text)
    if bounds.low is None and bounds.high is None:
        raise cursor.error("a range without limits, expected a time", start, cursor.position)
    return Between(
        bounds.low,
        bounds.high,
        bounds.includes_low or bounds.low is None,
        bounds.includes_high and bounds.high is not None,
    )


def parse_moment_text(cursor: Cursor) -> str:
    return take_moment(cursor, IN_RANGE)


def take_moment(cursor: Cursor, site: Site = IN_FILTER) -> str:
    start = cursor.position
    text = take_time_text(cursor, site)
    try:
        parse_moment(text, CHECK_NS)
    except Invalid as error:
        raise cursor.error(error.message, start, cursor.position, ["a time"]) from error
    return text


def take_time_text(cursor: Cursor, site: Site) -> str:
    """Return a time as it is written; a time of day after an unquoted date belongs to it."""
    start = cursor.position
    text = parse_text(cursor, site).strip()
    clock = cursor.take(tokens.CLOCK_TIME) if tokens.DATE.fullmatch(text) else None
    if clock is None or cursor.text[start : start + len(text)] != text:
        return text
    meant = f"{text} {clock.strip()}"
    message = f"{show(meant)} is read as one time, the time of the day in quotes is a word"
    place = cursor.position - len(clock.strip())
    alternative = cursor.replace(place, cursor.position, tokens.quote(clock.strip()))
    cursor.notice("read_as_meant", message, alt=alternative)
    return meant


def parse_time_limit(cursor: Cursor, operator: Comparison) -> Filter:
    length = cursor.take(AGE)
    if length is not None:
        return compare_age(cursor, operator, length)
    moment = take_called_moment(cursor) or take_moment(cursor)
    if operator in (">", ">="):
        return Between(moment, None, includes_start=operator == ">=")
    return Between(None, moment, includes_end=operator == "<=")


def compare_age(cursor: Cursor, operator: Comparison, length: str) -> Filter:
    """`_time:>1d` in LogsQL: events that are older than a day."""
    moment = "now-" + "-".join(SPAN_PART.findall(length))
    side = "before" if operator in (">", ">=") else "after"
    cursor.notice("read_as_meant", f"{show(length)} is read as an age: events from {side} {moment}")
    if operator in (">", ">="):
        return Between(None, moment, includes_end=operator == ">=")
    return Between(moment, None, includes_start=operator == "<=")


def parse_earliest(cursor: Cursor) -> Filter:
    return Between(take_called_moment(cursor) or take_moment(cursor), None)


def parse_latest(cursor: Cursor) -> Filter:
    return Between(None, take_called_moment(cursor) or take_moment(cursor))

"""Tests of the event's time: periods, ranges and limits, kept as written but checked to be readable."""

from logboom.base.errors import Invalid
from logboom.lang import tokens
from logboom.lang.ast import Between, Comparison, During, Exists, Filter
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.nearest import find_misspelled
from logboom.lang.parse.ranges import parse_bounds
from logboom.lang.parse.subject import Subject
from logboom.lang.parse.values import parse_text
from logboom.lang.times import WORDS, parse_moment, resolve_period
from logboom.lang.tokens import IN_FILTER, IN_RANGE, Site

CHECK_NS = 1_700_000_000 * 10**9
"""Any moment does: whether a text is readable does not depend on now."""


def parse_period(cursor: Cursor, subject: Subject, site: Site = IN_FILTER) -> Filter:
    """After the colon: a period, a range, or a star."""
    if cursor.sees_any("[{("):
        return parse_time_range(cursor)
    start = cursor.position
    is_quoted = cursor.sees(tokens.QUOTE)
    text = parse_text(cursor, site).strip()
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
    return During(text)


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
    text = parse_text(cursor, site).strip()
    try:
        parse_moment(text, CHECK_NS)
    except Invalid as error:
        raise cursor.error(error.message, start, cursor.position, ["a time"]) from error
    return text


def parse_time_limit(cursor: Cursor, operator: Comparison) -> Filter:
    moment = take_moment(cursor)
    if operator in (">", ">="):
        return Between(moment, None, includes_start=operator == ">=")
    return Between(None, moment, includes_end=operator == "<=")


def parse_earliest(cursor: Cursor) -> Filter:
    return Between(take_called_moment(cursor), None)


def parse_latest(cursor: Cursor) -> Filter:
    return Between(None, take_called_moment(cursor))


def take_called_moment(cursor: Cursor) -> str:
    """A moment, or `now()`."""
    return "now" if cursor.take(tokens.NOW_CALL) else take_moment(cursor)

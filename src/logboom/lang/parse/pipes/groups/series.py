"""The options of `timechart` and `chart` for rows and columns."""

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.lang.ast import Quantity
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import PLAIN_OPTION, read_flag
from logboom.lang.parse.pipes.parts import ends_pipe, parse_count

MAX_SERIES = 1000
"""Columns if there is no limit."""
IGNORED = frozenset(
    ("cont", "partial", "fixedrange", "minspan", "bins", "aligntime", "sep", "format", "agg")
)
OPTIONS = IGNORED | {"nullstr", "otherstr", "dedup_splitvals", "usenull", "useother"}
ParseSpan: TypeAlias = Callable[[Cursor], Quantity]
RANKED = compile_later(r"(?P<end>top|bottom)\s?+(?P<count>[0-9]++)\s*+", re.IGNORECASE)


class Series(InternalStruct, frozen=True):
    """What was parsed so far."""

    span: Quantity | None = None
    limit: int = DEFAULT_COUNT
    has_other: bool = True
    has_null: bool = True


def read_series(cursor: Cursor, series: Series, parse_span: ParseSpan) -> Series:
    """Return the following options, added to those parsed before."""
    while not ends_pipe(cursor):
        start = cursor.position
        if cursor.take(tokens.LIMIT):
            series = replace(series, limit=parse_series_limit(cursor))
        elif cursor.take(tokens.SPAN) or cursor.sees(tokens.NUMBER_START):
            series = replace(series, span=read_span(cursor, parse_span))
        elif (found := PLAIN_OPTION.match(cursor.text, start)) and found["name"].lower() in OPTIONS:
            cursor.position = found.end()
            cursor.skip_blanks()
            series = apply_option(cursor, start, series, found["name"].lower(), found["value"])
        else:
            break
    return series


def read_span(cursor: Cursor, parse_span: ParseSpan) -> Quantity | None:
    """Return a size, which may be snapped: `1h@h`, or None for an automatic one in Splunk."""
    if cursor.take(tokens.AUTO):
        return None
    span = parse_span(cursor)
    cursor.take(tokens.SNAP)
    cursor.skip_blanks()
    return span


def parse_series_limit(cursor: Cursor) -> int:
    """Parse a number, `top 5`, or 0 for the maximum."""
    start = cursor.position
    ranked = cursor.take_match(RANKED)
    if ranked is None:
        return parse_count(cursor) or MAX_SERIES
    if ranked["end"].lower() == "bottom":
        message = "the largest series are kept, expected limit=5 or limit=top5"
        raise cursor.error(message, start, cursor.position, ["a whole number"])
    return min(int(ranked["count"]), MAX_SERIES) or MAX_SERIES


def apply_option(cursor: Cursor, start: int, series: Series, name: str, value: str) -> Series:
    if name == "useother":
        return replace(series, has_other=read_flag(cursor, start, name, value))
    if name == "usenull":
        return replace(series, has_null=read_flag(cursor, start, name, value))
    cursor.leave_out(start)
    return series

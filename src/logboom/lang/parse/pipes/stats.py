"""Pipes that aggregate: `stats`, `timechart`, `eventstats` and `streamstats`."""

from logboom.lang.ast import Aggregate, EventStats, Key, Quantity, Stats, StreamStats, Timechart
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.aggregates import (
    check_columns,
    parse_aggregates,
    parse_key,
    parse_keys,
)
from logboom.lang.parse.pipes.parts import parentheses, parse_count
from logboom.lang.parse.quantities import parse_duration


def parse_stats(cursor: Cursor) -> Stats:
    """`stats agg, … [by key, …]`, or `stats by (key, …) agg, …`."""
    return Stats(*parse_grouped(cursor))


def parse_event_stats(cursor: Cursor) -> EventStats:
    return EventStats(*parse_grouped(cursor))


def parse_stream_stats(cursor: Cursor) -> StreamStats:
    """`streamstats [window=5] agg, … [by key, …]`."""
    window = parse_count(cursor, least=1) if cursor.take(tokens.WINDOW) else None
    aggregates, keys = parse_grouped(cursor)
    if cursor.take(tokens.WINDOW):
        window = parse_count(cursor, least=1)
    return StreamStats(aggregates, keys, window)


def parse_grouped(cursor: Cursor) -> tuple[tuple[Aggregate, ...], tuple[Key, ...]]:
    """Aggregates and keys, in either order."""
    start = cursor.position
    keys: tuple[Key, ...] = ()
    if cursor.take(tokens.BY):
        with parentheses(cursor):
            keys = parse_keys(cursor)
        aggregates = parse_aggregates(cursor)
    else:
        aggregates = parse_aggregates(cursor)
        if cursor.take(tokens.BY):
            keys = parse_keys(cursor)
    check_columns(cursor, start, keys, aggregates)
    return aggregates, keys


def parse_timechart(cursor: Cursor) -> Timechart:
    """`timechart [5m] [limit=5] agg, … [by key]`; the options may also come last."""
    start = cursor.position
    span, limit = parse_timechart_options(cursor, None, DEFAULT_COUNT)
    aggregates = parse_aggregates(cursor)
    by = None
    if cursor.take(tokens.BY):
        by = parse_only_key(cursor)
    span, limit = parse_timechart_options(cursor, span, limit)
    check_columns(cursor, start, () if by is None else (by,), aggregates)
    return Timechart(aggregates, span, by, limit)


def parse_timechart_options(
    cursor: Cursor, span: Quantity | None, limit: int
) -> tuple[Quantity | None, int]:
    while True:
        if cursor.take(tokens.LIMIT):
            limit = parse_count(cursor, least=1)
        elif cursor.take(tokens.SPAN) or cursor.sees(tokens.NUMBER_START):
            span = parse_duration(cursor)
            cursor.skip_blanks()
        else:
            return span, limit


def parse_only_key(cursor: Cursor) -> Key:
    if not cursor.sees_any("("):
        return parse_key(cursor)
    with parentheses(cursor):
        return parse_key(cursor)

"""Pipes that aggregate: `stats`, `timechart`, `eventstats` and `streamstats`."""

from logboom.lang.ast import Aggregate, EventStats, Key, Quantity, Stats, StreamStats, Timechart
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.aggregates import (
    check_columns,
    parse_aggregates,
    parse_key,
    parse_keys,
    sees_aggregate,
)
from logboom.lang.parse.pipes.parts import ends_pipe, parentheses, parse_count, take_comma
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
        keys = parse_first_keys(cursor, start)
        aggregates = parse_aggregates(cursor)
    else:
        aggregates = parse_aggregates(cursor)
        if take_by(cursor):
            keys = parse_keys(cursor)
    check_columns(cursor, start, keys, aggregates)
    return aggregates, keys


def take_by(cursor: Cursor) -> bool:
    """`by`, or `group by` as SQL has it."""
    start = cursor.position
    if cursor.take(tokens.GROUP_BY):
        cursor.read_as_meant(start, "by")
        return True
    return cursor.take(tokens.BY) is not None


def parse_first_keys(cursor: Cursor, start: int) -> tuple[Key, ...]:
    """The keys before the aggregates: in parentheses, or up to the first aggregate."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            return parse_keys(cursor)
    keys = [parse_key(cursor)]
    while (take_comma(cursor) or not ends_pipe(cursor)) and not sees_aggregate(cursor):
        keys.append(parse_key(cursor))
    written = cursor.text[start : cursor.position].strip().removesuffix(",")
    if ends_pipe(cursor):
        suggestion = cursor.replace(start, start, "count ")
        raise cursor.unexpected(["a function such as count"], suggestion)
    cursor.notice(
        "read_as_meant", f"{show(written)} before the functions is read as if it stood behind them"
    )
    return tuple(keys)


def parse_timechart(cursor: Cursor) -> Timechart:
    """`timechart [5m] [limit=5] agg, … [by key]`; the options may also come last."""
    start = cursor.position
    span, limit = parse_timechart_options(cursor, None, DEFAULT_COUNT)
    aggregates = parse_aggregates(cursor)
    by = None
    if take_by(cursor):
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

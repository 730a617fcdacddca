"""Pipes that aggregate: `stats`, `timechart`, `eventstats` and `streamstats`."""

import re

from logboom.base.patterns import compile_later
from logboom.base.structs import MutableStruct
from logboom.lang.ast import Aggregate, EventStats, Field, Key, Stats, StreamStats, Timechart
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.groups.aggregates import (
    check_columns,
    parse_aggregates,
    parse_key,
    parse_keys,
    sees_aggregate,
)
from logboom.lang.parse.pipes.groups.series import Series, read_series
from logboom.lang.parse.pipes.options import (
    PLAIN_OPTION,
    leave_out_options,
    read_flag,
    take_options,
)
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    parentheses,
    parse_count,
    parse_name,
    take_comma,
)
from logboom.lang.parse.quantities import parse_duration

TREND = compile_later(
    r"sma(?P<window>[1-9][0-9]{0,3})\(\s*+(?P<field>[\w.@$]++)\s*+\)\s*+", re.IGNORECASE
)
STATS_IGNORED = ("allnum", "delim", "partitions", "dedup_splitvals")


def parse_stats(cursor: Cursor) -> Stats:
    """`stats agg, … [by key, …]`, or `stats by (key, …) agg, …`."""
    leave_out_options(cursor, take_options(cursor, STATS_IGNORED))
    stats = Stats(*parse_grouped(cursor))
    if not ends_pipe(cursor):
        leave_out_options(cursor, take_options(cursor, STATS_IGNORED))
    return stats


def parse_event_stats(cursor: Cursor) -> EventStats:
    leave_out_options(cursor, take_options(cursor, STATS_IGNORED))
    return EventStats(*parse_grouped(cursor))


def parse_stream_stats(cursor: Cursor) -> StreamStats:
    """`streamstats [window=5] [current=false] agg, … [by key, …]`; a window of 0 is none."""
    options = StreamOptions()
    options.read(cursor)
    aggregates, keys = parse_grouped(cursor)
    options.read(cursor)
    return StreamStats(aggregates, keys, options.window, options.current)


class StreamOptions(MutableStruct):
    """The options of `streamstats`; those that reset are not supported."""

    window: int | None = None
    current: bool = True

    def read(self, cursor: Cursor) -> None:
        while True:
            start = cursor.position
            if cursor.take(tokens.WINDOW):
                self.window = parse_count(cursor) or None
            elif found := PLAIN_OPTION.match(cursor.text, start):
                self.apply(cursor, start, found["name"].lower(), found["value"])
                cursor.position = found.end()
                cursor.skip_blanks()
            else:
                return

    def apply(self, cursor: Cursor, start: int, name: str, value: str) -> None:
        if name == "current":
            self.current = read_flag(cursor, start, name, value)
        elif name not in ("global", "allnum"):
            message = f"streamstats has no option {show(name)}, expected window= or current="
            raise cursor.error(message, start, start + len(name), ["window=", "current="])


def parse_grouped(cursor: Cursor) -> tuple[tuple[Aggregate, ...], tuple[Key, ...]]:
    """Parse aggregates and keys, in either order."""
    start = cursor.position
    keys: tuple[Key, ...] = ()
    if cursor.take(tokens.BY) or cursor.sees_any("("):
        keys = parse_first_keys(cursor, start)
        aggregates = parse_aggregates(cursor)
    else:
        aggregates = parse_aggregates(cursor)
        if take_by(cursor):
            keys = parse_keys(cursor)
    check_columns(cursor, start, keys, aggregates)
    return aggregates, keys


def take_by(cursor: Cursor) -> bool:
    """Consume `by`, or SQL's `group by`; return whether it was there."""
    start = cursor.position
    if cursor.take(tokens.GROUP_BY):
        cursor.read_as_meant(start, "by")
        return True
    return cursor.take(tokens.BY) is not None


def parse_first_keys(cursor: Cursor, start: int) -> tuple[Key, ...]:
    """Parse the keys before the aggregates: in parentheses, or up to the first aggregate."""
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
    """`timechart [5m] [limit=5] agg, … [by key]`; the options may also come later."""
    start = cursor.position
    series = read_series(cursor, Series(), parse_duration)
    aggregates = parse_aggregates(cursor)
    series = read_series(cursor, series, parse_duration)
    while not (ends_pipe(cursor) or cursor.sees(tokens.BY) or cursor.sees(tokens.GROUP_BY)):
        take_comma(cursor)
        aggregates += parse_aggregates(cursor)
        series = read_series(cursor, series, parse_duration)
    by = parse_only_key(cursor) if take_by(cursor) else None
    series = read_series(cursor, series, parse_duration)
    check_columns(cursor, start, () if by is None else (by,), aggregates)
    return Timechart(aggregates, series.span, by, series.limit, series.has_other, series.has_null)


def parse_only_key(cursor: Cursor) -> Key:
    if not cursor.sees_any("("):
        return parse_key(cursor)
    with parentheses(cursor):
        return parse_key(cursor)


def parse_trendline(cursor: Cursor) -> StreamStats:
    """`trendline sma5(a) [as b]`: the mean of the last five rows, computed with `streamstats`."""
    start = cursor.position
    found = cursor.take_match(TREND)
    if found is None:
        message = "only the simple moving average is supported, expected sma5(field)"
        end = max(start, len(cursor.text.rstrip()))
        raise cursor.error(message, start, end, ["sma5(field)"])
    name = parse_name(cursor, "a column name") if cursor.take(tokens.AS) else found[0].strip()
    aggregate = Aggregate("avg", Field(found["field"]), name=name)
    return StreamStats((aggregate,), (), int(found["window"]))


def parse_accum(cursor: Cursor) -> StreamStats:
    """`accum a [as b]`: the sum of all rows so far."""
    field = parse_name(cursor)
    name = parse_name(cursor, "a column name") if cursor.take(tokens.AS) else field
    return StreamStats((Aggregate("sum", Field(field), name=name),))

"""Time spans: where they start in a zone. Days start at midnight there, weeks on Monday.

Spans of up to an hour follow each other evenly; longer ones follow the local clock, so that one in which the clock
changes is longer or shorter than others.
"""

import itertools
import operator
from collections.abc import Callable
from datetime import UTC, tzinfo
from functools import partial

import polars as pl

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Invalid
from logboom.lang import ast
from logboom.lang.calendars import NS_PER_HOUR, from_local, measure_offset, to_local
from logboom.lang.format.values import format_quantity

NS_PER_WEEK = 7 * NS_PER_DAY
MONDAY_NS = 4 * NS_PER_DAY
"""1970 began on a Thursday; its first Monday was four days later."""
SLOT_NS = NS_PER_HOUR // 4
"""Clocks are changed at a quarter of an hour."""
SPANS = tuple(
    ast.Quantity(number, unit)
    for unit, numbers in {
        "s": (1, 5, 10, 30),
        "m": (1, 5, 10, 30),
        "h": (1, 3, 12),
        "d": (1, 7, 30),
    }.items()
    for number in numbers
)
"""The spans to choose from; each up to a day consists of whole shorter ones."""
MAX_SPANS = 10_000
MAX_SPAN_NS = 36_525 * NS_PER_DAY
MAX_STEPS = 2
"""How many spans of more than an hour begin while the clock repeats, or skips, up to two hours."""
MAX_DENSE = 1000
"""With at most this many keys between the lowest and highest, all are computed without checking which occur."""


def measure_span(span: ast.Quantity) -> int:
    """Return the nanoseconds of a span, seconds if it has no unit."""
    span_ns = max(1, int(span.scaled if span.is_duration else span.scaled * 10**9))
    if span_ns > MAX_SPAN_NS:
        raise Invalid(f"span {format_quantity(span)} is too long, expected at most 100 years")
    return span_ns


def begin_span(time_ns: int, span: ast.Quantity, zone: tzinfo) -> int:
    """Return the start of the span that contains a time."""
    span_ns = measure_span(span)
    local_ns = to_local(time_ns, zone)
    rest_ns = measure_rest(local_ns, span_ns)
    if span_ns <= NS_PER_HOUR:
        return time_ns - rest_ns
    local_ns -= rest_ns
    while begin_local(local_ns, zone) > time_ns:
        local_ns -= span_ns
    # While the clock repeats an hour, another span may have begun in the first one.
    while begin_local(local_ns + span_ns, zone) <= time_ns:
        local_ns += span_ns
    return begin_local(local_ns, zone)


def next_span(start_ns: int, span: ast.Quantity, zone: tzinfo) -> int:
    """Return the start of the next span."""
    span_ns = measure_span(span)
    if span_ns <= NS_PER_HOUR:
        return max(begin_span(start_ns + span_ns, span, zone), start_ns + 1)
    local_ns = to_local(start_ns, zone)
    local_ns -= measure_rest(local_ns, span_ns)
    following_ns = start_ns
    while following_ns <= start_ns:
        local_ns += span_ns
        following_ns = begin_local(local_ns, zone)
    return following_ns


def measure_rest(local_ns: int, span_ns: int) -> int:
    """Return how far into its span a local time is."""
    return (local_ns - find_shift(span_ns)) % span_ns


def find_shift(span_ns: int) -> int:
    return 0 if span_ns % NS_PER_WEEK else MONDAY_NS


def begin_local(local_ns: int, zone: tzinfo) -> int:
    """Return when the local clock shows this, or would have shown it if it had not been put forward just then."""
    start_ns = from_local(local_ns, zone)
    return start_ns + max(0, local_ns - to_local(start_ns, zone))


def floor_times(times: pl.Expr, span: ast.Quantity, zone: tzinfo) -> pl.Expr:
    """Return the same as `begin_span` for many times."""
    span_ns = measure_span(span)
    if zone is UTC:
        return times - (times - find_shift(span_ns)) % span_ns
    floor = partial(floor_series, span_ns=span_ns, zone=zone)
    return times.map_batches(floor, return_dtype=pl.Int64, is_elementwise=True)


def floor_series(times: pl.Series, span_ns: int, zone: tzinfo) -> pl.Series:
    offsets = look_up(times // SLOT_NS, 1, lambda slot: measure_offset(slot * SLOT_NS, zone))
    local = times + offsets
    rest = (local - find_shift(span_ns)) % span_ns
    if span_ns <= NS_PER_HOUR:
        return times - rest
    floored = local - rest
    shifts = begin_many(floored, span_ns, zone)
    if isinstance(offsets, int) and isinstance(shifts, int) and offsets == -shifts:
        return floored + shifts
    for _ in range(MAX_STEPS):
        is_late = floored + begin_many(floored, span_ns, zone) > times
        floored -= is_late.cast(pl.Int64) * span_ns
    for _ in range(MAX_STEPS):
        following = floored + span_ns
        has_begun = following + begin_many(following, span_ns, zone) <= times
        floored += has_begun.cast(pl.Int64) * span_ns
    return floored + begin_many(floored, span_ns, zone)


def begin_many(floored: pl.Series, span_ns: int, zone: tzinfo) -> pl.Series | int:
    """Return what to add to local starts of spans to get the times at which they start."""
    return look_up(floored, span_ns, lambda start: begin_local(start, zone) - start)


def look_up(keys: pl.Series, step: int, find: Callable[[int], int]) -> pl.Series | int:
    """Return the results of a function for evenly spaced keys; one number if it is the same for all."""
    low, high = (
        keys.to_frame("key").select(low=pl.col("key").min(), high=pl.col("key").max()).row(0)
    )
    if low is None:
        return 0
    is_dense = (high - low) // step < MAX_DENSE
    distinct = range(low, high + 1, step) if is_dense else keys.unique().drop_nulls().to_list()
    found = {key: find(key) for key in distinct}
    if len(set(found.values())) == 1:
        return found[low]
    return keys.replace_strict(
        list(found), list(found.values()), default=None, return_dtype=pl.Int64
    )


def list_starts(first_ns: int, end_ns: int, span: ast.Quantity, zone: tzinfo) -> list[int]:
    """Return the starts of the spans from one time to before another; an error if there are too many."""
    starts = walk_starts(first_ns, end_ns, span, zone, MAX_SPANS)
    if starts is None:
        fitting = format_quantity(choose_span(first_ns, end_ns, MAX_SPANS, zone))
        raise Invalid(
            f"span {format_quantity(span)} makes more than {MAX_SPANS} rows, expected {fitting} or longer"
        )
    return starts


def choose_span(first_ns: int, end_ns: int, most: int, zone: tzinfo) -> ast.Quantity:
    """Return the shortest of the usual spans that gives at most the wanted number."""
    longer = (
        ast.Quantity(days, "d")
        for days in itertools.accumulate(itertools.repeat(2), operator.mul, initial=60)
    )
    for span in itertools.chain(SPANS, longer):
        if walk_starts(first_ns, end_ns, span, zone, most) is not None:
            return span
    raise AssertionError("some span is long enough")


def walk_starts(
    first_ns: int, end_ns: int, span: ast.Quantity, zone: tzinfo, most: int
) -> list[int] | None:
    """Return the starts of spans, or None if there are more than wanted."""
    if (end_ns - first_ns) // measure_span(span) > most:
        return None
    starts: list[int] = []
    start_ns = begin_span(first_ns, span, zone)
    while start_ns < end_ns:
        if len(starts) == most:
            return None
        starts.append(start_ns)
        start_ns = next_span(start_ns, span, zone)
    return starts

"""Counts by time spans for sorted times: the ends of each span are looked up."""

import operator
from bisect import bisect_left, bisect_right
from datetime import tzinfo
from itertools import pairwise

import polars as pl

from logboom.engine.terms.spans import walk_starts
from logboom.lang import ast

MOST_SPANS = 100
"""With more spans they are counted time by time."""


def count_spans(
    times: pl.Series, selection: pl.Series | None, span: ast.Quantity, zone: tzinfo
) -> dict[int, int] | None:
    """Return how many selected times are in each span that has some, by its start.

    Return None if times are unsorted or far apart.
    """
    if not len(times) or times.null_count():
        return None
    first_ns, last_ns = times[0], times[-1]
    is_descending = first_ns > last_ns
    if not times.is_sorted(descending=is_descending):
        return None
    if is_descending:
        first_ns, last_ns = last_ns, first_ns
    starts = walk_starts(first_ns, last_ns + 1, span, zone, MOST_SPANS)
    if starts is None:
        return None
    count_before = count_before_descending if is_descending else count_before_ascending
    bounds = [*(count_before(times, start_ns) for start_ns in starts), len(times)]
    if selection is not None and is_descending:
        selection = selection.reverse()
    counts = [count_selected(selection, begin, end) for begin, end in pairwise(bounds)]
    return {start_ns: count for start_ns, count in zip(starts, counts, strict=True) if count}


def count_selected(selection: pl.Series | None, begin: int, end: int) -> int:
    return end - begin if selection is None else int(selection.slice(begin, end - begin).sum())


def count_before_ascending(times: pl.Series, end_ns: int) -> int:
    """Return the number of times before `end_ns`. Polars would build a query plan to look it up."""
    return bisect_left(times, end_ns)


def count_before_descending(times: pl.Series, end_ns: int) -> int:
    return len(times) - bisect_right(times, -end_ns, key=operator.neg)

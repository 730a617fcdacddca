"""Ranges of numbers, the same for all fields: from one of 1, 2, 5, 10, 20, 50 … to the next."""

from bisect import bisect_right
from typing import NamedTuple

import polars as pl

SMALLEST, LARGEST = -6, 18
"""Powers of ten: numbers closer to zero count as zero, larger ones are one range."""

POSITIVE = [
    float(f"{step}e{power}") for power in range(SMALLEST, LARGEST + 1) for step in (1, 2, 5)
]
EDGES = [-edge for edge in reversed(POSITIVE)] + [0.0] + POSITIVE
EDGE_SERIES = pl.Series(EDGES, dtype=pl.Float64)
ZERO = EDGES.index(0.0) + 1


class NumberRange(NamedTuple):
    """From `low` (included) to `high` (excluded); None is no limit."""

    low: float | None
    high: float | None


def find_place(number: float) -> int:
    """Return the index of a number's range."""
    return bisect_right(EDGES, number)


def find_places(numbers: pl.Series) -> pl.Series:
    """Return the indexes of the ranges of many numbers."""
    return EDGE_SERIES.search_sorted(numbers.cast(pl.Float64), side="right").rename("place")


def make_range(place: int) -> NumberRange | int:
    """Return the range with this index; 0 for that of zero."""
    if place == ZERO:
        return 0
    low = EDGES[place - 1] if place else None
    return NumberRange(low, EDGES[place] if place < len(EDGES) else None)

"""Values of series at steps of time, in columns; and functions of several series at one time."""

from collections.abc import Callable, Sequence

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.readers.loki.metrics.tree import RANKS, Aggregation, Grouping

SERIES, STEP, VALUE = "series", "step", "value"
SCHEMA = {SERIES: pl.Int64, STEP: pl.Int64, VALUE: pl.Float64}

Labels = dict[str, str]


class Steps(InternalStruct, frozen=True):
    """The times at which a query is evaluated."""

    first_ns: int
    step_ns: int
    count: int

    def time_of(self, step: int) -> int:
        return self.first_ns + step * self.step_ns


class Vectors(InternalStruct, frozen=True):
    """The values of series at steps.

    `labels` of each series, and a frame with a row for each value: the series by number, the step, the value.
    """

    labels: Sequence[Labels]
    frame: pl.DataFrame
    is_sorted: bool = False
    """Whether the order of rows is part of the result."""

    def with_frame(self, frame: pl.DataFrame) -> "Vectors":
        return Vectors(self.labels, frame, self.is_sorted)

    def with_values(self, value: pl.Expr) -> "Vectors":
        return self.with_frame(self.frame.with_columns(value.cast(pl.Float64).alias(VALUE)))


def make_constant(value: float, steps: Steps) -> Vectors:
    """Return one series without labels that has the same value at every step."""
    step = pl.int_range(steps.count, dtype=pl.Int64, eager=True)
    frame = pl.select(pl.lit(0, pl.Int64).alias(SERIES), step.alias(STEP))
    return Vectors([{}], frame.with_columns(pl.lit(value, pl.Float64).alias(VALUE)))


def group_labels(labels: Labels, grouping: Grouping) -> Labels:
    if grouping.is_without:
        return {name: value for name, value in labels.items() if name not in grouping.labels}
    return {name: labels[name] for name in grouping.labels if name in labels}


def number_labels(found: Sequence[Labels]) -> tuple[list[Labels], list[int]]:
    """Return the distinct sets of labels, and which of these each is."""
    numbers: dict[frozenset[tuple[str, str]], int] = {}
    distinct: list[Labels] = []
    chosen: list[int] = []
    for labels in found:
        number = numbers.setdefault(frozenset(labels.items()), len(distinct))
        if number == len(distinct):
            distinct.append(labels)
        chosen.append(number)
    return distinct, chosen


def translate(numbers: Sequence[int], column: str = SERIES) -> pl.Expr:
    """Return the number that each series has in another numbering."""
    mapping = pl.Series(numbers, dtype=pl.Int64)
    return pl.lit(mapping).gather(pl.col(column))


def regroup(vectors: Vectors, change: Callable[[Labels], Labels], function: str) -> Vectors:
    """Reduce the values of series that become one to a single value at each step."""
    distinct, numbers = number_labels([change(labels) for labels in vectors.labels])
    renumbered = vectors.frame.with_columns(translate(numbers).alias(SERIES))
    return Vectors(distinct, renumbered.group_by(SERIES, STEP).agg(REDUCERS[function]))


def aggregate(vectors: Vectors, node: Aggregation) -> Vectors:
    if node.function in RANKS:
        return rank(vectors, node)
    return regroup(vectors, lambda labels: group_labels(labels, node.grouping), node.function)


def rank(vectors: Vectors, node: Aggregation) -> Vectors:
    """Return the series with the largest or smallest values of each group at each step; NaN comes last."""
    groups = [group_labels(labels, node.grouping) for labels in vectors.labels]
    _, numbers = number_labels(groups)
    grouped = vectors.frame.with_columns(translate(numbers).alias("group"))
    is_descending = RANKS[node.function]
    ordered = order(grouped, is_descending=is_descending)
    kept = ordered.group_by("group", STEP, maintain_order=True).head(node.limit)
    return Vectors(vectors.labels, order(kept.select(*SCHEMA), is_descending=is_descending), True)


def order(frame: pl.DataFrame, *, is_descending: bool) -> pl.DataFrame:
    """Return the rows ordered by value, then by series."""
    last = float("-inf") if is_descending else float("inf")
    return frame.sort(pl.col(VALUE).fill_nan(last), SERIES, descending=[is_descending, False])


REDUCERS: dict[str, pl.Expr] = {
    "sum": pl.col(VALUE).sum(),
    "avg": pl.col(VALUE).mean(),
    "min": pl.col(VALUE).min(),
    "max": pl.col(VALUE).max(),
    "count": pl.len().cast(pl.Float64).alias(VALUE),
    "stddev": pl.col(VALUE).std(ddof=0),
    "stdvar": pl.col(VALUE).var(ddof=0),
}

"""Percentiles: exact ones keep every number, approximate ones count numbers of similar size."""

import math
from collections.abc import Collection, Mapping

import polars as pl

from logboom.engine.aggregates.counts import cumulate_counts, merge_counts
from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.engine.expressions.numeric import as_real, read_numbers
from logboom.model.columns import Kind

MEDIAN = 50.0
GROWTH = math.log(1.02)
"""Numbers in one bucket differ by at most 2 percent, so that its middle is at most 1 percent off."""
MIDDLE = 40_000
"""More than the number of buckets on either side of 1, so that larger numbers have larger buckets."""


class Percentile(Reducer, frozen=True):
    """Between two numbers the result is interpolated."""

    is_numeric = True
    keeps_values = True

    @property
    def share(self) -> float:
        percent = self.aggregate.parameter
        return (MEDIAN if percent is None else percent) / 100

    def read(self, rows: Rows) -> Roles:
        return {"number": as_real(read_numbers(rows.value))}

    def reduce(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        return {"numbers": self.col("number").drop_nulls().implode()}

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        return {"numbers": self.col("numbers").explode().drop_nulls().implode()}

    def conclude(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        numbers = self.col("numbers").explode().drop_nulls()
        return {"result": numbers.quantile(self.share, "linear")}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        return {Kind.FLOAT: self.col("result")}


class ApproximatePercentile(Percentile, frozen=True):
    """The number at the rank, at most 1 percent off."""

    def read(self, rows: Rows) -> Roles:
        number = as_real(read_numbers(rows.value))
        bucket = (number.abs().log() / GROWTH).floor().cast(pl.Int32, strict=False) + MIDDLE
        signed = pl.when(number < 0).then(-bucket).otherwise(bucket)
        return {"bucket": pl.when(number == 0).then(0).otherwise(signed)}

    def reduce(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        bucket = self.col("bucket").drop_nulls()
        return {
            "buckets": bucket.unique(maintain_order=True).implode(),
            "counts": bucket.unique_counts().cast(pl.Int64).implode(),
        }

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        buckets, counts = merge_counts(self.col("buckets"), self.col("counts"))
        return {"buckets": buckets.implode(), "counts": counts.implode()}

    def conclude(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        ordered = self.col("buckets").explode().drop_nulls().sort()
        reached = cumulate_counts(self.col("buckets"), self.col("counts"))
        rank = self.share * (reached.last() - 1)
        return {"bucket": ordered.filter(reached > rank).first()}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        bucket = self.col("bucket")
        size = ((bucket.abs() - MIDDLE + 0.5) * GROWTH).exp()
        return {Kind.FLOAT: pl.when(bucket == 0).then(0.0).otherwise(size * bucket.sign())}

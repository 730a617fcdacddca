"""Rates: rows per second, and sums per second."""

from collections.abc import Collection, Mapping
from typing import ClassVar

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.engine.aggregates.counting import Count
from logboom.engine.aggregates.numbers import Sum
from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.engine.rows.division import divide
from logboom.engine.terms.request import END_NS, MIN_NS
from logboom.model.columns import Kind


class PerSecond(Reducer, frozen=True):
    """Another aggregate per second: of the group's span, else of the queried range, else between first and last row."""

    reads = ("_time",)
    empty: ClassVar[int | float | None] = 0.0

    def read(self, rows: Rows) -> Roles:
        return {**super().read(rows), "time": rows.time}  # type: ignore[safe-super]

    def reduce(self, roles: Collection[str]) -> Roles:
        time = self.col("time")
        return {**super().reduce(roles), "low": time.min(), "high": time.max()}  # type: ignore[safe-super]

    def merge(self, roles: Collection[str]) -> Roles:
        low, high = self.col("low").min(), self.col("high").max()
        return {**super().merge(roles), "low": low, "high": high}  # type: ignore[safe-super]

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        seconds = self._measure(frame) / NS_PER_S
        length = pl.lit(seconds if seconds > 0 else None, pl.Float64)
        amounts = super().finish(frame).values()  # type: ignore[safe-super]
        amount = pl.coalesce([each.cast(pl.Float64) for each in amounts])
        return {Kind.FLOAT: divide(amount, length)}

    def _measure(self, frame: pl.DataFrame) -> int:
        if self.span_ns is not None:
            return self.span_ns
        low, high = frame.select(self.col("low").min(), self.col("high").max()).row(0)
        from_ns, to_ns = self.conditions.from_ns, self.conditions.to_ns
        start_ns = from_ns if from_ns > MIN_NS else low
        end_ns = to_ns if to_ns < END_NS else high
        return 0 if start_ns is None or end_ns is None else int(end_ns - start_ns)


class Rate(PerSecond, Count, frozen=True):
    """Rows, or rows that have the value, per second."""


class SumRate(PerSecond, Sum, frozen=True):
    """The sum of the numbers per second."""

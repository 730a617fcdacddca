"""Counts: how many rows there are."""

from collections.abc import Collection, Mapping
from typing import ClassVar

import polars as pl

from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.model.columns import Kind


class Count(Reducer, frozen=True):
    """Rows, or rows that have the value."""

    empty: ClassVar[int | float | None] = 0

    def read(self, rows: Rows) -> Roles:
        if self.aggregate.argument is not None:
            return {"there": rows.exists()}
        return {} if rows.keep is None else {"there": rows.keep}

    def reduce(self, roles: Collection[str]) -> Roles:
        rows = self.col("there").sum() if "there" in roles else pl.len()
        return {"n": rows.cast(pl.Int64)}

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        return {"n": self.col("n").sum()}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        return {Kind.INT: self.col("n")}

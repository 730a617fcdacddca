"""Aggregates of distinct values. Types matter, so true is not 1; but 1 and 1.0 are the same number."""

from collections.abc import Collection, Mapping

import polars as pl

from logboom.engine.aggregates.counts import merge_counts
from logboom.engine.aggregates.lists import GROUP, MAX_VALUES, find_value, roll, unroll
from logboom.engine.aggregates.reducer import KINDS, Reducer, Roles, Rows
from logboom.engine.expressions.numeric import unify_numbers
from logboom.engine.rows.ordering import order_value
from logboom.model.columns import DTYPES, Kind

SKETCH_SIZE = 4096
"""Hashes kept by the estimate: its standard error is one over the root of this, about 1.6 percent."""
HASHES = 2.0**64
LAST_ORDER = (pl.col(Kind.STR.value).fill_null(""),)
"""Equal numbers come before texts that spell them."""


class Distinct(Reducer, frozen=True):
    """Keeps each value of a group once, in a list for each kind."""

    keeps_values = True

    def read(self, rows: Rows) -> Roles:
        return {kind.value: part for kind, part in unify_numbers(rows.value).parts.items()}

    def reduce(self, roles: Collection[str]) -> Roles:
        kinds = self.list_kinds(roles)
        return {kind.value: self.col(kind.value).unique().drop_nulls().implode() for kind in kinds}

    def merge(self, roles: Collection[str]) -> Roles:
        return {
            kind.value: self.col(kind.value).explode().unique().drop_nulls().implode()
            for kind in self.list_kinds(roles)
        }

    def _list_values(self, frame: pl.DataFrame) -> dict[Kind, list[pl.Expr]]:
        kinds = self.list_kinds(self.list_roles(frame.columns))
        return {kind: [self.col(kind.value)] for kind in kinds}


class CountDistinct(Distinct, frozen=True):
    """The exact number of distinct values; texts that differ in case are distinct."""

    ignores_repeats = True
    empty = 0

    def conclude(self, roles: Collection[str]) -> Roles:
        return {
            kind.value: self.col(kind.value).explode().drop_nulls().n_unique().cast(pl.Int64)
            for kind in self.list_kinds(roles)
        }

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        counts = [self.col(kind.value) for kind in self.list_kinds(self.list_roles(frame.columns))]
        return {Kind.INT: pl.sum_horizontal([pl.lit(0, pl.Int64), *counts])}


class Values(Distinct, frozen=True):
    """The distinct values in order."""

    ignores_repeats = True

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        long = unroll(frame, self._list_values(frame))
        ordered = long.sort(*order_value(find_value(long)), *LAST_ORDER, nulls_last=True)
        kept = ordered.filter(pl.int_range(pl.len()).over(GROUP) < MAX_VALUES)
        return roll(kept, frame.height)

    def count_left_out(self, frame: pl.DataFrame) -> int:
        """Return how many values exceed the limit, in finished groups."""
        lengths = [lists[0].list.len() for lists in self._list_values(frame).values()]
        excess = pl.sum_horizontal([pl.lit(0, pl.Int64), *lengths]) - MAX_VALUES
        return int(frame.select(excess.clip(0).sum()).item())


class Mode(Distinct, frozen=True):
    """The most frequent value; of several the first in the order of values."""

    def reduce(self, roles: Collection[str]) -> Roles:
        reduced: Roles = {}
        for kind in self.list_kinds(roles):
            value = self.col(kind.value).drop_nulls()
            reduced[kind.value] = value.unique(maintain_order=True).implode()
            reduced[f"{kind.value}.n"] = value.unique_counts().cast(pl.Int64).implode()
        return reduced

    def merge(self, roles: Collection[str]) -> Roles:
        merged: Roles = {}
        for kind in self.list_kinds(roles):
            role = kind.value
            values, counts = merge_counts(self.col(role), self.col(f"{role}.n"))
            merged |= {role: values.implode(), f"{role}.n": counts.implode()}
        return merged

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        lists = {
            kind: [*values, self.col(f"{kind.value}.n").alias("n")]
            for kind, values in self._list_values(frame).items()
        }
        if not lists:
            return {Kind.STR: pl.lit(None, DTYPES[Kind.STR])}
        long = unroll(frame, lists)
        order = [*order_value(find_value(long)), *LAST_ORDER]
        ordered = long.sort(-pl.col("n"), *order, nulls_last=True)
        groups = pl.DataFrame({GROUP: pl.int_range(frame.height, dtype=pl.UInt32, eager=True)})
        found = groups.join(
            ordered.unique(GROUP, keep="first", maintain_order=True),
            on=GROUP,
            how="left",
            maintain_order="left",
        )
        return {kind: pl.lit(found[kind.value]) for kind in lists}


class EstimateDistinct(Reducer, frozen=True):
    """An estimate of the number of distinct values, from their smallest hashes; exact for a few.

    Hashes are the same in every process, but may differ between versions of Polars.
    """

    keeps_values = True
    ignores_repeats = True
    empty = 0

    def read(self, rows: Rows) -> Roles:
        # A different seed for each kind, so that the same bytes in another type are another value.
        hashes = [
            pl.when(part.is_not_null()).then(part.hash(KINDS.index(kind)))
            for kind, part in unify_numbers(rows.value).parts.items()
        ]
        return {"hash": pl.coalesce(hashes) if hashes else pl.lit(None, pl.UInt64)}

    def reduce(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        hashes = self.col("hash").drop_nulls().unique()
        return {"hashes": hashes.bottom_k(SKETCH_SIZE).implode()}

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        hashes = self.col("hashes").explode().drop_nulls().unique()
        return {"hashes": hashes.bottom_k(SKETCH_SIZE).implode()}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        known = self.col("hashes").list.len().cast(pl.Int64)
        share = self.col("hashes").list.max() / HASHES
        estimate = ((SKETCH_SIZE - 1) / share).round().cast(pl.Int64, strict=False)
        return {Kind.INT: pl.when(known < SKETCH_SIZE).then(known).otherwise(estimate)}

"""Aggregates that pick rows: by their order, by time, or by the size of a number."""

from collections.abc import Collection, Mapping
from typing import ClassVar

import polars as pl

from logboom.engine.aggregates.lists import GROUP, MAX_VALUES, roll
from logboom.engine.aggregates.reducer import KINDS, Reducer, Roles, Rows
from logboom.engine.expressions.numeric import as_real, read_numbers
from logboom.engine.rows.values import Value
from logboom.lang.ast import MESSAGE
from logboom.model.columns import DTYPES, Kind


class First(Reducer, frozen=True):
    """The value of the first row that has one; subclasses choose other rows."""

    is_ordered = True
    row_bytes = 96
    takes_last: ClassVar[bool] = False

    def read(self, rows: Rows) -> Roles:
        value = self._find_value(rows)
        rank = self._rank(rows)
        order = {f"order{place}": pl.col(name) for place, name in enumerate(rows.order)}
        there = rows.exists()
        if rank is not None:
            order["rank"] = rank
            there = there & rank.is_not_null()
        return {**{kind.value: part for kind, part in value.parts.items()}, **order, "there": there}

    def _find_value(self, rows: Rows) -> Value:
        return rows.value

    def _rank(self, rows: Rows) -> pl.Expr | None:  # noqa: ARG002
        """Return the rank of rows, of which only those with the greatest are considered; None to consider all."""
        return None

    def reduce(self, roles: Collection[str]) -> Roles:
        return self._pick(roles, ())

    def merge(self, roles: Collection[str]) -> Roles:
        return self._pick(roles, [role for role in roles if role.startswith("order")])

    def _pick(self, roles: Collection[str], order: Collection[str]) -> Roles:
        """Return expressions that pick values from rows that are sorted, or sort them by `order` first."""

        def arrange(role: str) -> pl.Expr:
            column, by = self.col(role), [self.col(each) for each in order]
            return (
                column.sort_by(by, descending=True, nulls_last=True, maintain_order=True)
                if by
                else column
            )

        chosen = arrange("there")
        if "rank" in roles:
            best = self.col("rank").filter(self.col("there")).max()
            chosen = chosen & (arrange("rank") == best)
        picked = {role: arrange(role).filter(chosen) for role in roles}
        return {
            role: rows.last() if self.takes_last else rows.first() for role, rows in picked.items()
        }

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        kinds = self.list_kinds(self.list_roles(frame.columns))
        return {kind: self.col(kind.value) for kind in kinds}


class Last(First, frozen=True):
    """The value of the last row that has one."""

    takes_last = True


class Latest(First, frozen=True):
    """The value of the newest row that has one."""

    reads = ("_time",)

    def _rank(self, rows: Rows) -> pl.Expr | None:
        return rows.time


class Earliest(First, frozen=True):
    """The value of the oldest row that has one; rows of the same time are newest first too."""

    reads = ("_time",)
    takes_last = True

    def _rank(self, rows: Rows) -> pl.Expr | None:
        return -rows.time


class RowOfMost(First, frozen=True):
    """The message of the row with the greatest number."""

    is_numeric = True
    reads = (MESSAGE,)

    def _find_value(self, rows: Rows) -> Value:
        return Value({Kind.STR: Value.of_field(rows.table, MESSAGE).text()})

    def _rank(self, rows: Rows) -> pl.Expr | None:
        return as_real(read_numbers(rows.value))


class RowOfLeast(RowOfMost, frozen=True):
    """The message of the row with the smallest number."""

    def _rank(self, rows: Rows) -> pl.Expr | None:
        return -as_real(read_numbers(rows.value))


ORDER = {"order0": pl.Int64(), "order1": pl.String(), "order2": pl.Int64()}
"""The order of events; rows in another order have only the first."""


class AllValues(Reducer, frozen=True):
    """Every value in the order of rows, up to a limit."""

    is_ordered = True
    keeps_values = True
    row_bytes = 192

    def read(self, rows: Rows) -> Roles:
        parts = rows.value.parts
        order = dict(zip(ORDER, map(pl.col, rows.order), strict=False))
        columns = [
            *(parts.get(kind, pl.lit(None)).cast(DTYPES[kind]).alias(kind.value) for kind in KINDS),
            *(
                order.get(name, pl.lit(None)).cast(dtype).alias(name)
                for name, dtype in ORDER.items()
            ),
        ]
        return {"item": pl.struct(columns), "there": rows.exists()}

    def reduce(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        items = self.col("item").filter(self.col("there"))
        return {
            "items": items.head(MAX_VALUES).implode(),
            "n": self.col("there").sum().cast(pl.Int64),
        }

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        items = self.col("items").explode().drop_nulls()
        order = [items.struct.field(name) for name in ORDER]
        ordered = items.sort_by(order, descending=True, nulls_last=True, maintain_order=True)
        return {"items": ordered.head(MAX_VALUES).implode(), "n": self.col("n").sum()}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        items = frame.select(self.col("items").alias("item")).with_row_index(GROUP)
        long = items.explode("item").drop_nulls("item").unnest("item")
        return roll(long, frame.height)

    def count_left_out(self, frame: pl.DataFrame) -> int:
        """Return how many values exceed the limit, in finished groups."""
        return int(frame.select((self.col("n") - MAX_VALUES).clip(0).sum()).item())

"""`top`: the most frequent combinations of values, with their count and share."""

from typing import ClassVar

import polars as pl

from logboom.engine.grouping.groups import Groups
from logboom.engine.pipes.groups.grouping import Grouping
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import internal
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.model.columns import Column, Kind

COUNT, PERCENT = "count", "percent"
COUNT_COLUMN = Column(COUNT, Kind.INT).name
COUNTED = pl.col(COUNT_COLUMN)
TOTAL = internal("total")
DIGITS = 6


class Top(Grouping, frozen=True):
    """Rows that lack one of the fields do not count; those that lack one of `by` are a group.

    Equally frequent combinations are in the order of their values.
    """

    fields: tuple[str, ...]
    by: tuple[str, ...]
    limit: int
    descending: ClassVar[bool] = True

    def finish(self, merged: Table) -> Table:
        table = self.groups.finish(merged)
        table = table.filter(*(Value.of_field(table, field).exists() for field in self.fields))
        partition = [column.name for field in self.by for column in table.find_columns(field)]
        total = COUNTED.sum().over(partition) if partition else COUNTED.sum()
        table = table.with_frame(table.frame.with_columns(total.alias(TOTAL)))
        ordered = self.groups.sort(self._cut(table, partition), self._list_keys())
        place = pl.int_range(pl.len())
        kept = ordered.filter((place.over(partition) if partition else place) < self.limit)
        percent = (100 * COUNTED / pl.col(TOTAL)).round(DIGITS)
        shown = kept.with_field(PERCENT, {Kind.FLOAT: percent})
        return shown.with_frame(drop_columns(shown.frame, [TOTAL]))

    def _cut(self, table: Table, partition: list[str]) -> Table:
        """Return the table without rows that are certainly beyond the limit, so that fewer must be sorted."""
        if table.height <= self.limit:
            return table
        if partition:
            rank = COUNTED.rank("min", descending=self.descending).over(partition)
            return table.filter(rank <= self.limit)
        counts = table.frame[COUNT_COLUMN]
        if self.descending:
            return table.filter(pl.col(COUNT_COLUMN) >= counts.top_k(self.limit).min())
        return table.filter(pl.col(COUNT_COLUMN) <= counts.bottom_k(self.limit).max())

    def _list_keys(self) -> list[ast.SortKey]:
        return [
            *(ast.SortKey(field) for field in self.by),
            ast.SortKey(COUNT, descending=self.descending),
            *(ast.SortKey(field) for field in self.fields),
        ]


def make_top(pipe: ast.Top, conditions: Conditions) -> Top:
    return Top(make_counts((*pipe.by, *pipe.fields), conditions), pipe.fields, pipe.by, pipe.limit)


def make_counts(fields: tuple[str, ...], conditions: Conditions) -> Groups:
    """Return groups that are only counted."""
    keys = tuple(ast.Key(field) for field in fields)
    return Groups(keys, (ast.Aggregate("count", name=COUNT),), conditions)

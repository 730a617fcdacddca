"""`chart`: one row per value of a field, one column per value of another."""

import polars as pl

from logboom.engine.grouping.groups import Groups
from logboom.engine.grouping.pivot import spread
from logboom.engine.pipes.groups.grouping import Grouping
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import internal
from logboom.engine.rows.ordering import sort_table
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

ALL = internal("all")
"""The only row if no event has the field of the rows."""


class Chart(Grouping, frozen=True):
    """Rows are sorted by their values; those without one form a row of their own."""

    pipe: ast.Chart

    def finish(self, merged: Table) -> Table:
        over = Groups((self.pipe.over,), self.pipe.aggregates, self.groups.conditions)
        keys = over.list_keys(merged.frame) or [ALL]
        frame = merged.frame.with_columns(pl.lit(0).alias(ALL))
        rows = frame.select(keys).unique()
        table = sort_table(
            Table(rows, (self.pipe.over.field,)), [ast.SortKey(self.pipe.over.field)]
        )
        chart = spread(self.groups, frame, table, keys, self.pipe)
        return chart.with_frame(drop_columns(chart.frame, [ALL]))


def make_chart(pipe: ast.Chart, conditions: Conditions) -> Chart:
    return Chart(Groups((pipe.over, pipe.by), pipe.aggregates, conditions), pipe)

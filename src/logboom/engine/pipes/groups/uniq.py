"""`uniq`: each combination of values once, with its count."""

import polars as pl

from logboom.engine.pipes.groups.stats import Stats
from logboom.engine.pipes.groups.top import make_counts
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


class Uniq(Stats, frozen=True):
    """Rows that have none of the fields do not count. The most frequent combinations come first."""

    def finish(self, merged: Table) -> Table:
        table = super().finish(merged)
        values = [Value.of_field(table, key.field).exists() for key in self.groups.keys]
        return table.filter(pl.any_horizontal(values))


def make_uniq(pipe: ast.Uniq, conditions: Conditions) -> Uniq:
    return Uniq(make_counts(pipe.fields, conditions))

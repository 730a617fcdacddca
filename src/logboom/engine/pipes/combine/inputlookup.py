"""`inputlookup`: the rows of a stored table."""

import polars as pl

from logboom.engine.pipes.combine.lookup import find_table
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.shown import forget_events
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name


class InputLookup(WholePipe, frozen=True):
    """Returns the table's rows instead of the existing ones, or after them."""

    stored: pl.DataFrame
    appends: bool

    def needs(self) -> Needs:
        return EVERYTHING if self.appends else Needs()

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame) if self.appends else 0

    def apply(self, table: Table, _finder: Finder) -> Table:
        columns = {name: Column(fold_name(name), Kind.STR).name for name in self.stored.columns}
        rows = Table(self.stored.rename(columns), tuple(self.stored.columns))
        return concat_tables([forget_events(table), rows]) if self.appends else rows


def make_inputlookup(pipe: ast.InputLookup, conditions: Conditions) -> InputLookup:
    return InputLookup(find_table("inputlookup", pipe.table, conditions), pipe.appends)

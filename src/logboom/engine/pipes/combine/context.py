"""`context`: adds to events those just before and after each of them."""

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.ordering import sort_descending
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import NEWEST_FIRST, OwnFields, Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast


class Context(WholePipe, frozen=True):
    """Neighbours are in the same environment and index, possibly outside the searched time range."""

    wanted: ast.Context
    keeps_events = True

    def needs(self) -> Needs:
        return need(*self.wanted.same)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure(table.frame)

    def apply(self, table: Table, finder: Finder) -> Table:
        if not table.has_events:
            raise Invalid("context needs events, but the pipe before it returns a table")
        around = finder.around(table, self.wanted)
        both = concat_tables([table, around.with_frame(show_as(around.frame, table))])
        return both.with_frame(sort_descending(both.frame, NEWEST_FIRST))


def show_as(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the columns of added events that the table has too, and their fields that it would show."""
    own = table.own or OwnFields()
    fields = {column.name for column in Table(frame).list_columns() if own.shows(column.field)}
    return frame.select(sorted(fields.union(table.frame.columns).intersection(frame.columns)))


def make_context(pipe: ast.Context, _conditions: Conditions) -> Context:
    return Context(pipe)

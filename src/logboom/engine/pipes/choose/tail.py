"""`tail`: the last rows; for unsorted events these are the oldest."""

from collections.abc import Sequence

from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import sort_table
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast


class Tail(MergePipe, frozen=True):
    """Keeps the order of rows."""

    count: int
    keeps_events = True

    def needs(self) -> Needs:
        return Needs()

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def compute(self, table: Table) -> Table:
        table = sort_table(table, ())
        return table.with_frame(table.frame.tail(self.count))

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.compute(concat_tables(tables))

    def finish(self, merged: Table) -> Table:
        return merged


def make_tail(pipe: ast.Tail, _conditions: Conditions) -> Tail:
    return Tail(pipe.count)

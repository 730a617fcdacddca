"""`sort`: rows in the order of their values; with a limit, the first ones only."""

from collections.abc import Sequence

from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import sort_table
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast


class Sort(MergePipe, frozen=True):
    """Rows with equal values keep their order."""

    keys: tuple[ast.SortKey, ...]
    limit: int | None = None
    keeps_events = True

    def needs(self) -> Needs:
        return need(*(key.field for key in self.keys))

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def compute(self, table: Table) -> Table:
        return table if self.limit is None else self.finish(table)

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.compute(concat_tables(tables))

    def finish(self, merged: Table) -> Table:
        return sort_table(merged, self.keys, self.limit)


def make_sort(pipe: ast.Sort, _conditions: Conditions) -> Sort:
    return Sort(pipe.keys, pipe.limit)

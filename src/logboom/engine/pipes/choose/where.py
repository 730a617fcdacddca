"""`where`: only the rows that a filter matches, or for which an expression is true."""

from logboom.engine.filters import build_filter
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need_node
from logboom.lang import ast


class Where(RowPipe, frozen=True):
    pipe: ast.Where
    conditions: Conditions

    def needs(self) -> Needs:
        return need_node(self.pipe.filter)

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def apply(self, table: Table) -> Table:
        return table.filter(build_filter(self.pipe.filter, table, self.conditions))


def make_where(pipe: ast.Where, conditions: Conditions) -> Where:
    return Where(pipe, conditions)

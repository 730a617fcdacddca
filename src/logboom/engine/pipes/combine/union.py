"""`union`: the rows of another query beside those of this one."""

from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.ordering import sort_table
from logboom.engine.rows.shown import forget_events
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs
from logboom.lang import ast


class Union(WholePipe, frozen=True):
    """Events of both are events again, newest first; otherwise the other's rows come after this one's."""

    query: ast.Query
    keeps_events = True

    def needs(self) -> Needs:
        return EVERYTHING

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def apply(self, table: Table, finder: Finder) -> Table:
        other = finder.table(self.query)
        reserve(2 * measure(other.frame) + measure(table.frame))
        if table.has_events and table.own == other.own:
            return sort_table(concat_tables([table, other]), ())
        return concat_tables([forget_events(table), forget_events(other)])


def make_union(pipe: ast.Union, _conditions: Conditions) -> Union:
    return Union(pipe.query)

"""`offset`: all rows but the first ones."""

from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast


class Offset(WholePipe, frozen=True):
    """Keeps the order of rows."""

    count: int
    keeps_events = True

    def needs(self) -> Needs:
        return Needs()

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def apply(self, table: Table, _finder: Finder) -> Table:
        return table.with_frame(table.frame.slice(self.count))


def make_offset(pipe: ast.Offset, _conditions: Conditions) -> Offset:
    return Offset(pipe.count)

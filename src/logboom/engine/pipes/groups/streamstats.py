"""`streamstats`: adds to each row the aggregates of the rows up to it, or of the last ones."""

from logboom.engine.grouping.groups import Groups
from logboom.engine.grouping.running import Running
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast


class StreamStats(WholePipe, frozen=True):
    """Rows count in their current order, events from the newest; each group separately."""

    groups: Groups
    window: int | None
    current: bool = True
    keeps_events = True

    def needs(self) -> Needs:
        return self.groups.needs()

    def bound_memory(self, table: Table) -> int:
        return self.groups.bound_memory(table)

    def apply(self, table: Table, finder: Finder) -> Table:  # noqa: ARG002
        if not table.height:
            return table
        results = Running.of(self.groups, Table(table.frame)).total(
            self.window, current=self.current
        )
        return self.groups.add_results(table, results)


def make_streamstats(pipe: ast.StreamStats, conditions: Conditions) -> StreamStats:
    return StreamStats(Groups(pipe.keys, pipe.aggregates, conditions), pipe.window, pipe.current)

"""Every row in order, for pipes that need all at once."""

from collections.abc import Sequence

from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import sort_descending
from logboom.engine.rows.table import NEWEST_FIRST, Table, concat_tables
from logboom.engine.terms.needs import Needs


class Collect(MergePipe, frozen=True):
    """The caller counts the collected rows."""

    keyword = "gathering events"
    keeps_events = True

    def needs(self) -> Needs:
        return Needs()

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def compute(self, table: Table) -> Table:
        return table

    def merge(self, tables: Sequence[Table]) -> Table:
        return concat_tables(tables)

    def finish(self, merged: Table) -> Table:
        if not merged.has_events:
            return merged
        return merged.with_frame(sort_descending(merged.frame, NEWEST_FIRST))

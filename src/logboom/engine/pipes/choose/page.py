"""The newest events: what a query without a reducing pipe returns, page by page; and `limit`."""

from collections.abc import Sequence

import polars as pl

from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import sort_descending
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import NEWEST_FIRST, TIME, Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.engine.terms.request import EventKey
from logboom.lang import ast
from logboom.store.block.info import BlockInfo


class Page(MergePipe, frozen=True):
    """The first `limit` rows; for events those after a key in the order of answers."""

    limit: int
    after: EventKey | None = None
    spare: int = 0
    """How many rows after these are kept as well, as far as they are found without looking further."""
    keyword = "limit"
    keeps_events = True
    settles = True

    def needs(self) -> Needs:
        return Needs()

    @property
    def kept(self) -> int:
        """How many rows are kept at most."""
        return self.limit + self.spare

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame) * min(self.kept, table.height) // max(table.height, 1)

    def compute(self, table: Table) -> Table:
        """Choose the rows to keep; events keep their order if all of them are kept."""
        if self.after:
            table = table.filter(is_after(self.after))
        if table.has_events and table.height <= self.kept:
            return table
        return self._choose(table)

    def _choose(self, table: Table) -> Table:
        return self._take(table) if table.has_events else self._cut(table)

    def _take(self, table: Table) -> Table:
        """Take the first rows, sorting as few as possible: most blocks are in order of time."""
        frame, order = table.frame, table.order
        if frame.height > self.kept and self.kept:
            edge = frame[order[0]].top_k(self.kept).min()
            frame = frame.filter(pl.col(order[0]) >= edge)
        return table.with_frame(sort_descending(frame, order).head(self.kept))

    def _cut(self, table: Table) -> Table:
        return table.with_frame(table.frame.head(self.kept))

    def merge(self, tables: Sequence[Table]) -> Table:
        return self._choose(concat_tables(tables))

    def may_be_settled(self, rows: int) -> bool:
        return rows >= self.limit

    def is_settled(self, merged: Table, following: BlockInfo) -> bool:
        if merged.height < self.limit:
            return False
        return not self.limit or following.last_ns < merged.frame[TIME.name][self.limit - 1]

    def finish(self, merged: Table) -> Table:
        return merged


def make_limit(pipe: ast.Limit, _conditions: Conditions) -> Page:
    return Page(pipe.count)


def is_after(key: EventKey) -> pl.Expr:
    """Return the test for rows that come later in the order of answers, that is, earlier in time."""
    time, node, seq = map(pl.col, NEWEST_FIRST)
    same_time = (node < key.node) | ((node == key.node) & (seq < key.seq))
    return (time < key.time_ns) | ((time == key.time_ns) & same_time)

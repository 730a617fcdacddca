"""Collects partial results and merges them into one."""

from msgspec import field

from logboom.base.structs import MutableStruct
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.memory import Memory
from logboom.engine.rows.table import Table

MERGE_ROWS = 100_000
"""The number of rows that are collected before they are merged, unless the merged ones are more."""


class Gathered(MutableStruct):
    """Collected partial results; they are merged once they outgrow what was merged before.

    It must be closed, which releases the memory it has reserved.
    """

    reducer: MergePipe
    memory: Memory
    tables: list[Table] = field(default_factory=list)
    rows: int = 0
    merged_rows: int = 0
    held_bytes: int = 0
    is_merged: bool = False

    def add(self, table: Table) -> None:
        """Raise OverBudget if there is no room for it, even after merging what came before."""
        size_bytes = self.reducer.bound_merging(table)
        if not self.memory.try_take(size_bytes):
            if self.tables:
                self.merge()
            self.memory.take(size_bytes, self.reducer.keyword)
        self.held_bytes += size_bytes
        self.tables.append(table)
        self.is_merged = False
        self.rows += table.height
        if self.rows - self.merged_rows > max(MERGE_ROWS, self.merged_rows):
            self.merge()

    def merge(self) -> Table:
        if not self.is_merged:
            self.tables = [self.reducer.merge(self.tables)]
            self.is_merged = True
        merged = self.tables[0]
        self.rows = self.merged_rows = merged.height
        self._shrink(self.reducer.bound_merging(merged))
        return merged

    def close(self) -> None:
        self._shrink(0)

    def _shrink(self, size_bytes: int) -> None:
        if size_bytes != self.held_bytes:
            self.memory.give(self.held_bytes - size_bytes)
            self.held_bytes = size_bytes

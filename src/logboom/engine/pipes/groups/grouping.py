"""The common base of pipes that group rows."""

from collections import Counter
from collections.abc import Callable, Sequence

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.grouping.groups import Groups
from logboom.engine.grouping.tally import Tally
from logboom.engine.pipes.groups.counted import (
    can_count,
    count_by_index,
    count_selected,
    find_listed,
    list_by_index,
)
from logboom.engine.pipes.kinds import ByIndex, MergePipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.needs import Needs

ORDERED_COPIES = 3
"""How often texts that groups are sorted by are copied, beside their rows: folded, and as parts of one sort key."""


class Grouping(MergePipe, frozen=True):
    """Everything but the last step, in which such pipes differ."""

    groups: Groups

    @property
    def needs_identity(self) -> bool:
        return self.groups.is_ordered

    def needs(self) -> Needs:
        return self.groups.needs()

    def bound_memory(self, table: Table) -> int:
        return self.groups.bound_memory(table)

    def compute(self, table: Table) -> Table:
        return self.groups.compute(table)

    @property
    def reads_indexes(self) -> bool:
        return can_count(self.groups) or find_listed(self.groups) is not None

    def compute_by_index(self, whole: BlockGroup) -> ByIndex:
        listed = find_listed(self.groups)
        if listed is not None:
            return list_by_index(self.groups, listed, whole)
        return count_by_index(self.groups, whole)

    @property
    def count_rows(self) -> Callable[[int], Table] | None:
        counts = self.groups.only_counts and not self.groups.keys
        return self.groups.count_rows if counts else None

    @property
    def counts_selected(self) -> bool:
        return self.groups.time_span is not None or bool(self.groups.plain_keys)

    def count_selected(self, block: Block, selection: pl.Series | None) -> Table | None:
        return count_selected(self.groups, block, selection)

    def make_tally(self, most_bytes: int) -> Tally | None:
        return Tally(self.groups, most_bytes) if self.counts_selected else None

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.groups.merge(tables)

    def bound_merging(self, table: Table) -> int:
        return super().bound_merging(table) + ORDERED_COPIES * self.groups.measure_texts(table)

    def read_remarks(self, merged: Table) -> Counter[tuple[str, str]]:
        return self.groups.read_remarks(merged)

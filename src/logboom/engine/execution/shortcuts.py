"""Shortcuts: what indexes of blocks and cached columns tell, without reading a block or starting a thread.

A block that turns out to be damaged is left to be read, which reports it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from msgspec import field

from logboom.base.errors import Corrupt
from logboom.base.structs import MutableStruct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Partial, PartialCache, Work
from logboom.engine.filters.known import KnownMatches
from logboom.engine.filters.remarks import Remark
from logboom.engine.pipes.kinds import Tally
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Budget
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

TALLY_SHARE = 16
"""Rows that are counted at once take at most 1/16 of the memory: grouping them takes several times as much."""

P = ParamSpec("P")
T = TypeVar("T")


class Shortcuts(MutableStruct):
    """Answers as much of a plan as possible; `matched` and `remarks` are about the rows that were answered."""

    mapper: Mapper
    partials: PartialCache
    budget: Budget
    matched: int = 0
    remarks: Counter[Remark] = field(default_factory=Counter)
    empty: int = 0
    """Blocks without a matching row."""
    is_costly: bool = True
    """Whether the result is worth caching."""

    def count_all(self, blocks: Sequence[BlockInfo]) -> Partial | None:
        """Return the number of rows of all blocks, or None if one of them cannot be counted."""
        if not all(map(self._count, blocks)):
            return None
        return Partial(None, self.matched, 0, self.remarks, empty=self.empty)

    def reduce(self, work: list[Work]) -> tuple[list[Table], list[Work]]:
        """Return partial results, and the remaining work."""
        plan = self.mapper.plan
        if plan.count_rows:
            return [], [each for each in work if each.is_cut or not self._count(each.info)]
        by_index, work = self._read_indexes(work) if plan.reducer.reads_indexes else (None, work)
        most_bytes = self.budget.memory.limit_bytes // TALLY_SHARE
        tally = None if plan.row_pipes else plan.reducer.make_tally(most_bytes)
        tallied, work = self._count_by(tally, work) if tally else (None, work)
        self.is_costly = bool(work) or (tally is not None and tally.is_costly)
        return [table for table in (by_index, tallied) if table], work

    def _count(self, info: BlockInfo) -> bool:
        known = attempt(self._recall_count, info)
        if known is None:
            return False
        self.matched += known.rows
        self.empty += not known.rows
        if known.remarks:
            self.remarks += known.remarks
        return True

    def _recall_count(self, info: BlockInfo) -> KnownMatches | None:
        """Return how many rows of a block match, if its index or a cache tells."""
        if isinstance(self.mapper.plan.filter, ast.Everything):
            return self.mapper.count(info)
        key = self.mapper.name_whole(info)
        if key is None:
            return self.mapper.count(info)
        partial = self.partials.find(key)
        if partial is not None:
            return KnownMatches(partial.matched, partial.remarks)
        known = self.mapper.count(info)
        if known is not None:
            self.partials.keep(key, Partial(None, known.rows, 0, known.remarks))
        return known

    def _read_indexes(self, work: list[Work]) -> tuple[Table | None, list[Work]]:
        """Return the partial result of blocks whose indexes are sufficient, and the remaining work."""
        whole = [
            block
            for each in work
            if each.stretch is None and (block := attempt(self._open_whole, each.info))
        ]
        table, left = self.mapper.plan.reducer.compute_by_index(BlockGroup(tuple(whole)))
        if table is None:
            return None, work
        done = {block.info.path for block in whole} - {block.info.path for block in left}
        self.matched += sum(each.info.rows for each in work if each.info.path in done)
        return table, [each for each in work if each.info.path not in done]

    def _open_whole(self, info: BlockInfo) -> Block | None:
        block = self.mapper.reader.open(info)
        return block if self.mapper.is_whole(block) else None

    def _count_by(self, tally: Tally, work: list[Work]) -> tuple[Table | None, list[Work]]:
        """Return the partial result of blocks whose rows are counted by cached columns, and the remaining work."""
        left = []
        for each in work:
            is_left = each.is_cut or self.budget.check_time()
            matched = None if is_left else attempt(self.mapper.tally, each.info, tally)
            if matched is None:
                left.append(each)
            else:
                self.matched += matched
        return tally.make_table(), left


def attempt(look: Callable[P, T | None], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return the result, or None for a damaged block."""
    try:
        return look(*args, **kwargs)
    except Corrupt:
        return None

"""Answers a plan for all blocks at once, if their indexes and the cache tell the result."""

from collections.abc import Sequence

from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Partial, PartialCache
from logboom.engine.execution.shortcuts import Shortcuts, attempt
from logboom.engine.terms.limits import Budget
from logboom.lang import ast
from logboom.store.block.info import BlockInfo


def reduce_at_once(
    mapper: Mapper, partials: PartialCache, budget: Budget, blocks: Sequence[BlockInfo]
) -> Partial | None:
    """Return the result of all blocks, or None if some must be read; no table if their rows are only counted."""
    if not blocks or mapper.reader.is_remote:
        return None
    if mapper.plan.count_rows:
        return count_at_once(mapper, partials, budget, blocks)
    is_unfiltered = isinstance(mapper.plan.filter, ast.Everything) and not mapper.plan.row_pipes
    if not is_unfiltered or not mapper.plan.reducer.reads_indexes:
        return None
    whole = open_whole(mapper, blocks)
    return read_indexes(mapper, whole) if whole else None


def open_whole(mapper: Mapper, blocks: Sequence[BlockInfo]) -> BlockGroup | None:
    """Return the blocks, if every row of them is in scope."""
    together = attempt(mapper.reader.open_group, blocks)
    return together if together and mapper.scope.covers(together) else None


def count_at_once(
    mapper: Mapper, partials: PartialCache, budget: Budget, blocks: Sequence[BlockInfo]
) -> Partial | None:
    whole = open_whole(mapper, blocks)
    key = ("result", mapper.plan.text, whole.name) if whole and mapper.plan.text else None
    known = partials.find(key) if key else None
    if known is not None:
        return known
    counted = Shortcuts(mapper, partials, budget).count_all(blocks)
    if key and counted:
        partials.keep(key, counted)
    return counted


def read_indexes(mapper: Mapper, whole: BlockGroup) -> Partial | None:
    table, left = mapper.plan.reducer.compute_by_index(whole)
    return None if table is None or left else Partial(table, whole.rows, 0)

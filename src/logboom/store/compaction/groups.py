"""Which blocks to merge into one: as many as make a good block, and none that would spoil it for the others."""

from collections.abc import Iterable

from logboom.model.columns import MAX_FIELDS_PER_BLOCK
from logboom.store.compaction.rows import Source

MAX_ROWS = 1_000_000
MAX_CELLS = 80_000_000
"""Rows times columns: a query that reads every column of a block needs memory for them."""


def take_group(sources: Iterable[Source]) -> tuple[list[Source], list[Source]]:
    """The blocks that make the next one, and the others; oldest first, and never none."""
    first, *others = sorted(sources, key=lambda source: source.info.first_ns)
    group, left = [first], []
    names = set(first.index.columns)
    max_columns = max(MAX_FIELDS_PER_BLOCK, len(names))
    rows = first.info.rows
    for source in others:
        united = names | source.index.columns.keys()
        rows_with = rows + source.info.rows
        fits = rows_with <= MAX_ROWS and len(united) <= max_columns
        if fits and rows_with * len(united) <= MAX_CELLS and is_odd(source) == is_odd(first):
            group.append(source)
            names, rows = united, rows_with
        else:
            left.append(source)
    return group, left


def is_odd(source: Source) -> bool:
    """Whether some values have no column of their own, so that no index of the block can be trusted for them."""
    return source.index.overflow_rows > 0 or bool(source.index.doubled)

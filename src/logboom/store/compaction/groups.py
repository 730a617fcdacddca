"""Which blocks to merge into one: as many as make a good block, and none that would make it worse."""

from collections.abc import Iterable

from logboom.base.structs import MutableStruct
from logboom.model.columns import Column, parse_column
from logboom.store.compaction.rows import MergeInput
from logboom.store.options import MAX_FIELDS_PER_BLOCK

MAX_ROWS = 1_000_000
MAX_CELLS = 80_000_000
"""Rows times columns: a query that reads every column of a block needs memory for them."""


MAX_MISFITS = 100
"""Blocks that are tried without success before a group is closed."""


def take_group(sources: Iterable[MergeInput]) -> tuple[list[MergeInput], list[MergeInput]]:
    """Return the blocks for the next merged block, and the others; oldest first, at least one."""
    first, *others = sorted(sources, key=lambda source: source.info.first_ns)
    group = Group([first], set(map(parse_column, first.names)), first.info.rows)
    left: list[MergeInput] = []
    for place, source in enumerate(others):
        if len(left) == MAX_MISFITS:
            return group.sources, [*left, *others[place:]]
        if not group.add(source):
            left.append(source)
    return group.sources, left


class Group(MutableStruct):
    """Blocks that will become one."""

    sources: list[MergeInput]
    columns: set[Column]
    rows: int
    _max_columns: int = 0

    def __post_init__(self) -> None:
        self._max_columns = max(MAX_FIELDS_PER_BLOCK, len(self.columns))

    def add(self, source: MergeInput) -> bool:
        """Return whether there was room for another one."""
        columns = self.columns.union(map(parse_column, source.names))
        rows = self.rows + source.info.rows
        is_small = rows <= MAX_ROWS and rows * len(columns) <= MAX_CELLS
        if not is_small or len(columns) > self._max_columns:
            return False
        if source.is_odd != self.sources[0].is_odd:
            return False
        self.sources.append(source)
        self.columns, self.rows = columns, rows
        return True

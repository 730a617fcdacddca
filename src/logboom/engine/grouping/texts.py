"""Texts of one field from columns in memory, so that those of all blocks are compared at once."""

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.codes import find_text_column
from logboom.engine.rows.size import measure_series


class Texts:
    """Collects the texts of selected rows, up to a size."""

    def __init__(self, field: str, most_bytes: int) -> None:
        self._field = field
        self._left_bytes = most_bytes
        self._found: list[pl.Series] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, block: Block, selection: pl.Series | None) -> bool:
        """Count the texts of a block; return False if they would have to be read or take too much memory."""
        column = find_text_column(block, self._field)
        name = column and block.locate(column)
        texts = block.find([name]).get(name) if name else None
        if column is None or texts is None:
            return False
        chosen = texts if selection is None else texts.filter(selection)
        size_bytes = measure_series(chosen)
        if size_bytes > self._left_bytes:
            return False
        self._left_bytes -= size_bytes
        self._found.append(chosen.alias(column.name))
        return True

    def join(self) -> pl.Series:
        """Return all texts, with nulls for rows without one."""
        return pl.concat(self._found)

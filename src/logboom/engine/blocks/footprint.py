"""Estimates the memory of a block's columns before they are decoded, and splits large blocks."""

from collections.abc import Collection, Iterator

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.columns import Stretch
from logboom.engine.blocks.overflow import OVERFLOW
from logboom.engine.rows.size import VIEW_BYTES
from logboom.model.columns import Kind, parse_column
from logboom.store.block.parquet import ROW_GROUP_ROWS
from logboom.store.flush.bulk import PIECE_BYTES

WIDTHS = {Kind.INT: 9, Kind.FLOAT: 9, Kind.TIME: 9, Kind.BOOL: 1}
CORE_WIDTHS = {"_time": 8, "_seq": 8, "_node": 24, "_index": 40, "_shape": VIEW_BYTES}
MOST_COMPRESSED = 64
"""Decoded texts are hardly ever larger than this multiple of their block's file."""
DECODED_OVERFLOW = 8
"""How much larger values without a column are once they are decoded."""


def bound_columns(block: Block, names: Collection[str]) -> int:
    """Return an upper bound of the memory of these columns, from the index alone."""
    known = [find_row_bytes(block, name) for name in names]
    unknown = known.count(None)
    size_bytes = sum(each for each in known if each is not None) * block.rows
    if unknown:
        size_bytes += bound_texts(block) + VIEW_BYTES * block.rows * unknown
    return int(size_bytes)


def measure_columns(block: Block, names: Collection[str]) -> int:
    """Return the memory of these columns; a sample of rows is read if nothing else tells it."""
    unknown = [name for name in names if find_row_bytes(block, name) is None]
    if unknown:
        sample = block.read_slice(unknown, 0, ROW_GROUP_ROWS - 1)
        block.cache.note_sizes(block.info.path, sample.select(unknown))
    return bound_columns(block, names)


def find_row_bytes(block: Block, name: str) -> float | None:
    """Return the memory of a row of a column, or None for texts and lists that were never read."""
    if name in CORE_WIDTHS:
        return CORE_WIDTHS[name]
    if name == OVERFLOW:
        known = block.cache.find_row_bytes(block.info.path, name)
        return None if known is None else DECODED_OVERFLOW * known
    kind = parse_column(name).kind
    if kind in WIDTHS:
        return WIDTHS[kind]
    counted = block.index.columns[name].values if name in block.index.columns else None
    if counted is not None and kind is Kind.STR:
        texts = sum(len(str(value)) * count for value, count in counted)
        return VIEW_BYTES + texts / max(block.index.rows, 1)
    return block.cache.find_row_bytes(block.info.path, name)


def bound_texts(block: Block) -> int:
    """Return an upper bound of the memory of all texts and lists of a block; unmerged blocks are small."""
    whole = block.index.memory_bytes or min(PIECE_BYTES, MOST_COMPRESSED * block.info.size_bytes)
    size_bytes = whole * block.rows // max(block.index.rows, 1)
    return DECODED_OVERFLOW * size_bytes if block.has_overflow else size_bytes


def cut_stretches(block: Block, size_bytes: int, most_bytes: int) -> Iterator[Stretch]:
    """Yield the block's rows in ranges of at most this size, aligned to row groups where those are smaller."""
    rows = max(most_bytes * block.index.rows // max(size_bytes, 1), 1)
    if rows > ROW_GROUP_ROWS:
        rows -= rows % ROW_GROUP_ROWS
    for first in range(0, block.index.rows, rows):
        yield first, min(rows, block.index.rows - first)

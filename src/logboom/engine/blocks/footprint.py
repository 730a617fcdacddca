"""Estimates the memory of a block's columns before they are decoded, and splits large blocks.

An index tells the memory of all columns of a range of rows together, which bounds that of some of them.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.kept import Stretch
from logboom.engine.blocks.overflow import OVERFLOW
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import VIEW_BYTES
from logboom.model.columns import Kind, parse_column
from logboom.store.block.index import BlockIndex
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


def measure_columns(block: Block, names: Collection[str], most_bytes: int) -> int:
    """Return about how much memory these columns take; if nothing else tells, by a sample of at most this size."""
    unknown = [name for name in names if find_row_bytes(block, name) is None]
    if unknown:
        sampled = next(cut_large(block, (0, min(block.rows, ROW_GROUP_ROWS)), most_bytes))
        reserve(bound_rows(block, sampled))
        sample = block.read_slice(unknown, sampled[0], sum(sampled) - 1)
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
    """Return an upper bound of the memory of all texts and lists of a block."""
    return bound_rows(block, (block.first_row, block.rows))


def bound_rows(block: Block, stretch: Stretch) -> int:
    """Return an upper bound of the memory of all texts and lists of a range of rows."""
    size_bytes = measure_rows(block, range(stretch[0], sum(stretch)))
    return DECODED_OVERFLOW * size_bytes if block.has_overflow else size_bytes


def measure_rows(block: Block, rows: Sequence[int]) -> int:
    """Return the memory of some rows with all columns, in order, as if all rows of a zone were of the same size."""
    size_bytes = first = place = 0
    for part in block.index.zones or [block.index]:
        first += part.rows
        before, place = place, bisect_left(rows, first, place)
        size_bytes += measure_part(block, part) * (place - before) // max(part.rows, 1)
    return size_bytes


def measure_part(block: Block, part: BlockIndex) -> int:
    """Return the memory of a zone, or of a block without zones; earlier releases did not note it of small blocks."""
    return part.memory_bytes or min(PIECE_BYTES, MOST_COMPRESSED * block.info.size_bytes)


def cut_stretches(
    block: Block, size_bytes: int, most_bytes: int, bound_bytes: int
) -> Iterator[Stretch]:
    """Yield the block's rows in ranges of about `most_bytes`, if `size_bytes` is right about all of them.

    Ranges are aligned to row groups where those are smaller. Whatever is wrong, none takes more than `bound_bytes`.
    """
    rows = max(most_bytes * block.index.rows // max(size_bytes, 1), 1)
    if rows > ROW_GROUP_ROWS:
        rows -= rows % ROW_GROUP_ROWS
    for first in range(0, block.index.rows, rows):
        yield from cut_large(block, (first, min(rows, block.index.rows - first)), bound_bytes)


def cut_large(block: Block, stretch: Stretch, bound_bytes: int) -> Iterator[Stretch]:
    """Yield a range of rows in as many pieces as it takes for the texts of each to fit."""
    first, count = stretch
    if count == 1 or bound_rows(block, stretch) <= bound_bytes:
        yield stretch
        return
    half = count // 2
    yield from cut_large(block, (first, half), bound_bytes)
    yield from cut_large(block, (first + half, count - half), bound_bytes)

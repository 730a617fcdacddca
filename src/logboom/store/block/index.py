"""The index of a block: what decides, without opening the block, whether a query needs it."""

from functools import cached_property

import msgspec
import zstandard

from logboom.base.errors import Corrupt
from logboom.model.columns import Column, parse_column
from logboom.model.summary import ColumnSummary

FORMAT = 1


class IndexPart(msgspec.Struct, frozen=True, array_like=True):
    """The share of one index (in the user's sense) in a block."""

    events: int
    first_ns: int
    last_ns: int


class BlockIndex(msgspec.Struct, frozen=True, dict=True):
    """Rows, times, indexes and columns (by their names in the block) of one block."""

    rows: int
    first_ns: int
    last_ns: int
    indexes: dict[str, IndexPart]
    columns: dict[str, ColumnSummary]
    overflow_rows: int
    format: int = FORMAT

    @cached_property
    def columns_by_field(self) -> dict[str, list[Column]]:
        """The columns of every field, by its folded name."""
        found: dict[str, list[Column]] = {}
        for name in self.columns:
            column = parse_column(name)
            found.setdefault(column.field, []).append(column)
        return found


def encode_index(index: BlockIndex) -> bytes:
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    return compressor.compress(msgspec.msgpack.encode(index))


def decode_index(data: bytes, name: str) -> BlockIndex:
    try:
        index = msgspec.msgpack.decode(zstandard.decompress(data), type=BlockIndex)
    except (zstandard.ZstdError, msgspec.MsgspecError, MemoryError) as error:
        raise Corrupt(name, 0, f"not a block index: {error}") from error
    if index.format != FORMAT:
        raise Corrupt(name, 0, f"block index format {index.format}, expected {FORMAT}")
    return index

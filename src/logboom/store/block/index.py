"""The index of a block: what decides, without opening the block, whether a query needs it."""

from functools import cached_property

import msgspec

from logboom.base import zstd
from logboom.base.errors import Corrupt
from logboom.base.versions import FIRST, INDEX, Version, check_version
from logboom.model.columns import Column, parse_column
from logboom.model.names import expose_name
from logboom.model.summary import ColumnSummary

COMPRESSION: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
}


class IndexPart(msgspec.Struct, frozen=True, array_like=True):
    """The share of one index (in the user's sense) in a block."""

    events: int
    first_ns: int
    last_ns: int


class BlockIndex(msgspec.Struct, frozen=True, dict=True):
    """Rows, times, indexes and columns (by their names in the block) of one block.

    A block of many rows has *zones*: stretches of its rows, one after the other, each with an index of its own. What
    its columns hold is then filtered by the zones alone; the block itself knows counts, ranges and counted values.
    """

    rows: int
    first_ns: int
    last_ns: int
    indexes: dict[str, IndexPart]
    columns: dict[str, ColumnSummary]
    overflow_rows: int
    format: int = INDEX.major
    minor: int = INDEX.minor
    zones: "list[BlockIndex]" = []
    memory_bytes: int = 0
    """What the rows took in memory; 0 when nobody has looked."""

    @cached_property
    def stored_names(self) -> dict[Column, str]:
        """The name of every column; blocks of earlier releases may have another than `Column.name`."""
        return {parse_column(name): name for name in self.columns}

    @cached_property
    def names_by_field(self) -> dict[str, list[str]]:
        """The names of the columns of every field, by the folded name that it is searched by."""
        found: dict[str, list[str]] = {}
        for name in self.columns:
            found.setdefault(expose_name(parse_column(name).field), []).append(name)
        return found

    @cached_property
    def columns_by_field(self) -> dict[str, dict[Column, str]]:
        """The columns of every field as they are searched, with their names; doubled fields are left out."""
        return {
            field: {Column(field, parse_column(name).kind): name for name in names}
            for field, names in self.names_by_field.items()
            if field not in self.doubled
        }

    @cached_property
    def doubled(self) -> frozenset[str]:
        """Fields that events have under two names: one of the service's own, and the one to search it by."""
        return frozenset(
            field
            for field, names in self.names_by_field.items()
            if len({parse_column(name).field for name in names}) > 1
        )


def encode_index(index: BlockIndex) -> bytes:
    return zstd.compress(msgspec.msgpack.encode(index), options=COMPRESSION)


class IndexVersion(msgspec.Struct, frozen=True):
    """What every index has, whatever its version."""

    format: int = FIRST.major
    minor: int = FIRST.minor


def decode_index(data: bytes, name: str) -> BlockIndex:
    """TooNew when a newer build wrote it in a way that this one cannot read."""
    try:
        packed = zstd.decompress(data)
        try:
            index = msgspec.msgpack.decode(packed, type=BlockIndex)
        except msgspec.ValidationError:
            check_index_version(name, msgspec.msgpack.decode(packed, type=IndexVersion))
            raise
    except (zstd.ZstdError, msgspec.MsgspecError, MemoryError) as error:
        raise Corrupt(name, 0, f"not a block index: {error}") from error
    check_index_version(name, index)
    return index


def check_index_version(name: str, index: IndexVersion | BlockIndex) -> None:
    check_version(name, Version(index.format, index.minor), INDEX)

"""The index of a block: tells, without opening the block, whether a query needs it."""

from functools import cached_property

import msgspec

from logboom.base.versions import INDEX
from logboom.model.columns import Column, parse_column
from logboom.model.names import expose_name
from logboom.model.summary import ColumnSummary
from logboom.store.block.sections import SectionInfo


class IndexPart(msgspec.Struct, frozen=True, array_like=True):
    """The share of one index (in the user's sense) in a block."""

    events: int
    first_ns: int
    last_ns: int


class BlockFile(msgspec.Struct, frozen=True, array_like=True):
    """The Parquet file of a block: its size, that of its footer, and the checksums of its pages."""

    size_bytes: int
    footer_bytes: int
    checksums: bytes


class BlockIndex(msgspec.Struct, frozen=True, dict=True):
    """Rows, times, indexes and columns (by their names in the block) of one block.

    A block of many rows has *zones*: consecutive ranges of its rows, each with an index of its own. Only the zones then
    have filters; the block itself has counts, ranges and counted values.
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
    """The size of the rows in memory; 0 if unknown."""
    file: BlockFile | None = None
    """None in an index of version 1."""
    sections: list[SectionInfo] = []
    """Where the filters are that are stored after the header."""
    body_checksums: bytes = b""
    """The checksums of the pages after the header."""
    held: dict[str, bytes] = {}
    """The columns that each index has values in, if there are several; see `block.held`. A zone of others has none."""

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
        """The columns of every field with their names, by the name to search for; doubled fields are left out."""
        return {
            field: {Column(field, parse_column(name).kind): name for name in names}
            for field, names in self.names_by_field.items()
            if field not in self.doubled
        }

    @cached_property
    def doubled(self) -> frozenset[str]:
        """Fields that events have under two names: one reserved by the service, and the name to search for."""
        return frozenset(
            field
            for field, names in self.names_by_field.items()
            if len({parse_column(name).field for name in names}) > 1
        )

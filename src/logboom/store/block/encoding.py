"""The file of a block's index: a compressed header, followed by filters that are read on demand.

encode_index(index) -> bytes
decode_index(data, name, read_pages) -> BlockIndex    `data` may end anywhere behind the header
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgspec

from logboom.base import zstd
from logboom.base.errors import Corrupt
from logboom.base.pages import Pages, sum_pages
from logboom.base.versions import FIRST, INDEX, Version, check_version
from logboom.model.filters.bits import Bits
from logboom.model.filters.bloom import WholeBloom
from logboom.model.summary import ColumnSummary
from logboom.store.block.index import BlockIndex
from logboom.store.block.sections import Section, SectionInfo, StoredBits, pack_section

COMPRESSION: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
}
INLINE_BYTES = 32 * 1024
"""Filters with a total size below this are part of the header."""
PARTED = "bloom"
FILTERS = (PARTED, "trigrams", "long_words")

ReadPages = Callable[[Pages, int, int], bytes]
"""Reads the bytes between two positions; Corrupt if the pages are damaged."""
Place = tuple[int, int]
"""The number of a section, and the position of a filter in it."""


class ShortHeader(Corrupt):
    """The data ends before the header does. If there is no more of it, the file is damaged."""


class Slot(NamedTuple):
    """The place of a filter in an index."""

    zone: int
    column: str
    kind: str


def encode_index(index: BlockIndex) -> bytes:
    zones = index.zones or [index]
    filters = dict(list_filters(zones))
    if sum(map(len, filters.values())) < INLINE_BYTES:
        return compress(index)
    sections, places, body = pack_filters(filters)
    moved = [move_filters(zone, number, places) for number, zone in enumerate(zones)]
    header = msgspec.structs.replace(
        index if index.zones else moved[0],
        zones=moved if index.zones else [],
        sections=sections,
        body_checksums=sum_pages(body),
    )
    return compress(header) + body


def compress(index: BlockIndex) -> bytes:
    return zstd.compress(msgspec.msgpack.encode(index), options=COMPRESSION)


def list_filters(zones: Iterable[BlockIndex]) -> Iterator[tuple[Slot, bytes]]:
    """Yield every filter that is not empty."""
    for number, zone in enumerate(zones):
        for column, summary in zone.columns.items():
            for kind in FILTERS:
                bits: Bits | None = getattr(summary, kind)
                if bits:
                    yield Slot(number, column, kind), bits[:]


def pack_filters(
    filters: Mapping[Slot, bytes],
) -> tuple[list[SectionInfo], dict[Slot, Place], bytes]:
    """Return a section for each column and kind, the place of every filter, and the stored bytes."""
    slots: dict[tuple[str, str], list[Slot]] = {}
    for slot in filters:
        slots.setdefault((slot.column, slot.kind), []).append(slot)
    sections: list[SectionInfo] = []
    places: dict[Slot, Place] = {}
    body = bytearray()
    for (_, kind), chosen in slots.items():
        places |= {slot: (len(sections), place) for place, slot in enumerate(chosen)}
        info, data = pack_section(
            [filters[slot] for slot in chosen], len(body), is_parted=kind == PARTED
        )
        sections.append(info)
        body += data
    return sections, places, bytes(body)


def move_filters(zone: BlockIndex, number: int, places: Mapping[Slot, Place]) -> BlockIndex:
    """Return the index of a zone with its filters replaced by their places."""
    columns = {}
    for column, summary in zone.columns.items():
        moved = {
            kind: place
            for kind in FILTERS
            if (place := places.get(Slot(number, column, kind))) is not None
        }
        columns[column] = msgspec.structs.replace(summary, **moved) if moved else summary
    return msgspec.structs.replace(zone, columns=columns)


class IndexVersion(msgspec.Struct, frozen=True):
    """The part of an index that is the same in all versions."""

    format: int = FIRST.major
    minor: int = FIRST.minor


def read_nothing(pages: Pages, _start: int, _end: int) -> bytes:
    """Stands in for `read_pages` if no filter is needed."""
    raise Corrupt(pages.name, 0, "its filters are not read")


def decode_index(
    data: bytes, name: str, read_pages: ReadPages = read_nothing, *, is_local: bool = False
) -> BlockIndex:
    """Return the index in a file that begins with `data`; `read_pages` reads filters on demand.

    Raise TooNew if a newer build wrote it in a format that this one cannot read, ShortHeader if more data is needed.
    """
    sections: list[Section] = []

    def find_filter(_type: type, found: Any) -> Any:
        """Return a filter in the header or after it."""
        return found if isinstance(found, bytes) else StoredBits(sections, *found)

    try:
        header_bytes, packed = decompress_header(data, name)
        try:
            index = msgspec.msgpack.decode(packed, type=BlockIndex, dec_hook=find_filter)
        except msgspec.ValidationError:
            check_index_version(name, msgspec.msgpack.decode(packed, type=IndexVersion))
            raise
    except (zstd.ZstdError, msgspec.MsgspecError, MemoryError) as error:
        raise Corrupt(name, 0, f"not a block index: {error}") from error
    check_index_version(name, index)
    body_bytes = sum(info.stored_bytes for info in index.sections)
    pages = Pages(name, header_bytes, body_bytes, index.body_checksums)
    sections += [
        Section(info, partial(read_pages, pages), at_once=is_local) for info in index.sections
    ]
    return index if index.format > FIRST.major else mark_filters(index)


def decompress_header(data: bytes, name: str) -> tuple[int, bytes]:
    """Return the size of the header in a file that begins with `data`, and its contents."""
    decompressor = zstd.ZstdDecompressor()
    packed = decompressor.decompress(data)
    if not decompressor.eof:
        raise ShortHeader(name, len(data), "it ends too early")
    return len(data) - len(decompressor.unused_data), packed


def mark_filters(index: BlockIndex) -> BlockIndex:
    """Return an index of version 1, whose filters of values have a single part each."""
    return msgspec.structs.replace(
        index,
        columns={name: mark_filter(summary) for name, summary in index.columns.items()},
        zones=[mark_filters(zone) for zone in index.zones],
    )


def mark_filter(summary: ColumnSummary) -> ColumnSummary:
    if summary.bloom is None:
        return summary
    return msgspec.structs.replace(summary, bloom=WholeBloom(summary.bloom[:]))


def check_index_version(name: str, index: IndexVersion | BlockIndex) -> None:
    check_version(name, Version(index.format, index.minor), INDEX)

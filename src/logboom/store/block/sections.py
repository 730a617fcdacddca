"""Sections: the filters of a block's index, stored after its header so that they can be read one by one.

A section has the filters of one kind and one column, for all zones of a block. Most filters have a single part; the
section is then read as a whole, and compressed. Bloom filters of values have many parts: those that belong to the same
hashes are next to each other, so that the bits of a value in all zones are read at once.
"""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from logboom.base import zstd
from logboom.base.errors import Corrupt
from logboom.model.filters.bits import Bits
from logboom.model.filters.bloom import count_parts

COMPRESSION_LEVEL = 3
ReadBody = Callable[[int, int], bytes]
"""Reads the bytes of an index between two positions after its header; Corrupt if they are damaged."""
Part = tuple[int, int]
"""The position of a filter in its section, and the number of one of its parts."""


class SectionInfo(msgspec.Struct, frozen=True, array_like=True):
    """Where a section is, relative to the end of the header, and the sizes of its filters."""

    start: int
    stored_bytes: int
    sizes: list[int]
    is_parted: bool


class Section:
    """Reads filters when they are first needed. Thread-safe."""

    def __init__(self, info: SectionInfo, read_body: ReadBody, *, at_once: bool) -> None:
        """With `at_once` the first access reads the whole section, which is best if reading is cheap."""
        self.info = info
        self._read_body = read_body
        self._at_once = at_once or not info.is_parted
        self._lock = threading.Lock()
        self._parts: dict[Part, bytes] = {}

    def read(self, part: Part) -> bytes:
        """Return the bits of a part. A filter that cannot be read has all bits set, so that it excludes nothing."""
        if part not in self._parts:
            with self._lock:
                if part not in self._parts:
                    self._load(part)
        return self._parts[part]

    def _load(self, part: Part) -> None:
        """Read a part, and the parts of the other filters that belong to the same hashes."""
        first, last = self._find_run(part)
        chosen = self._order[first : last + 1]
        start, end = self._starts[first], self._starts[last + 1]
        try:
            data = self._read(start, end)
        except Corrupt:
            data = b"\xff" * (end - start)
        for each, at in zip(chosen, self._starts[first:], strict=False):
            at -= start
            self._parts[each] = data[at : at + self.measure(each)]

    def _read(self, start: int, end: int) -> bytes:
        """Return the bytes between two positions of the section, decompressed."""
        begin = self.info.start
        if self.info.is_parted:
            return self._read_body(begin + start, begin + end)
        stored = self._read_body(begin, begin + self.info.stored_bytes)
        return unpack(stored, end)

    def _find_run(self, part: Part) -> tuple[int, int]:
        """Return the positions, in storage order, of the first and last part for the same hashes."""
        if self._at_once:
            return 0, len(self._order) - 1
        place, number = part
        parts = count_parts(self.info.sizes[place])
        found = []
        for other, size_bytes in enumerate(self.info.sizes):
            others = count_parts(size_bytes)
            found.append(self._ranks[other, number * others // parts])
            found.append(self._ranks[other, ((number + 1) * others - 1) // parts])
        return min(found), max(found)

    def measure(self, part: Part) -> int:
        """Return the size of a part."""
        size_bytes = self.info.sizes[part[0]]
        return size_bytes // count_parts(size_bytes) if self.info.is_parted else size_bytes

    @cached_property
    def _order(self) -> list[Part]:
        return order_parts(self.info.sizes, is_parted=self.info.is_parted)

    @cached_property
    def _ranks(self) -> dict[Part, int]:
        return {part: rank for rank, part in enumerate(self._order)}

    @cached_property
    def _starts(self) -> list[int]:
        """The start of each part, and the end of the last one."""
        starts = [0]
        for part in self._order:
            starts.append(starts[-1] + self.measure(part))
        return starts


class StoredBits(Bits):
    """A filter in a section."""

    def __init__(self, sections: Sequence[Section], number: int, place: int) -> None:
        """The sections may be added later."""
        self._sections = sections
        self._number = number
        self._place = place

    def __len__(self) -> int:
        return self._size_bytes

    def __getitem__(self, part: slice, /) -> bytes:
        """Return the bits of whole parts of the filter."""
        start, end, _ = part.indices(self._size_bytes)
        first, last = start // self._part_bytes, -(-end // self._part_bytes)
        if last - first == 1:
            return self._section.read((self._place, first))
        return b"".join(self._section.read((self._place, number)) for number in range(first, last))

    @cached_property
    def _section(self) -> Section:
        return self._sections[self._number]

    @cached_property
    def _size_bytes(self) -> int:
        return self._section.info.sizes[self._place]

    @cached_property
    def _part_bytes(self) -> int:
        return self._section.measure((self._place, 0))


def order_parts(sizes: Sequence[int], *, is_parted: bool) -> list[Part]:
    """Return the parts of some filters in storage order: by the fraction of hashes that precede them."""
    if not is_parted:
        return [(place, 0) for place in range(len(sizes))]
    counts = [count_parts(size_bytes) for size_bytes in sizes]
    parts = [(place, part) for place, count in enumerate(counts) for part in range(count)]
    return sorted(parts, key=lambda each: (each[1] / counts[each[0]], each[0]))


def pack_section(
    filters: Sequence[bytes], start: int, *, is_parted: bool
) -> tuple[SectionInfo, bytes]:
    """Return the section of some filters that begins at `start`, and its stored bytes."""
    sizes = [len(each) for each in filters]
    if not is_parted:
        data = zstd.compress(b"".join(filters), level=COMPRESSION_LEVEL)
        return SectionInfo(start, len(data), sizes, is_parted), data
    pieces = []
    for place, part in order_parts(sizes, is_parted=True):
        part_bytes = sizes[place] // count_parts(sizes[place])
        pieces.append(filters[place][part * part_bytes : (part + 1) * part_bytes])
    data = b"".join(pieces)
    return SectionInfo(start, len(data), sizes, is_parted), data


def unpack(stored: bytes, size_bytes: int) -> bytes:
    """Decompress a section; raise Corrupt unless the bytes are those of a section of this size."""
    try:
        data = zstd.decompress(stored)
    except zstd.ZstdError as error:
        raise Corrupt("section", 0, f"it cannot be decompressed: {error}") from error
    if len(data) != size_bytes:
        raise Corrupt("section", 0, f"it has {len(data)} bytes, expected {size_bytes}")
    return data

"""Pages: equal pieces of a file, each with a checksum, so that parts of the file can be read and verified alone."""

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import google_crc32c

from logboom.base.errors import Corrupt

PAGE_BYTES = 16 * 1024
GAP_PAGES = 4
"""Gaps up to this size are read too, to save a request."""

Span = tuple[int, int]
"""Start and end (exclusive) of a range of bytes or pages."""


class Pages(NamedTuple):
    """The pages of an object from its byte `start` on; `checksums` has four bytes for each, the lowest first."""

    name: str
    start: int
    size_bytes: int
    checksums: bytes

    def is_whole(self, page: int, data: bytes | memoryview) -> bool:
        """Return whether `data` is the content of a page."""
        expected = int.from_bytes(self.checksums[4 * page : 4 * page + 4], "little")
        return len(data) == self.measure(page) and google_crc32c.value(bytes(data)) == expected

    def measure(self, page: int) -> int:
        """Return the size of a page: the last one may be shorter."""
        return min(PAGE_BYTES, self.size_bytes - page * PAGE_BYTES)

    def list_pages(self, spans: Iterable[Span]) -> list[int]:
        """Return the pages that overlap these spans, in order."""
        found: set[int] = set()
        for start, end in spans:
            found.update(range(start // PAGE_BYTES, -(-min(end, self.size_bytes) // PAGE_BYTES)))
        return sorted(found)


class PageSummer:
    """Computes the checksums of a file's pages while it is written."""

    def __init__(self) -> None:
        self._sums = array("I")
        self._rest = b""

    def add(self, data: bytes) -> None:
        data = self._rest + data
        whole = len(data) - len(data) % PAGE_BYTES
        self._sums.extend(sum_each(data[:whole]))
        self._rest = data[whole:]

    def finish(self) -> bytes:
        """Return the checksums of all pages, the last of which may be shorter."""
        return array("I", [*self._sums, *sum_each(self._rest)]).tobytes()


def sum_pages(data: bytes) -> bytes:
    """Return the checksums of the pages of `data`."""
    return array("I", sum_each(data)).tobytes()


def sum_each(data: bytes) -> Iterator[int]:
    for start in range(0, len(data), PAGE_BYTES):
        yield google_crc32c.value(data[start : start + PAGE_BYTES])


def join_pages(pages: Iterable[int]) -> list[Span]:
    """Return runs of pages, given in order; small gaps between them are included."""
    runs: list[Span] = []
    for page in pages:
        if runs and page - runs[-1][1] <= GAP_PAGES:
            runs[-1] = (runs[-1][0], page + 1)
        else:
            runs.append((page, page + 1))
    return runs


def check_pages(pages: Pages, first: int, last: int, data: bytes) -> None:
    """Raise Corrupt unless the data are these pages, undamaged."""
    view = memoryview(data)
    for page in range(first, last):
        at = (page - first) * PAGE_BYTES
        if not pages.is_whole(page, view[at : at + PAGE_BYTES]):
            offset = pages.start + page * PAGE_BYTES
            raise Corrupt(pages.name, offset, "its checksum is wrong")

"""Writes the file of a block, and computes its checksums at the same time."""

import errno
from typing import IO

import google_crc32c

from logboom.base.pages import PageSummer, sum_pages
from logboom.store.block.index import BlockFile

CHUNK_BYTES = 1 << 20
TAIL_BYTES = 8
"""A Parquet file ends with the size of its footer and four letters."""


class CheckedFile:
    """Counts the bytes written to a file and computes their checksums.

    Writing never raises, because the caller must not be interrupted: a failed write is kept in `failure`, and later
    ones are ignored.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size_bytes = 0
        self.checksum = 0
        self.failure: OSError | None = None
        self._pages = PageSummer()
        self._tail = b""

    def write(self, data: bytes) -> int:
        self.size_bytes += len(data)
        data = bytes(data)
        self.checksum = google_crc32c.extend(self.checksum, data)
        self._pages.add(data)
        self._tail = (self._tail + data[-TAIL_BYTES:])[-TAIL_BYTES:]
        if self.failure is None:
            try:
                self._file.write(data)
            except OSError as error:
                self.failure = error
        return len(data)

    def describe(self) -> BlockFile:
        """Return the file, once it is complete."""
        return BlockFile(self.size_bytes, read_footer_size(self._tail), self._pages.finish())

    def flush(self) -> None:
        """Do nothing: whoever opened the file flushes it."""

    def seek(self, _offset: int, _whence: int = 0) -> int:
        """Raise OSError: Parquet is written from front to back."""
        raise OSError(errno.ESPIPE, "not a file to seek in")


def describe_file(data: bytes) -> BlockFile:
    """Return the Parquet file of these bytes."""
    return BlockFile(len(data), read_footer_size(data[-TAIL_BYTES:]), sum_pages(data))


def describe_path(path: str) -> BlockFile:
    """Return the Parquet file at a path, read in pieces."""
    pages, tail = PageSummer(), b""
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            pages.add(chunk)
            tail = (tail + chunk[-TAIL_BYTES:])[-TAIL_BYTES:]
        return BlockFile(file.tell(), read_footer_size(tail), pages.finish())


def read_footer_size(tail: bytes) -> int:
    """Return the size of a footer with its trailer, from the last bytes of a file."""
    return int.from_bytes(tail[:4], "little") + TAIL_BYTES

"""The uncompressed bytes of an open file, from any position on."""

import os
from collections.abc import Iterator
from typing import Protocol

from logboom.base.errors import Invalid, TooLarge
from logboom.web.encodings import BodyDecoder

PIECE_BYTES = 256 * 1024
KEPT_BYTES = 64
"""This many bytes before the last read position are kept."""
MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


class Stream(Protocol):
    """The content of a file.

    `fault` says why reading stops at some position; `is_whole` is false while the end is missing.
    """

    is_packed: bool
    is_whole: bool
    fault: str

    def read_at(self, offset: int, size: int) -> bytes:
        """Read from a position; fewer bytes than requested only at the end of the file."""

    def examine(self) -> None:
        """Determine `is_whole` and `fault`, which are certain only at the end."""


class PlainStream:
    """An uncompressed file.

    The last bytes read are kept, so that the position after them is marked by what was actually read, even if the
    file is truncated or rewritten meanwhile.
    """

    is_packed = False
    is_whole = True
    fault = ""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._held = b""
        self._start = 0

    def read_at(self, offset: int, size: int) -> bytes:
        end = offset + size
        if offset < self._start or end > self._start + len(self._held):
            self._start = max(0, offset - KEPT_BYTES)
            self._held = self._read(self._start, end - self._start)
        return self._held[offset - self._start : end - self._start]

    def _read(self, offset: int, size: int) -> bytes:
        data = os.pread(self._handle, size, offset)
        while len(data) < size and (
            more := os.pread(self._handle, size - len(data), offset + len(data))
        ):
            data += more
        return data

    def examine(self) -> None:
        """Do nothing: there is nothing to determine."""


class PackedStream:
    """A compressed file, decompressed from its start; going back means starting over."""

    is_packed = True

    def __init__(self, handle: int, compression: str) -> None:
        self._handle = handle
        self._compression = compression
        self._restart()

    def _restart(self) -> None:
        self.is_whole = True
        self.fault = ""
        self._pieces = self._inflate()
        self._held = bytearray()
        self._start = 0

    def _inflate(self) -> Iterator[bytes]:
        decoder = BodyDecoder(self._compression)
        offset = 0
        try:
            while data := os.pread(self._handle, PIECE_BYTES, offset):
                offset += len(data)
                yield from decoder.feed(data)
        except (Invalid, TooLarge) as error:
            self.fault = error.message
            return
        try:
            yield from decoder.finish()
        except Invalid:
            self.is_whole = False

    def read_at(self, offset: int, size: int) -> bytes:
        if offset < self._start:
            self._restart()
        while self._start + len(self._held) < offset + size:
            self._drop_before(offset - KEPT_BYTES)
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._held += piece
        at = offset - self._start
        return bytes(self._held[at : at + size])

    def _drop_before(self, offset: int) -> None:
        passed = max(0, min(offset - self._start, len(self._held)))
        del self._held[:passed]
        self._start += passed

    def examine(self) -> None:
        for _ in self._pieces:
            pass
        is_whole, fault = self.is_whole, self.fault
        self._restart()
        self.is_whole, self.fault = is_whole, fault


def open_stream(handle: int, compression: str) -> Stream:
    """Return the stream of an open file; `auto` is decided by its first bytes."""
    if compression == "auto":
        head = os.pread(handle, 4, 0)
        compression = next(
            (name for name, magic in MAGIC.items() if head.startswith(magic)), "none"
        )
    return PlainStream(handle) if compression == "none" else PackedStream(handle, compression)

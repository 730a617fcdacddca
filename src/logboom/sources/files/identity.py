"""Recognises files by their inode, their first bytes, and the bytes before the read position.

Two marks are kept for each file. One contains its device and inode, so that files with equal content are distinct.
The other is of the content alone, so that a file is recognised after it was copied or compressed.
"""

import re
import zlib
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple, Protocol

HEAD_BYTES = 1024
TAIL_BYTES = 64
CHECK_BITS = 20
ENDS = re.compile(rb"\n\0?|\}")
"""A read position follows one of these: the end of a line, also in UTF-16, or of an object."""


class Content(Protocol):
    """The uncompressed bytes of a file."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Read from a position; fewer bytes than requested only at the end of the file."""


class Reached(NamedTuple):
    """How far a file was read; `check` is a checksum of the bytes before that position."""

    offset: int = 0
    check: int = 0

    def encode(self) -> int:
        """Return the position as the value of a mark; 0 is the start."""
        return self.offset << CHECK_BITS | self.check

    @classmethod
    def decode(cls, mark: int) -> "Reached":
        return cls(mark >> CHECK_BITS, mark & (1 << CHECK_BITS) - 1)

    @classmethod
    def at(cls, content: Content, offset: int) -> "Reached":
        start = max(0, offset - TAIL_BYTES)
        tail = content.read_at(start, offset - start)
        return cls(offset, zlib.crc32(tail) & (1 << CHECK_BITS) - 1)

    def fits(self, content: Content) -> bool:
        """Return whether the content is long enough, and has the same bytes before that position."""
        if not self.offset:
            return True
        start = max(0, self.offset - TAIL_BYTES)
        tail = content.read_at(start, self.offset - start)
        is_there = len(tail) == self.offset - start
        return is_there and zlib.crc32(tail) & (1 << CHECK_BITS) - 1 == self.check


START = Reached()


class MarkNames(NamedTuple):
    """The names of a file's two marks."""

    own: str
    content: str


Inode = tuple[int, int]
"""Device and number."""


def name_marks(inode: Inode, head: bytes, offset: int) -> MarkNames:
    """Return the marks' names for a file that was read to `offset`."""
    length = min(offset, HEAD_BYTES)
    content = f"{length:x}.{blake2b(head[:length], digest_size=8).hexdigest()}"
    return MarkNames(f"{inode[0]:x}-{inode[1]:x}-{content}", content)


def list_names(inode: Inode, head: bytes) -> list[MarkNames]:
    """Return the names that marks of this file can have, the farthest first."""
    lengths = {len(head)}
    for end in ENDS.finditer(head):
        lengths |= {end.start() + 1, end.end()}
    return [name_marks(inode, head, length) for length in sorted(lengths, reverse=True) if length]


FindMark = Callable[[str], int | None]
"""The value of a mark; None if it was never set."""

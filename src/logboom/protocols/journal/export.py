"""The journal's export format: entries of `NAME=value` lines, each followed by a blank line.

A value that is not one line of text is written as its name, a line feed, its size in eight bytes, its bytes, and a line
feed.
"""

import struct
from collections.abc import Callable, Iterator

from logboom.formats.reader import ENCODER
from logboom.model.batch import Lines
from logboom.protocols.journal.entries import (
    MAX_NAME_LENGTH,
    MAX_VALUE_BYTES,
    Entry,
    fold_field,
    make_event,
    read_texts,
)

SIZE = struct.Struct("<Q")
LARGEST_VALUE_BYTES = 768 * 1024 * 1024
"""The journal has no larger values, so that a wrong size does not swallow all that follows."""
MAX_LINE_BYTES = MAX_NAME_LENGTH + 1 + MAX_VALUE_BYTES
FEED = ord("\n")
COMMENT = ord("#")


class ExportReader:
    """Reads a stream in pieces that may end anywhere; holds at most one entry.

    What cannot be read up to the end of its entry is left out. The rest of that entry is an event like any other,
    whose message is the text that could not be read if it has none.
    """

    def __init__(self) -> None:
        self.damaged = 0
        """The entries that could be read only in part."""
        self._held = bytearray()
        self._at = 0
        """The position in the held bytes up to which they were read."""
        self._searched = 0
        """No line ends between the read position and this one."""
        self._skip: Callable[[], bool] | None = None
        """What is to be skipped before the next field; returns whether there was enough data."""
        self._excess_bytes = 0
        self._entry = Entry()
        self._is_new = True
        """Whether nothing of the entry was looked at."""

    def feed(self, data: bytes) -> Lines:
        """Return the events of the entries that end in this piece."""
        self._held += data
        damaged = self.damaged
        lines = list(self._read())
        del self._held[: self._at]
        self._searched = max(self._searched - self._at, 0)
        self._at = 0
        return Lines(b"\n".join(lines), None, self.damaged - damaged)

    def finish(self) -> Lines:
        """Return the event of the last entry, which may lack its end."""
        damaged = self.damaged
        if (self._held or self._skip) and not self._entry.is_damaged:
            self._lose(len(self._held))
        lines = list(self._end_entry())
        return Lines(b"\n".join(lines), None, self.damaged - damaged)

    def _read(self) -> Iterator[bytes]:
        while self._at < len(self._held):
            if self._skip:
                if not self._skip():
                    return
                continue
            if self._is_new and (texts := self._take_texts()):
                yield texts
                continue
            self._is_new = False
            end = self._find_line_end()
            if end == self._at:
                self._at += 1
                yield from self._end_entry()
            elif end < 0 or not self._read_line(end):
                return

    def _take_texts(self) -> bytes:
        """Return the event of an entry that is there as a whole and all text; of any other nothing."""
        end = self._held.find(b"\n\n", self._at)
        fields = read_texts(bytes(self._held[self._at : end])) if end > self._at else None
        if fields is None:
            return b""
        self._at = end + 2
        return ENCODER.encode(make_event(fields))

    def _find_line_end(self) -> int:
        """Return where the line at the read position ends; -1 while unknown. One that is too long is cut."""
        end = self._held.find(b"\n", max(self._at, self._searched))
        if end < 0:
            self._searched = len(self._held)
            if self._searched - self._at > MAX_LINE_BYTES:
                return self._searched
        return end

    def _read_line(self, end: int) -> bool:
        """Read a field, of which at least a line up to `end` is there; return whether there was enough data."""
        line = bytes(self._held[self._at : end])
        written, sign, value = line.partition(b"=")
        name = fold_field(written.decode(errors="replace"))
        if line[0] == COMMENT:
            self._end_line(end)
        elif name is None:
            self._lose(end)
        elif sign:
            self._entry.add(name, value)
            self._end_line(end)
        else:
            return self._read_value(name, end + 1)
        return True

    def _end_line(self, end: int) -> None:
        is_whole = end < len(self._held)
        self._at = end + is_whole
        self._skip = None if is_whole else self._skip_line

    def _read_value(self, name: str, at: int) -> bool:
        """Read a value after its size, or as much of it as an event may have."""
        start = at + SIZE.size
        if start > len(self._held):
            return False
        [size_bytes] = SIZE.unpack_from(self._held, at)
        if size_bytes > LARGEST_VALUE_BYTES:
            self._lose(at)
            return True
        taken_bytes = min(size_bytes, MAX_VALUE_BYTES + 1)
        if start + taken_bytes > len(self._held):
            return False
        self._entry.add(name, bytes(self._held[start : start + taken_bytes]))
        self._at = start + taken_bytes
        self._excess_bytes = size_bytes - taken_bytes
        self._skip = self._skip_value
        return True

    def _skip_value(self) -> bool:
        """Skip the rest of a value, and the line feed after it."""
        skipped = min(self._excess_bytes, len(self._held) - self._at)
        self._at += skipped
        self._excess_bytes -= skipped
        if self._at == len(self._held):
            return False
        self._skip = None
        if self._held[self._at] == FEED:
            self._at += 1
        else:
            self._lose(self._at)
        return True

    def _skip_line(self) -> bool:
        end = self._held.find(b"\n", self._at)
        if end < 0:
            self._at = len(self._held)
            return False
        self._at = end + 1
        self._skip = None
        return True

    def _skip_entry(self) -> bool:
        """Skip to the blank line after a damaged entry."""
        end = self._held.find(b"\n\n", self._at)
        if end < 0:
            # The line feed at the end may be the first of two.
            self._at = max(self._at, len(self._held) - 1)
            return False
        self._at = end + 1
        self._skip = None
        return True

    def _lose(self, end: int) -> None:
        """Give up the rest of an entry, which cannot be read from the read position on."""
        self._entry.give_up(bytes(self._held[self._at : end]))
        self._at = end
        self._skip = self._skip_entry

    def _end_entry(self) -> Iterator[bytes]:
        self._is_new = True
        if not self._entry.is_empty:
            self.damaged += self._entry.is_damaged
            yield self._entry.encode()
            self._entry = Entry()

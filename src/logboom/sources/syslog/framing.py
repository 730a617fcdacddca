"""Where a message ends in a stream: at a line feed, at a NUL, or after a byte count.

Each message may be framed differently from the one before, because senders share ports and connections.
"""

import re
from typing import NamedTuple

COUNT = re.compile(rb"([1-9]\d{0,8}) (?=<)")
UNDECIDED = re.compile(rb"[1-9]\d{0,8} ?\Z")
LARGEST_COUNT = 16 * 1024 * 1024
"""A larger count is treated as text, so that a wrong digit does not swallow the following messages."""
DIGITS = frozenset(b"123456789")
RECORD_END = re.compile(rb"\0|\n(?=<\d{1,3}>|[1-9]\d{0,8} <)")
LOOKAHEAD_BYTES = 12
"""As much as RECORD_END needs to recognise an end."""
GAP = re.compile(rb"[\r\n\0]*+")
ENDS = b"\r\n\0"


class Message(NamedTuple):
    """A message; truncated if it was too long, or incomplete."""

    data: bytes
    sender: str
    is_truncated: bool = False


class Framer:
    """Splits the stream of one sender, in chunks of any size, into messages.

    Holds at most `limit_bytes` between two chunks: longer messages are truncated. After the first NUL a line feed
    ends a message only if another one follows, because senders of NULs have line feeds inside messages.
    """

    def __init__(self, sender: str, limit_bytes: int) -> None:
        self._sender = sender
        self._limit_bytes = limit_bytes
        self._buffer = bytearray()
        self._searched = 0
        """No line ends before this position of the buffer."""
        self._has_records = False
        self._excess_bytes = 0
        """This many bytes, and with `_is_excess` everything up to the end of the message, are skipped."""
        self._is_excess = False

    def feed(self, chunk: bytes) -> list[Message]:
        """Return the messages that end in this chunk."""
        self._buffer += chunk
        self._has_records = self._has_records or 0 in chunk
        messages: list[Message] = []
        place = self._skip(0)
        while (after := self._cut(place, messages)) > place:
            place = self._skip(after)
        del self._buffer[:place]
        self._searched = max(self._searched - place, 0)
        return messages

    def finish(self) -> list[Message]:
        """Return the message that has begun, as far as received; its rest may still follow."""
        messages: list[Message] = []
        size_bytes = len(self._buffer)
        count = self._read_count(0)
        if count and not self._is_excess:
            self._excess_bytes = count[1] - size_bytes
            self._append(messages, count[0], size_bytes, is_truncated=True)
        elif not self._is_excess:
            self._append(messages, 0, size_bytes)
        self._buffer.clear()
        self._searched = 0
        return messages

    def _skip(self, place: int) -> int:
        """Return the start of the next message, after the skipped bytes."""
        excess = min(self._excess_bytes, len(self._buffer) - place)
        self._excess_bytes -= excess
        place += excess
        if self._is_excess:
            end = self._find_end(place)
            if end < 0:
                return max(place, self._searched)
            self._is_excess = False
            place = end
        gap = GAP.match(self._buffer, place)
        return gap.end() if gap else place

    def _cut(self, place: int, messages: list[Message]) -> int:
        """Take the message that starts at a position, if it is complete; return the position after it."""
        if place >= len(self._buffer) or self._is_excess:
            return place
        if self._buffer[place] in DIGITS:
            count = self._read_count(place)
            if count:
                return self._cut_counted(place, *count, messages)
            if UNDECIDED.match(self._buffer, place):
                return place
        return self._cut_line(place, messages)

    def _read_count(self, place: int) -> tuple[int, int] | None:
        """Start and end of a message with a byte count."""
        count = COUNT.match(self._buffer, place)
        size_bytes = int(count[1]) if count else 0
        if count is None or size_bytes > LARGEST_COUNT:
            return None
        return count.end(), count.end() + size_bytes

    def _cut_counted(self, place: int, begin: int, end: int, messages: list[Message]) -> int:
        kept = min(end, begin + self._limit_bytes)
        if kept > len(self._buffer):
            return place
        self._excess_bytes = end - kept
        self._append(messages, begin, kept, is_truncated=kept < end)
        return kept

    def _cut_line(self, place: int, messages: list[Message]) -> int:
        end = self._find_end(place)
        limit = place + self._limit_bytes
        if end < 0 and self._searched <= limit:
            return place
        self._is_excess = end < 0
        is_truncated = not 0 <= end <= limit
        self._append(messages, place, limit if is_truncated else end, is_truncated=is_truncated)
        return limit if end < 0 else end

    def _find_end(self, place: int) -> int:
        """Return where the line at a position ends; -1 while unknown."""
        start = max(place, self._searched)
        if self._has_records:
            found = RECORD_END.search(self._buffer, start)
            end = found.start() if found else -1
        else:
            end = self._buffer.find(b"\n", start)
        if end < 0:
            lookahead = LOOKAHEAD_BYTES if self._has_records else 0
            self._searched = max(start, len(self._buffer) - lookahead)
        return end

    def _append(
        self, messages: list[Message], begin: int, end: int, *, is_truncated: bool = False
    ) -> None:
        data = bytes(self._buffer[begin:end]).rstrip(ENDS)
        if data:
            messages.append(Message(data, self._sender, is_truncated))

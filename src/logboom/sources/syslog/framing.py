"""Where a message ends in a stream: at a line feed, at a NUL, or after as many bytes as its count says.

Each message may have another framing than the one before it, as senders share ports and connections.
"""

import re
from typing import NamedTuple

COUNT = re.compile(rb"([1-9]\d{0,8}) (?=<)")
UNDECIDED = re.compile(rb"[1-9]\d{0,8} ?\Z")
LARGEST_COUNT = 16 * 1024 * 1024
"""A larger one is taken for text, so that a wrong digit does not swallow the messages behind it."""
DIGITS = frozenset(b"123456789")
RECORD_END = re.compile(rb"\0|\n(?=<\d{1,3}>|[1-9]\d{0,8} <)")
LOOKAHEAD_BYTES = 12
"""As much as RECORD_END has to see to know an end."""
GAP = re.compile(rb"[\r\n\0]*+")
ENDS = b"\r\n\0"


class Message(NamedTuple):
    """What a sender sent; truncated when it was too long, or did not come whole."""

    data: bytes
    sender: str
    is_truncated: bool = False


class Framer:
    """Cuts the stream of one sender, in chunks of any size, into its messages.

    Holds at most `limit_bytes` between two chunks: what is longer is cut off there. After the first NUL a
    line feed ends a message only where another begins, as senders of NULs have line feeds inside of them.
    """

    def __init__(self, sender: str, limit_bytes: int) -> None:
        self._sender = sender
        self._limit_bytes = limit_bytes
        self._buffer = bytearray()
        self._searched = 0
        """Before this place in the buffer no line ends."""
        self._has_records = False
        self._excess_bytes = 0
        """So many bytes, and then with `_is_excess` so much as there is to its end, are of no message."""
        self._is_excess = False

    def feed(self, chunk: bytes) -> list[Message]:
        """The messages that end in this chunk."""
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
        """What there is of a message that has begun; the rest of it may still follow."""
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
        """The begin of the next message, past what is of no message."""
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
        """Take the message that begins at a place, if it has ended; the place after it."""
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
        """Begin and end of a message whose length stands before it."""
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
        """Where the line that holds a place ends; -1 while that is not to be seen."""
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

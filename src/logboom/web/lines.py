"""Splits a stream of bytes into chunks of whole lines."""

from collections.abc import Iterator

from logboom.web.charsets import CHARSETS, MARK_BYTES, Transcoder

CHUNK_BYTES = 1024 * 1024
MAX_LINE_BYTES = 16 * 1024 * 1024
BOM = b"\xef\xbb\xbf"
MARKS = (BOM, *CHARSETS)


JSON_STARTS = (b"[", b"{")


class LineChunker:
    """Holds at most one chunk and one line. A longer line is truncated at the limit.

    With `splits_json` a stream that starts like JSON has no line limit: a chunk may end within a line that is longer
    than a chunk. A byte order mark at the start is dropped; one of UTF-16 makes the stream UTF-8. However the stream is
    split, the chunks together are the same bytes.
    """

    def __init__(self, *, splits_json: bool = False) -> None:
        self._may_split: bool | None = None if splits_json else False
        self._beginning: bytes | None = b""
        self._transcoder: Transcoder | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._line_size = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take more bytes; return chunks of whole lines once enough is collected."""
        if self._beginning is not None:
            data = self._beginning + data
            if any(len(data) < len(mark) and mark.startswith(data) for mark in MARKS):
                self._beginning = data
                return
            self._beginning = None
            data = self._drop_mark(data)
        if self._transcoder:
            data = self._transcoder.feed(data)
        if self._may_split is None and (text := data.lstrip()):
            self._may_split = text.startswith(JSON_STARTS)
        for start in range(0, len(data), CHUNK_BYTES):
            chunk = self._take(data[start : start + CHUNK_BYTES])
            if chunk is not None:
                yield chunk

    def _drop_mark(self, data: bytes) -> bytes:
        charset = CHARSETS.get(data[:MARK_BYTES])
        if charset is None:
            return data.removeprefix(BOM)
        self._transcoder = Transcoder(charset)
        return data[MARK_BYTES:]

    def _take(self, piece: bytes) -> bytes | None:
        """Collect a piece that is shorter than the longest line; return a chunk if it completes one."""
        newline = piece.find(b"\n")
        if self._may_split and newline < 0:
            return self._take_part(piece)
        end = len(piece) if newline < 0 else newline
        room = MAX_LINE_BYTES - self._line_size
        if end > room:
            piece = piece[:room] + piece[end:]
        self._parts.append(piece)
        self._size += len(piece)
        if newline < 0:
            self._line_size += len(piece)
            return None
        start = piece.rfind(b"\n") + 1
        self._line_size = len(piece) - start
        return self._cut(piece, start) if self._size >= CHUNK_BYTES else None

    def _take_part(self, piece: bytes) -> bytes | None:
        """Collect a piece of a line that may be cut anywhere."""
        self._parts.append(piece)
        self._size += len(piece)
        if self._size < CHUNK_BYTES:
            return None
        chunk = b"".join(self._parts)
        self._parts, self._size = [], 0
        return chunk

    def _cut(self, piece: bytes, start: int) -> bytes:
        """Return everything collected up to the last line, which starts at `start` of the last piece."""
        self._parts[-1] = piece[:start]
        chunk = b"".join(self._parts)
        self._parts, self._size = [piece[start:]], len(piece) - start
        return chunk

    def finish(self) -> bytes:
        """Return the rest; its last line may lack a line feed."""
        rest = self._transcoder.finish() if self._transcoder else b""
        return (self._beginning or b"") + b"".join(self._parts) + rest

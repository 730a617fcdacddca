"""Reads a file from a position on: pieces of whole events, each with the position after it.

Between pieces a reader keeps only what precedes them in the file, such as the header of a table. So reading can
resume at the end of any piece, on any node.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from logboom.base.structs import MutableStruct
from logboom.formats import FORMATS, open_reader
from logboom.formats.auto.choose import SAMPLE_BYTES, Choice, cut_sample
from logboom.formats.auto.choose import choose as choose_by_content
from logboom.formats.auto.probes import may_get_rows
from logboom.formats.csv import DELIMITERS
from logboom.formats.patterns import compile_search
from logboom.formats.reader import Options, drop_blank, split_lines
from logboom.model.batch import Lines
from logboom.sources.files.cutting import Cut, choose_cut, cut_lines, find_line_end
from logboom.sources.files.streams import Stream
from logboom.web.charsets import CHARSETS, MARK_BYTES

PIECE_BYTES = 1024 * 1024
PIECE_LINES = 5_000
MAX_EVENT_BYTES = 16 * 1024 * 1024
"""A longer line or event is cut at this size; the rest becomes another event."""
FIELDS = re.compile(rb"^#Fields:[^\n]*\n", re.MULTILINE)
DATE = re.compile(rb"^#Date:[^\n]*\n", re.MULTILINE)


class Text:
    """The stream of a file as UTF-8; positions are those of the stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._charset = CHARSETS.get(stream.read_at(0, MARK_BYTES))

    def read_at(self, offset: int, size: int) -> tuple[bytes, bool]:
        """Return the text of at most this many bytes, and whether the file ends there."""
        raw = self._stream.read_at(offset, size)
        is_end = len(raw) < size
        if self._charset is None:
            return raw, is_end
        raw = raw[: len(raw) // 2 * 2]
        high = raw[-1:] if self._charset == "utf-16-le" else raw[-2:-1]
        if b"\xd8" <= high <= b"\xdb":
            raw = raw[:-2]  # the first half of a character
        text = raw.decode(self._charset, "surrogatepass")
        return text.encode("utf-8", "surrogatepass"), is_end

    def measure(self, data: bytes) -> int:
        """Return the length in the stream of some of its text, in bytes."""
        if self._charset is None:
            return len(data)
        return len(data.decode("utf-8", "surrogatepass").encode(self._charset, "surrogatepass"))


class ReadEvents(NamedTuple):
    """Some events, and the position after the last of them."""

    lines: Lines
    end: int


class FileReading(MutableStruct):
    """Reads a stream once, from a position to its end."""

    stream: Stream
    format: str
    options: Options
    is_settled: bool
    """Whether the file has stopped growing, so that its last event is complete."""
    is_quiet: bool
    """Whether it has not changed for long, so that a possible table header is not one."""
    is_ended: bool = False
    """Whether nothing more will be written, so that its last line needs no line feed."""
    directives: bytes | None = None
    """The directives of a W3C log in force at the read position; None if they must be searched."""
    has_rest: bool = False
    """Whether an incomplete event is left at the end."""
    needs_row: bool = False
    """Whether only a possible header is left, which needs a row to decide."""
    choice: Choice | None = None
    """How it is read, once known."""

    def read(self, start: int) -> Iterator[ReadEvents]:
        text = Text(self.stream)
        head, _ = text.read_at(0, SAMPLE_BYTES)
        self.choice = choose(self.format, self.options, head)
        format, options = self.choice.format, self.choice.options
        if not start and not self.is_quiet and self.format == "auto" and format == "text":
            self.needs_row = may_get_rows(list_records(head))
            if self.needs_row:
                return
        header = find_header(head) if format in DELIMITERS else b""
        cut = choose_cut(format, options, header, self.choice.unwrap)
        reader = self.choice.open()
        if start:
            reader.feed(self._find_preamble(text, start, format, options) or header)
            reader.finish()
        while True:
            data = self._take(text, start, cut, format)
            if not data:
                return
            lines = Lines.join([reader.feed(data), reader.finish()])
            if format == "w3c":
                self.directives = pick_directives((self.directives or b"") + data)
            start += text.measure(data)
            yield ReadEvents(lines, start)

    def _take(self, text: Text, start: int, cut: Cut, format: str) -> bytes:
        """Return the next complete events."""
        size = PIECE_BYTES
        while True:
            data, is_end = text.read_at(start, size)
            length = cut(limit_lines(data)) or cut(data)
            if length or is_end:
                length = length or self._cut_last(data, format)
                self.has_rest = length < len(data)
                return data[:length]
            if size >= MAX_EVENT_BYTES:
                return data[: cut_lines(data) or len(data)]
            size *= 2

    def _cut_last(self, data: bytes, format: str) -> int:
        """Return how much of the last event may be read although it may be incomplete."""
        if not self.is_settled:
            return 0
        if format == "json":
            return 0 if b"{" in data else len(data)
        return len(data) if self.stream.is_packed or self.is_ended else cut_lines(data)

    def _find_preamble(self, text: Text, start: int, format: str, options: Options) -> bytes:
        """Return what must be read before the lines at `start` to understand them."""
        if options.multiline:
            return find_beginning(text.read_at(0, min(start, SAMPLE_BYTES))[0], options.multiline)
        if format == "w3c" and self.directives is None:
            self.directives = find_directives(text, start)
        return self.directives or b""


def choose(format: str, options: Options, head: bytes) -> Choice:
    """Return how to read a file: as configured, or with `auto` as its first lines suggest."""
    if format == "auto":
        return choose_by_content(head, options, FORMATS)
    return Choice(format, 1.0, format, options, lambda: open_reader(format, options))


def list_records(head: bytes) -> list[str]:
    return drop_blank(split_lines(cut_sample(head)))


def limit_lines(data: bytes) -> bytes:
    if data.count(b"\n") <= PIECE_LINES:
        return data
    return data[: find_line_end(data, PIECE_LINES)]


def find_header(head: bytes) -> bytes:
    """Return the first non-blank row; a quoted name in it may contain line feeds."""
    header = b""
    for line in head.splitlines(keepends=True):
        header += line
        if header.strip() and not header.count(b'"') % 2:
            break
    return header


def find_beginning(head: bytes, pattern: str) -> bytes:
    """Return the first line that starts an event."""
    begins = compile_search(pattern, pattern)
    lines = head.splitlines(keepends=True)
    return next((line for line in lines if begins(line.rstrip(b"\r\n"))), b"")


def find_directives(text: Text, end: int) -> bytes:
    """Return the directives in force at a position: the last ones before it."""
    directives, at = b"", 0
    while at < end:
        data, _ = text.read_at(at, min(PIECE_BYTES, end - at))
        whole = data[: cut_lines(data)] or data
        if not whole:
            break
        directives = pick_directives(directives + whole)
        at += text.measure(whole)
    return directives


def pick_directives(data: bytes) -> bytes:
    return b"".join((find_last(FIELDS, data), find_last(DATE, data)))


def find_last(pattern: "re.Pattern[bytes]", data: bytes) -> bytes:
    found = pattern.findall(data)
    return found[-1] if found else b""

"""Objects that are not one per line: in arrays, several on a line, one over many lines.

A line that looks like one object is passed on as it is. From any other line each object becomes its own line: the
brackets and commas around it are ignored, so that an array need not be complete before its elements are read. What is
not an object is kept as a message: a line without any object as a whole, and from other lines what remains beside
their objects.
"""

import re
from collections.abc import Iterator

import msgspec

from logboom.base.patterns import compile_later
from logboom.formats.reader import BOM, Message
from logboom.model.batch import Lines
from logboom.model.event import decode_line
from logboom.model.values import (
    NUMBER,
    STRING,
    find_closing,
    looks_like_object,
    open_odd_line_finder,
    open_splitter,
)

MAX_HELD_BYTES = 16 * 1024 * 1024
MANY = 10_000
LONGEST_TOKEN = 5
"""Tokens other than strings and brackets: this much at the end of the data may be half a token."""

OBJECT = ord("{")
LINE_BLANKS = b" \t\r\n"
AROUND_ITEM = b" \t\r\n,[]"
BLANKS = compile_later(rb"[ \t\r]*+")
AROUND = compile_later(rb"[\s,\[\]]*+")
BRACKETS = compile_later(rb"[ \t\r\[\]]{0,512}+,?+[ \t\r\[\]]{0,512}+")
"""What separates the objects of a list; anything longer is something else."""
SCALARS = compile_later(rb"(?:[ \t\r,\[\]]|" + STRING + rb"|" + NUMBER + rb"|true|false|null)*+")
OPEN_STRING = compile_later(rb'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
AFTER_OBJECT = b",]{[\n"
"""What follows the first object of a line with several objects."""


class ObjectReader:
    """Reads one text; chunks may end anywhere. Holds at most one incomplete line or object."""

    def __init__(self) -> None:
        self.held = b""
        """What is incomplete so far."""
        self._is_first = True
        self._is_within = self._is_dropping = False
        self._find_odd_line = open_odd_line_finder()

    def pass_on(self, chunk: bytes) -> Lines | None:
        """Return the unchanged chunk if all its lines look like objects, or None if it must be parsed."""
        is_between = not (self.held or self._is_within or self._is_dropping)
        if is_between and chunk.endswith(b"\n") and self._find_odd_line(chunk, 0) == len(chunk):
            self._is_first = False
            return Lines(chunk)
        return None

    def feed(self, chunk: bytes) -> Lines:
        return self.pass_on(chunk) or self._read_on(chunk)

    def _read_on(self, chunk: bytes) -> Lines:
        if self._is_first:
            chunk = chunk.removeprefix(BOM)
            self._is_first = not chunk
        if self._is_dropping:
            chunk = self._drop(chunk)
        pieces = [self._read(self.held + chunk, is_last=False)]
        if len(self.held) > MAX_HELD_BYTES:
            pieces += self._give_up()
        return Lines.join(pieces)

    def finish(self) -> Lines:
        lines = self._read(self.held, is_last=True)
        self._is_within = False
        return lines

    def _drop(self, chunk: bytes) -> bytes:
        """Drop the rest of a line that was too long, whose beginning was kept."""
        end = chunk.find(b"\n")
        self._is_dropping = end < 0
        return b"" if end < 0 else chunk[end:]

    def _give_up(self) -> Iterator[Lines]:
        """Read what is held line by line; of a line that is still too long the beginning is kept."""
        if b"\n" in self.held:
            yield self._read(self.held, is_last=False, apart=len(self.held))
        if len(self.held) > MAX_HELD_BYTES:
            yield Lines(self.held[:MAX_HELD_BYTES])
            self.held, self._is_within, self._is_dropping = b"", False, True

    def _read(self, data: bytes, *, is_last: bool, apart: int = 0) -> Lines:
        passage = Passage(data, is_within=self._is_within, is_last=is_last, apart=apart)
        lines = b"\n".join(passage)
        self.held, self._is_within = data[passage.at :], passage.is_within
        return Lines(lines, None, passage.faults)


class Passage:
    """Reads the lines of some data in order; what is after `at` at the end must wait for more.

    `is_within`: a part of the line at `at` was already read. `apart`: an object that starts before this position must
    end on its line. `faults` counts the messages that are written as events.
    """

    def __init__(self, data: bytes, *, is_within: bool, is_last: bool, apart: int) -> None:
        self.at = 0
        self.is_within = is_within
        self.faults = 0
        self._data = data
        self._is_last = is_last
        self._apart = apart
        self._whole = len(data) if is_last else data.rfind(b"\n") + 1
        self._split = open_splitter()
        self._find_odd_line = open_odd_line_finder()

    def __iter__(self) -> Iterator[bytes]:
        while self.at < len(self._data):
            text = self._pass_on() or self._read_next()
            if text is None:
                return
            if text:
                yield text

    def _pass_on(self) -> bytes:
        """Return the lines up to the first that does not look like an object."""
        if self.is_within or self.at >= self._whole:
            return b""
        start, self.at = self.at, min(self._find_odd_line(self._data, self.at), self._whole)
        return self._data[start : self.at].rstrip(b"\n")

    def _read_next(self) -> bytes | None:
        """Return the next objects or other text of an odd line, or None if more data is needed."""
        data, at = self._data, self.at
        start = skip(AROUND, data, at)
        newline = data.find(b"\n", at, start)
        end = start if newline < 0 else newline
        if not self.is_within and not BRACKETS.fullmatch(data, at, end):
            return self._keep_line(at)
        if newline >= 0:
            self.at, self.is_within = newline + 1, False
            return b""
        if start == len(data):
            if not self._is_last and not self.is_within:
                return None
            self.at = start
            return b""
        if data[start] != OBJECT:
            return self._read_other(start)
        return (self._read_run(start) if self.is_within else b"") or self._read_object(start)

    def _read_run(self, start: int) -> bytes:
        """Return the consecutive objects on the same line."""
        data = self._data
        spans, _ = self._split(data, start, MANY, self._find_line_end(start), is_list=True)
        texts: list[bytes] = []
        for first, end in zip(spans[::2], spans[1::2], strict=True):
            if data[first] != OBJECT:
                break
            texts.append(data[first:end])
            self.at = end
        return b"\n".join(texts)

    def _read_object(self, start: int) -> bytes | None:
        data = self._data
        bound = self._find_line_end(start) if start < self._apart else len(data)
        spans, stop = self._split(data, start, 1, bound)
        if stop is not None:
            return self._read_broken(start, stop, bound)
        end = spans[1]
        if not self._is_in_list(start):
            after = skip(BLANKS, data, end)
            if after == len(data) and not self._is_last:
                return None
            if after < len(data) and data[after] not in AFTER_OBJECT:
                return self._keep_line(end)
        self.at, self.is_within = end, True
        # In valid JSON a line feed is only whitespace.
        return data[start:end].replace(b"\n", b" ")

    def _read_broken(self, start: int, stop: int, bound: int) -> bytes | None:
        """Return what is not an object, or not yet: `stop` is the position of the first wrong token."""
        data = self._data
        is_in_list = self._is_in_list(start)
        if bound == len(data) and is_open(data, stop):
            return self._keep_rest(start) if self._is_last else None
        self._apart = max(self._apart, stop)
        if is_in_list:
            closing = find_closing(data, start, self._find_line_end(start))
            if closing is not None:
                self.at, self.is_within = closing, True
                return data[start:closing]
        return self._keep_line(start)

    def _read_other(self, start: int) -> bytes | None:
        """Return values that are not objects, up to the next object of a list; else the whole line."""
        data = self._data
        end = skip(SCALARS, data, start)
        if end < len(data) and data[end] == OBJECT and self._is_in_list(end):
            self.at, self.is_within = end, True
            return data[start:end].strip(AROUND_ITEM)
        return self._keep_line(start)

    def _keep_line(self, start: int) -> bytes | None:
        """Return the rest of a line as it is; if its beginning was already read, without the separators."""
        end = self._find_line_end(start)
        if end == len(self._data) and not self._is_last:
            return None
        text = self._data[self.at : end]
        text = text.strip(AROUND_ITEM if self.is_within else LINE_BLANKS)
        self.at, self.is_within = end, False
        return text

    def _keep_rest(self, start: int) -> bytes:
        """Return what is left incomplete at the end of the text."""
        data = self._data
        rest = data[start if self._is_in_list(start) else self.at :].strip(LINE_BLANKS)
        later = rest.split(b"\n")[1:]
        if any(line.strip() and looks_like_object(line.strip()) for line in later):
            self._apart = len(data)
            return b""
        self.at = len(data)
        if not later:
            return rest
        self.faults += 1
        return msgspec.json.encode(Message(decode_line(rest)))

    def _is_in_list(self, start: int) -> bool:
        """Return whether an object or a bracket precedes this position on the line."""
        return self.is_within or bool(self._data[self.at : start].strip(LINE_BLANKS))

    def _find_line_end(self, at: int) -> int:
        end = self._data.find(b"\n", at)
        return len(self._data) if end < 0 else end


def skip(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    assert match
    return match.end()


def is_open(data: bytes, stop: int) -> bool:
    """Return whether the token at this position may become valid with more data."""
    if data[stop : stop + 1] == b'"':
        stop = skip(OPEN_STRING, data, stop)
    return len(data) - stop <= LONGEST_TOKEN

"""JSON values: an array of objects, one object, or objects one after another, however they are laid out.

Every object that stands in no other object is an event. The brackets and commas around it say nothing,
so that an array need not be whole before its elements are read.
"""

import re

import msgspec

from logboom.formats.ndjson import compact, encode_objects
from logboom.formats.reader import (
    BOM,
    ENCODER,
    NOTHING,
    Message,
    Options,
    Reader,
    drop_blank,
    refuse_multiline,
    split_lines,
)
from logboom.model.batch import Lines
from logboom.model.event import decode_line

MAX_OBJECT_BYTES = 16 * 1024 * 1024
AROUND = re.compile(rb"[\s,\[\]]*+")
BRACE = re.compile(rb'[^"{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}]*+)*+([{}])', re.DOTALL)
"""Up to the next brace that is in no string."""

OTHER = re.compile(
    rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|"[^\n]*+|[^\n,\[\]{}"][^\n,\[\]{}]*+|\}',
)
"""What is no object: a string, or text up to what may stand around a value."""


class JsonReader:
    """Holds at most one value that is not yet whole; chunks may end anywhere."""

    format = "json"

    def __init__(self) -> None:
        self._held: bytes | None = None
        self._seen = self._depth = 0

    def feed(self, chunk: bytes) -> Lines:
        data = chunk.removeprefix(BOM) if self._held is None else self._held + chunk
        lines = self._read(data, is_last=False)
        if self._held and len(self._held) > MAX_OBJECT_BYTES:
            return Lines.join([lines, self._give_up()])
        return lines

    def finish(self) -> Lines:
        lines = self._read(self._held or b"", is_last=True)
        return Lines.join([lines, self._give_up()])

    def _read(self, data: bytes, *, is_last: bool) -> Lines:
        """Read the values that are whole, and hold the one that is not."""
        lines: list[bytes] = []
        faults = at = 0
        while (at := skip_around(data, at)) < len(data):
            end = self._find_end(data, at, is_last=is_last)
            if end is None:
                break
            line = compact(data[at:end])
            faults += line is None
            lines.append(line or encode_other(data[at:end]))
            at = end
        self._held = data[at:]
        return Lines(b"\n".join(lines), None, faults)

    def _find_end(self, data: bytes, start: int, *, is_last: bool) -> int | None:
        """Where the value that begins here ends; None when that is not known yet."""
        if data[start] != ord("{"):
            other = OTHER.match(data, start)
            assert other
            return other.end() if is_last or other.end() < len(data) else None
        at = start + self._seen
        while brace := BRACE.match(data, at):
            at = brace.end()
            self._depth += 1 if brace[1] == b"{" else -1
            if not self._depth:
                self._seen = 0
                return at
        self._seen = at - start
        return None

    def _give_up(self) -> Lines:
        """Of an object that does not end, each line that is one by itself is an event."""
        records = drop_blank(split_lines(self._held or b""))
        self._held, self._seen, self._depth = b"", 0, 0
        return encode_objects(records) if records else NOTHING


def open_json(options: Options) -> Reader:
    refuse_multiline("json", options)
    return JsonReader()


def skip_around(data: bytes, at: int) -> int:
    around = AROUND.match(data, at)
    assert around
    return around.end()


def encode_other(data: bytes) -> bytes:
    """The line of a value that is no object: its text, of a string what it says."""
    text = decode_line(data).strip()
    try:
        return ENCODER.encode(Message(msgspec.json.decode(text, type=str)))
    except msgspec.MsgspecError:
        return ENCODER.encode(Message(text))

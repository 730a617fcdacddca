"""The common interface of formats: a reader that converts text to lines of JSON, chunk by chunk.

`LineReader` is the reader of formats with one event per line; such a format is only a function from records to lines.
A *record* is the text of one event: a line, or several folded lines.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.formats.multiline import Fold, open_fold
from logboom.model.batch import Lines

BOM = b"\xef\xbb\xbf"
ENCODER = msgspec.json.Encoder()
NOTHING = Lines(b"")
NUMERIC = frozenset("-0123456789")
"""First characters of numbers; testing this first is faster than calling `read_cell`."""

NUMBER = compile_later(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?+", re.ASCII)
"""No leading zeros and no exponent: those are codes and names."""

MAX_NAME_LENGTH = 128
"""The longest name of a column: short texts under long names would multiply the size of events."""

MAX_DIGITS = 15
"""What a float represents exactly."""


class Options(msgspec.Struct, frozen=True):
    """How to read a text.

    `grok` is a preset, a `%{…}` pattern or a regex with named groups; `multiline` matches the lines that start an
    event of at most `max_lines` lines; `now_ns` determines the year of times without one.
    """

    grok: str = ""
    multiline: str = ""
    max_lines: int = 500
    now_ns: int = 0


class Reader(Protocol):
    """Reads one text. `format` is what it reads; for `auto` the detected format, once known.

    A chunk is whole lines, the last one of a text with or without its line feed. What does not parse becomes a
    message and is counted in the faults of the lines.
    """

    format: str

    def feed(self, chunk: bytes) -> Lines: ...

    def finish(self) -> Lines: ...


class Message(msgspec.Struct):
    """The event of a text without other fields."""

    message: str


Parser = Callable[[str], Mapping[str, Any] | None]
"""Returns the fields of a record; None if it does not match the format."""

ParseAll = Callable[[list[str]], Sequence[Mapping[str, Any] | None]]
"""Returns the fields of each of some records."""

Encode = Callable[[list[str]], Lines]
"""Returns the lines of some records, one each, in their order."""


class LineReader:
    """Splits a text into records, folded if the options say so, and encodes them.

    `fold` is a prepared fold.
    """

    def __init__(
        self, format: str, encode: Encode, options: Options, fold: Fold | None = None
    ) -> None:
        self.format = format
        self._encode = encode
        if fold is None and options.multiline:
            fold = open_fold(options.multiline, options.max_lines)
        self._fold = fold
        self._is_first = True

    def feed(self, chunk: bytes) -> Lines:
        if self._is_first:
            chunk = chunk.removeprefix(BOM)
            self._is_first = not chunk
        lines = split_lines(chunk)
        records = self._fold.feed(lines) if self._fold else drop_blank(lines)
        return self._encode(records) if records else NOTHING

    def finish(self) -> Lines:
        records = self._fold.finish() if self._fold else []
        return self._encode(records) if records else NOTHING


def refuse_multiline(format: str, options: Options) -> None:
    """Raise Invalid if the options fold lines, for a format that knows where an event ends."""
    if options.multiline:
        raise Invalid(
            f"multiline does not work with format {format}, expected a line-based format",
            field="multiline",
        )


def split_lines(chunk: bytes) -> list[str]:
    """Return the lines without their ends; bytes that are not UTF-8 become readable escapes."""
    if not chunk:
        return []
    text = chunk.decode(errors="backslashreplace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    return text.removesuffix("\n").split("\n")


def drop_blank(lines: list[str]) -> list[str]:
    return [line for line in lines if line and not line.isspace()]


def encode_each(parse: Parser) -> Encode:
    """Encode records that are parsed one by one; what does not parse is a message."""
    return encode_all(lambda records: [parse(record) for record in records])


def encode_all(parse_all: ParseAll) -> Encode:
    """Encode records that are parsed together; what does not parse is a message."""

    def encode(records: list[str]) -> Lines:
        events = parse_all(records)
        faults = events.count(None)
        if faults:
            kept = [
                Message(record) if event is None else event
                for record, event in zip(records, events, strict=True)
            ]
            return Lines(ENCODER.encode_lines(kept), None, faults)
        return Lines(ENCODER.encode_lines(events))

    return encode


def encode_messages(records: list[str]) -> bytes:
    """Return the lines of records that are plain messages."""
    return ENCODER.encode_lines([Message(record) for record in records])


def read_cell(text: str) -> str | int | float:
    """Return an untyped value: a number if it is written like in JSON, else the text."""
    if len(text) > MAX_DIGITS + 2 or not NUMBER.fullmatch(text):
        return text
    number = float(text) if "." in text else int(text)
    has_room = len(text) <= MAX_DIGITS or sum(map(str.isdigit, text)) <= MAX_DIGITS
    return number if has_room else text

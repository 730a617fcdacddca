"""A reading: how the log lines of a text become events, with what confidence."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from logboom.formats.auto.shred import shred
from logboom.formats.batches import find_each, is_batch, translate
from logboom.formats.multiline import FindBegins, Fold
from logboom.formats.patterns import compile_search
from logboom.formats.reader import ENCODER, Encode, LineReader, Message, Options, Reader
from logboom.model.batch import Lines

Fields = dict[str, Any]
Parse = Callable[[str], Fields | None]
"""Returns the fields of an event; None if it does not match the reading."""

NO_EVENT: Fields = {}
"""The fields of a line that is not an event, such as a header."""

ParseAll = Callable[[list[str]], list[Fields | None]]
"""Returns the fields of each of some events."""


class Reading(NamedTuple):
    """`begins` matches the lines that start an event, from their first character; empty if every line does."""

    name: str
    confidence: float
    parse_all: ParseAll
    begins: str = ""
    split: Callable[[str], list[str]] | None = None
    """Separates the events of a line, in formats that may have several on one."""

    def open(self, options: Options) -> Reader:
        fold = None
        if options.multiline and options.multiline == anchor(self.begins):
            fold = self.open_fold(options.max_lines)
        encode = encode_with(self.parse_all)
        if self.split is not None:
            encode = encode_split(encode, self.split)
        return LineReader(self.name, encode, options, fold)

    def open_fold(self, max_lines: int) -> Fold | None:
        """Return what folds the lines of this reading, or None if every line is an event."""
        return Fold(compile_begins(anchor(self.begins)), max_lines) if self.begins else None


def parse_each(parse: Parse) -> ParseAll:
    """Parse events one by one."""
    return lambda records: [parse(record) for record in records]


TEXT = "text"
"""The reading of lines as plain messages."""


def parse_none(records: list[str]) -> list[Fields | None]:
    """Return None for each record: all of them are plain messages."""
    return [None] * len(records)


def encode_with(parse_all: ParseAll) -> Encode:
    """Encode events. What does not parse becomes a message, which is no fault in a log."""

    def encode(records: list[str]) -> Lines:
        kept = [
            Message(record) if event is None else shred(event)
            for record, event in zip(records, parse_all(records), strict=True)
            if event is not NO_EVENT
        ]
        return Lines(ENCODER.encode_lines(kept))

    return encode


def encode_split(encode: Encode, split: Callable[[str], list[str]]) -> Encode:
    """Encode what records consist of."""
    return lambda records: encode([part for record in records for part in split(record)])


@lru_cache(maxsize=64)
def compile_begins(pattern: str) -> FindBegins:
    """Compile one of our own patterns; cached, because they are few and needed again for the next text."""
    search, translated = compile_search(pattern, pattern), translate(pattern)

    def find_begins(lines: list[str]) -> list[bool]:
        if is_batch(lines):
            return find_each(translated, lines)
        return [search(line.encode()) is not None for line in lines]

    return find_begins


def anchor(begins: str) -> str:
    return f"^(?:{begins})" if begins else ""

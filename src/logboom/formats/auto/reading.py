"""A reading: how the log lines of a text make events, and how sure that is."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from logboom.formats.auto.shred import shred
from logboom.formats.multiline import Fold
from logboom.formats.patterns import Search, compile_search
from logboom.formats.reader import ENCODER, Encode, LineReader, Message, Options, Reader
from logboom.model.batch import Lines

MAX_HELD_BYTES = 16 * 1024 * 1024
Parse = Callable[[str], dict[str, Any] | None]
"""The fields of an event; None when it is not written as the reading expects."""


class Reading(NamedTuple):
    """`begins` finds the lines that begin an event, from their first character on; empty when every line does.

    `is_partial` says of a line that the next one is the rest of it.
    """

    name: str
    confidence: float
    parse: Parse
    begins: str = ""
    is_partial: Callable[[str], bool] | None = None

    def open(self, options: Options) -> Reader:
        encode = encode_with(self.parse)
        fold = self._open_fold(options)
        if self.is_partial is None:
            return LineReader(self.name, encode, options, fold)
        return PartialReader(self.name, encode, options, fold, self.is_partial)

    def _open_fold(self, options: Options) -> Fold | None:
        """With the compiled pattern at hand, unless the user gave another one."""
        pattern = options.multiline
        if not pattern or pattern != anchor(self.begins):
            return None
        return Fold(pattern, options.max_lines, compile_begins(pattern))


class PartialReader(LineReader):
    """Joins lines that were cut in parts; holds the parts of a line until it is whole."""

    def __init__(
        self,
        name: str,
        encode: Encode,
        options: Options,
        fold: Fold | None,
        is_partial: Callable[[str], bool],
    ) -> None:
        super().__init__(name, lambda records: encode(join(records, is_partial)), options, fold)
        self._is_partial = is_partial
        self._held = b""

    def feed(self, chunk: bytes) -> Lines:
        data = self._held + chunk
        end = cut_partial(data, self._is_partial) if len(data) < MAX_HELD_BYTES else len(data)
        self._held = data[end:]
        return super().feed(data[:end])

    def finish(self) -> Lines:
        held, self._held = self._held, b""
        return Lines.join([super().feed(held), super().finish()])


def cut_partial(data: bytes, is_partial: Callable[[str], bool]) -> int:
    """Behind the last line that is whole."""
    end = len(data)
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        line = data[start:end].decode(errors="backslashreplace").rstrip("\r\n")
        if not is_partial(line):
            break
        end = start
    return end


def join(records: list[str], is_partial: Callable[[str], bool]) -> list[str]:
    joined: list[str] = []
    is_open = False
    for record in records:
        if is_open:
            joined[-1] += f"\n{record}"
        else:
            joined.append(record)
        is_open = is_partial(record)
    return joined


def encode_with(parse: Parse) -> Encode:
    """Encode events one by one. What does not parse is a message, as in any text, and no fault."""

    def encode(records: list[str]) -> Lines:
        events = [parse(record) for record in records]
        kept = [
            Message(record) if event is None else shred(event)
            for record, event in zip(records, events, strict=True)
        ]
        return Lines(ENCODER.encode_lines(kept))

    return encode


@lru_cache(maxsize=64)
def compile_begins(pattern: str) -> Search:
    """A pattern of our own, of which there are few, and which are needed again for the next text."""
    return compile_search(pattern, pattern)


def anchor(begins: str) -> str:
    return f"^(?:{begins})" if begins else ""

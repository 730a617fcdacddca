"""Wrapped lines: what is inside an envelope is read as if it were not wrapped.

A stack trace in which every line is wrapped is one event. The wrapper's time is the event's time, because it has a
zone; what else the runtime says about the first line is added to the event's fields.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.auto.envelopes import ENVELOPES, Envelope, Unwrapped
from logboom.formats.auto.logs import choose_log
from logboom.formats.auto.probes import PROBES
from logboom.formats.auto.reading import Reading, parse_each, parse_none
from logboom.formats.auto.shred import merge, shred
from logboom.formats.logfmt import parse_event as parse_logfmt
from logboom.formats.reader import BOM, ENCODER, NOTHING, Options, drop_blank, split_lines
from logboom.model.batch import Lines

Fields = dict[str, Any]
MAX_LINE_CHARACTERS = 16 * 1024 * 1024
"""The maximum length of a line that came in parts; the rest becomes another line."""

ENOUGH_WRAPPED = 0.9
ENOUGH_PAIRS = 0.5
TRACE = compile_later(r'\s+at \S|  File "')
"""Lines of stack traces, in programs that write no times."""


class WrappedReading(NamedTuple):
    """How wrapped lines become events; `begins` matches the wrapped lines that start one."""

    envelope: Envelope
    inner: Reading
    share: float
    """The share of lines that are wrapped."""

    @property
    def name(self) -> str:
        name = self.envelope.name
        return name if self.inner.name == "text" else f"{name}+{self.inner.name}"

    @property
    def confidence(self) -> float:
        return self.share * self.inner.confidence

    @property
    def begins(self) -> str:
        return f"{self.envelope.begins}(?:{self.inner.begins})" if self.inner.begins else ""

    @property
    def is_partial(self) -> Callable[[str], bool] | None:
        """Whether a line is only a part of the one inside; None if lines are never split."""
        return self._is_partial if self.envelope.has_parts else None

    def _is_partial(self, line: str) -> bool:
        return self.envelope.open([line]).is_part[0]

    def open(self, options: Options) -> "WrappedReader":
        return WrappedReader(self, options.max_lines)


class WrappedReader:
    """Unwraps lines, joins split ones, folds them into events and parses these."""

    def __init__(self, reading: WrappedReading, max_lines: int) -> None:
        self.format = reading.name
        self._envelope = reading.envelope
        self._parse_all = reading.inner.parse_all
        self._fold = reading.inner.open_fold(max_lines)
        self._parts = Parts()
        self._open_fields: Fields = {}
        """The wrapper's fields of the first line of the open record."""
        self._is_first = True

    def feed(self, chunk: bytes) -> Lines:
        if self._is_first:
            chunk = chunk.removeprefix(BOM)
            self._is_first = not chunk
        lines = drop_blank(split_lines(chunk))
        return self._read(self._parts.join(self._envelope.open(lines))) if lines else NOTHING

    def finish(self) -> Lines:
        read = self._read(self._parts.finish())
        if self._fold is None:
            return read
        records = self._fold.finish()
        return Lines.join([read, self._encode([self._open_fields] * len(records), records)])

    def _read(self, lines: Unwrapped) -> Lines:
        if self._fold is None:
            return self._encode(list(map(lines.describe, range(len(lines.texts)))), lines.texts)
        begins = self._fold.find_begins(lines.texts)
        if False in lines.is_wrapped:
            begins = [a and b for a, b in zip(begins, lines.is_wrapped, strict=True)]
        records = self._fold.cut(lines.texts, begins)
        outer = [self._open_fields if place < 0 else lines.describe(place) for place, _ in records]
        if self._fold.first >= 0:
            self._open_fields = lines.describe(self._fold.first)
        return self._encode(outer, [text for _, text in records])

    def _encode(self, outer: list[Fields], texts: list[str]) -> Lines:
        if not texts:
            return NOTHING
        events = [
            merge(fields, shred(inner or {"message": text}))
            for fields, text, inner in zip(outer, texts, self._parse_all(texts), strict=True)
        ]
        return Lines(ENCODER.encode_lines(events))


class Parts:
    """Joins split lines; holds the parts of a line until it is complete."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._size = 0
        self._is_wrapped = False
        self._fields: Fields = {}

    def join(self, lines: Unwrapped) -> Unwrapped:
        """The lines that are complete now, each with the fields of its first part."""
        if not self._held and True not in lines.is_part:
            return lines
        texts: list[str] = []
        is_wrapped: list[bool] = []
        fields: list[Fields] = []
        for place, text in enumerate(lines.texts):
            self._hold(place, text, lines)
            if not lines.is_part[place] or self._size >= MAX_LINE_CHARACTERS:
                is_wrapped.append(self._is_wrapped)
                fields.append(self._fields)
                texts.append(self._take())
        return Unwrapped(texts, is_wrapped, [False] * len(texts), fields.__getitem__)

    def finish(self) -> Unwrapped:
        """The incomplete line, if there is one."""
        texts = [self._take()] if self._held else []
        described = [self._fields].__getitem__
        return Unwrapped(texts, [self._is_wrapped] * len(texts), [False] * len(texts), described)

    def _hold(self, place: int, text: str, lines: Unwrapped) -> None:
        if not self._held:
            self._is_wrapped = lines.is_wrapped[place]
            self._fields = lines.describe(place)
        self._held.append(text)
        self._size += len(text)

    def _take(self) -> str:
        text = "".join(self._held)
        self._held, self._size = [], 0
        return text


def try_envelopes(lines: list[str], now_ns: int) -> WrappedReading | None:
    """The reading of lines that are nearly all wrapped in the same way."""
    for envelope in ENVELOPES:
        unwrapped = envelope.open(lines)
        share = unwrapped.is_wrapped.count(True) / len(lines)
        if share >= ENOUGH_WRAPPED:
            return read_inside(envelope, unwrapped, share, now_ns)
    return None


def read_inside(
    envelope: Envelope, unwrapped: Unwrapped, share: float, now_ns: int
) -> WrappedReading | None:
    texts = [
        text for text, is_one in zip(unwrapped.texts, unwrapped.is_wrapped, strict=True) if is_one
    ]
    parts = [
        part for part, is_one in zip(unwrapped.is_part, unwrapped.is_wrapped, strict=True) if is_one
    ]
    lines = drop_blank(join_parts(texts, parts))
    inner = choose_inside(lines, now_ns) if lines else plain_reading(lines)
    if envelope.name == "compose" and inner.name == "text" and not is_compose(texts):
        return None
    return WrappedReading(envelope, inner, share)


def join_parts(texts: list[str], is_part: list[bool]) -> list[str]:
    parts = Parts()
    unwrapped = Unwrapped(texts, [True] * len(texts), is_part, lambda _: {})
    return parts.join(unwrapped).texts + parts.finish().texts


def is_compose(texts: list[str]) -> bool:
    """Whether it is container output, not a table, which has pipes further on too."""
    return len(texts) > 1 and not any("|" in text for text in texts)


def choose_inside(lines: list[str], now_ns: int) -> Reading:
    if PROBES["ndjson"](lines) >= ENOUGH_PAIRS:
        return Reading("json", 1.0, parse_none)
    reading = choose_log(lines, now_ns)
    if reading is not None:
        return reading
    share = PROBES["logfmt"](lines)
    if share >= ENOUGH_PAIRS:
        return Reading("logfmt", share, parse_each(parse_logfmt))
    return plain_reading(lines)


def plain_reading(lines: list[str]) -> Reading:
    """Plain messages; indented lines belong to the one before if there are stack traces."""
    begins = r"\S" if any(map(TRACE.match, lines)) else ""
    return Reading("text", 1.0, parse_none, begins)

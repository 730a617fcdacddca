"""Wrapped lines: what is inside an envelope is read as if it were not wrapped.

A stack trace in which every line is wrapped is one event, also between the lines of another output. The wrapper's time
is the event's time, because it has a zone; what else the runtime says about the first line is added to the event's
fields.
"""

from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.auto.access import find_access, mix
from logboom.formats.auto.envelopes import ENVELOPES, Envelope, Unwrap, Unwrapped
from logboom.formats.auto.kinds.table import try_kinds
from logboom.formats.auto.logs import choose_log
from logboom.formats.auto.probes import PROBES
from logboom.formats.auto.reading import NO_EVENT, TEXT, Reading, parse_each, parse_none
from logboom.formats.auto.shred import merge, shred
from logboom.formats.logfmt import parse_event as parse_logfmt
from logboom.formats.multiline import Fold
from logboom.formats.reader import BOM, ENCODER, NOTHING, Options, drop_blank, split_lines
from logboom.model.batch import Lines

Fields = dict[str, Any]
MAX_LINE_CHARACTERS = 16 * 1024 * 1024
"""The maximum length of a line that came in parts; the rest becomes another line."""

MAX_OUTPUTS = 1000
"""The maximum number of outputs that are told apart; the rest are read as one."""

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
        return name if self.inner.name == TEXT else f"{name}+{self.inner.name}"

    @property
    def confidence(self) -> float:
        return self.share * self.inner.confidence

    @property
    def begins(self) -> str:
        return f"{self.envelope.begins}(?:{self.inner.begins})" if self.inner.begins else ""

    @property
    def unwrap(self) -> Unwrap | None:
        """What finds the parts of lines; None if lines are never split."""
        return self.envelope.open if self.envelope.has_parts else None

    def open(self, options: Options) -> "WrappedReader":
        return WrappedReader(self, options.max_lines)


class FoundEvent(NamedTuple):
    """An event: where its first line stood among those just fed, negative if earlier; the wrapper's fields; its text."""

    place: int
    fields: Fields
    text: str


class WrappedReader:
    """Unwraps lines, joins split ones, folds them into events and parses these, each output by itself."""

    def __init__(self, reading: WrappedReading, max_lines: int) -> None:
        self.format = reading.name
        self._envelope = reading.envelope
        self._parse_all = reading.inner.parse_all
        self._open_fold = partial(reading.inner.open_fold, max_lines)
        self._outputs: dict[str, Output] = {}
        self._last = ""
        """The output of the last line that was wrapped."""
        self._is_first = True

    def feed(self, chunk: bytes) -> Lines:
        if self._is_first:
            chunk = chunk.removeprefix(BOM)
            self._is_first = not chunk
        lines = drop_blank(split_lines(chunk))
        if not lines:
            return NOTHING
        found = [
            event
            for name, written in self._separate(self._envelope.open(lines))
            for event in self._open_output(name).read(written)
        ]
        return self._encode(sorted(found, key=itemgetter(0)))

    def finish(self) -> Lines:
        return self._encode(
            [event for output in self._outputs.values() for event in output.finish()]
        )

    def _separate(self, lines: Unwrapped) -> list[tuple[str, Unwrapped]]:
        """Return the lines of each output; one that was not wrapped belongs to that of the line before it."""
        names = self._name_outputs(lines.outputs) if "" in lines.outputs else lines.outputs
        self._last = names[-1]
        outputs = dict.fromkeys(names)
        if len(outputs) == 1:
            return [(self._last, lines)]
        return [
            (output, pick(lines, [place for place, name in enumerate(names) if name == output]))
            for output in outputs
        ]

    def _name_outputs(self, outputs: list[str]) -> list[str]:
        return list(accumulate(outputs, lambda last, name: name or last, initial=self._last))[1:]

    def _open_output(self, name: str) -> "Output":
        if name not in self._outputs and len(self._outputs) >= MAX_OUTPUTS:
            name = ""
        if name not in self._outputs:
            self._outputs[name] = Output(self._open_fold())
        return self._outputs[name]

    def _encode(self, found: list[FoundEvent]) -> Lines:
        if not found:
            return NOTHING
        parsed = self._parse_all([event.text for event in found])
        events = [
            merge(event.fields, shred(inner or {"message": event.text}))
            for event, inner in zip(found, parsed, strict=True)
            if inner is not NO_EVENT
        ]
        return Lines(ENCODER.encode_lines(events))


class Output:
    """What one output of a program has written; holds the line and the event that are not complete yet."""

    def __init__(self, fold: Fold | None) -> None:
        self._fold = fold
        self._parts = Parts()
        self._open_fields: Fields = {}
        """The wrapper's fields of the first line of the open event."""

    def read(self, lines: Unwrapped) -> list[FoundEvent]:
        """Return the events that these lines complete."""
        return self._fold_lines(self._parts.join(lines))

    def finish(self) -> list[FoundEvent]:
        found = self._fold_lines(self._parts.finish())
        if self._fold is None:
            return found
        return found + [FoundEvent(-1, self._open_fields, text) for text in self._fold.finish()]

    def _fold_lines(self, lines: Unwrapped) -> list[FoundEvent]:
        if self._fold is None:
            described = map(lines.describe, range(len(lines.texts)))
            return list(map(FoundEvent, lines.places, described, lines.texts))
        begins = self._fold.find_begins(lines.texts)
        if False in lines.is_wrapped:
            begins = [a and b for a, b in zip(begins, lines.is_wrapped, strict=True)]
        found = [
            FoundEvent(-1, self._open_fields, text)
            if place < 0
            else FoundEvent(lines.places[place], lines.describe(place), text)
            for place, text in self._fold.cut(lines.texts, begins)
        ]
        if self._fold.first >= 0:
            self._open_fields = lines.describe(self._fold.first)
        return found


class Parts:
    """Joins split lines of one output; holds the parts of a line until it is complete."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._size = 0
        self._is_wrapped = False
        self._fields: Fields = {}

    def join(self, lines: Unwrapped) -> Unwrapped:
        """Return the lines that are complete now, each with the fields of its first part."""
        if not self._held and True not in lines.is_part:
            return lines
        ends: list[int] = []
        texts: list[str] = []
        is_wrapped: list[bool] = []
        fields: list[Fields] = []
        for place, text in enumerate(lines.texts):
            self._hold(place, text, lines)
            if not lines.is_part[place] or self._size >= MAX_LINE_CHARACTERS:
                ends.append(place)
                is_wrapped.append(self._is_wrapped)
                fields.append(self._fields)
                texts.append(self._take())
        return pick(lines, ends)._replace(
            texts=texts,
            is_wrapped=is_wrapped,
            is_part=[False] * len(texts),
            describe=fields.__getitem__,
        )

    def finish(self) -> Unwrapped:
        """Return the incomplete line, if there is one."""
        texts = [self._take()] if self._held else []
        count = len(texts)
        described = [self._fields].__getitem__
        return Unwrapped(
            texts,
            [self._is_wrapped] * count,
            [False] * count,
            [""] * count,
            described,
            [-1] * count,
        )

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


def pick(lines: Unwrapped, places: list[int]) -> Unwrapped:
    """Return some of the lines."""
    return Unwrapped(
        texts=list(map(lines.texts.__getitem__, places)),
        is_wrapped=list(map(lines.is_wrapped.__getitem__, places)),
        is_part=list(map(lines.is_part.__getitem__, places)),
        outputs=list(map(lines.outputs.__getitem__, places)),
        describe=lambda place: lines.describe(places[place]),
        places=list(map(lines.places.__getitem__, places)),
    )


def try_envelopes(lines: list[str], now_ns: int) -> WrappedReading | None:
    """Return the reading of lines that are nearly all wrapped in the same way."""
    for envelope in ENVELOPES:
        unwrapped = envelope.open(lines)
        share = unwrapped.is_wrapped.count(True) / len(lines)
        if share >= ENOUGH_WRAPPED:
            return read_inside(envelope, unwrapped, share, now_ns)
    return None


def read_inside(
    envelope: Envelope, unwrapped: Unwrapped, share: float, now_ns: int
) -> WrappedReading | None:
    wrapped = pick(
        unwrapped, [place for place, is_one in enumerate(unwrapped.is_wrapped) if is_one]
    )
    lines = drop_blank(join_parts(wrapped))
    inner = choose_inside(lines, now_ns) if lines else plain_reading(lines)
    if envelope.name == "compose" and inner.name == TEXT and not is_compose(wrapped.texts):
        return None
    return WrappedReading(envelope, inner, share)


def join_parts(lines: Unwrapped) -> list[str]:
    """Return the lines of one output after those of another."""
    joined: list[str] = []
    for output in dict.fromkeys(lines.outputs):
        parts = Parts()
        places = [place for place, name in enumerate(lines.outputs) if name == output]
        joined += parts.join(pick(lines, places)).texts + parts.finish().texts
    return joined


def is_compose(texts: list[str]) -> bool:
    """Return whether it is container output, not a table, which has pipes further on too."""
    return len(texts) > 1 and not any("|" in text for text in texts)


def choose_inside(lines: list[str], now_ns: int) -> Reading:
    kind = try_kinds(lines, now_ns)
    if kind is not None:
        return kind
    if PROBES["ndjson"](lines) >= ENOUGH_PAIRS:
        return Reading("json", 1.0, parse_none)
    access = find_access(lines, now_ns)
    if access is not None:
        others = choose_log(access.others, now_ns) if access.others else None
        return mix(access, others or plain_reading(access.others))
    reading = choose_log(lines, now_ns)
    if reading is not None:
        return reading
    share = PROBES["logfmt"](lines)
    if share >= ENOUGH_PAIRS:
        return Reading("logfmt", share, parse_each(parse_logfmt))
    return plain_reading(lines)


def plain_reading(lines: list[str]) -> Reading:
    """Return a reading of plain messages; indented lines belong to the one before if there are stack traces."""
    begins = r"\S" if any(map(TRACE.match, lines)) else ""
    return Reading(TEXT, 1.0, parse_none, begins)

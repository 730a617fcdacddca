"""Converts event-collector bodies to lines: envelopes, each around one event, or plain text.

Events that cannot be stored as they are do not affect the others; the first of them is remembered.
"""

import re
from array import array
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from logboom.base.errors import Invalid, TooLarge
from logboom.base.patterns import compile_later
from logboom.model.batch import Lines, Routes
from logboom.model.names import normalise_index
from logboom.model.timestamps import parse_time
from logboom.model.values import open_splitter
from logboom.protocols.merging import (
    MAX_MEMBERS,
    Extras,
    MembersCache,
    mend_surrogates,
    merge_extras,
)

PIECE_EVENTS = 10_000
MAX_LEFT_OUT = 1_000_000
"""Events of a request that are left out, whose numbers are remembered."""
MAX_DEFAULT_LENGTH = 256
FIRST_PLAIN_NS = 100_000_000_000_000_000
"""From this value on the unit of a number is determined by its size."""
UNITS_NS = (1_000_000_000, 1_000_000, 1_000, 1)

OBJECT = ord("{")
NO_NAME = (b"{", b"[", b"t", b"f")
"""First characters of values that cannot be names: objects, lists, booleans."""
BLANKS = re.compile(rb"[ \t\r\n]*+")
BETWEEN_ITEMS = re.compile(rb"[ \t\r\n,\[\]]*+")
LIST = re.compile(rb"[ \t\r\n]*+\[")
OBJECT_LINE = re.compile(rb"\n[ \t]*+\{")
BLANK_EVENT = compile_later(rb'"(?: |\\[bfnrt]|\\u00(?:0[9a-d]|20))*+"|[\[{][ \t\r\n]*+[\]}]|null')
PADDING = (b"", *(b"00", b"0", b"") * 3)
"""The zeros that complete a fraction to milliseconds, microseconds or nanoseconds, by its length."""

ABSENT = (b"", b"null", b'""')
DEFAULT_MEMBERS = ("host", "sourcetype")
OWN_MEMBERS = ("host", "source", "sourcetype", "time", "index")
"""What an envelope adds to its event; time and index only if they cannot be parsed."""
MESSAGE = {"message": msgspec.Raw(b'""')}


class EventFault(IntEnum):
    """What can be wrong with an event, by the protocol's codes."""

    BROKEN = 6
    WRONG_INDEX = 7
    NO_EVENT = 12
    BLANK_EVENT = 13


class BadEvent(NamedTuple):
    """An event that was not stored as it is, by its number in the request, from 0."""

    number: int
    fault: EventFault


class Envelope(msgspec.Struct, gc=False):
    """The used members of an envelope, as JSON text; empty if absent."""

    event: msgspec.Raw = msgspec.Raw()
    time: msgspec.Raw = msgspec.Raw()
    host: msgspec.Raw = msgspec.Raw()
    source: msgspec.Raw = msgspec.Raw()
    sourcetype: msgspec.Raw = msgspec.Raw()
    index: msgspec.Raw = msgspec.Raw()
    fields: msgspec.Raw = msgspec.Raw()


ENVELOPE = msgspec.json.Decoder(Envelope)
FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
encode = msgspec.json.encode
TEXT = msgspec.json.Decoder(str)


class Defaults(NamedTuple):
    """What a request says about all its events: their time and members as JSON text."""

    time: bytes | None
    members: dict[str, bytes]


def read_defaults(parameters: Mapping[str, str]) -> Defaults:
    """Return the defaults among the query parameters; index and source are the target's."""
    members = {}
    for name in DEFAULT_MEMBERS:
        value = parameters.get(name)
        if value and len(value) > MAX_DEFAULT_LENGTH:
            raise Invalid(
                f"{name} is {len(value)} characters long, expected at most {MAX_DEFAULT_LENGTH}"
            )
        if value:
            members[name] = encode(value)
    asked = parameters.get("time")
    time = read_time(encode(asked)) if asked else None
    if asked and time is None:
        raise Invalid(f"time is {str(asked)[:64]!r}, expected seconds since 1970")
    return Defaults(time, members)


class Surroundings:
    """The members that surround an event, ready to be joined to any."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._extras = Extras(members)

    @cached_property
    def _after_text(self) -> bytes:
        return self._extras.fit(MESSAGE, has_time=False)

    @cached_property
    def _after_timed_text(self) -> bytes:
        return self._extras.fit(MESSAGE, has_time=True)

    def write_text(self, text: bytes, time: bytes | None) -> bytes:
        """Return the line of an event that is only a message, given as a JSON string."""
        if time is None:
            return b'{"message":%b%b}' % (text, self._after_text)
        return b'{"timestamp":%b,"message":%b%b}' % (time, text, self._after_timed_text)

    def write_event(self, event: bytes, time: bytes | None) -> bytes | EventFault:
        """Return the line of any event."""
        if event.startswith(b"{"):
            return merge_extras(event, time, self._extras) or EventFault.BROKEN
        return self.write_text(event if event.startswith(b'"') else quote(event), time)


class EnvelopeReader:
    """Reads the body of one request.

    `first_bad` is the first event with a fault of its own. Broken events are kept as messages, other faulty ones are
    left out.
    """

    def __init__(self, defaults: Defaults) -> None:
        self.first_bad: BadEvent | None = None
        self.count = 0
        self._defaults = defaults
        self._default = Surroundings(defaults.members)
        self._known = MembersCache[Surroundings]()
        self._left_out = array("q")

    def read(self, data: bytes) -> Iterator[Lines]:
        """Yield the lines of all events, of some thousands at a time; raise TooLarge if too many have none."""
        values = find_values(data)
        while found := list(islice(values, PIECE_EVENTS)):
            yield self._read_some(data, found)
            if len(self._left_out) > MAX_LEFT_OUT:
                raise TooLarge(f"more than {MAX_LEFT_OUT} envelopes have no event")

    def number_line(self, line: int) -> int:
        """Return the number of the event that a line came from."""
        for left_out in self._left_out:
            if left_out > line:
                break
            line += 1
        return line

    def _read_some(self, data: bytes, found: list[tuple[int, int, bool]]) -> Lines:
        lines: list[bytes] = []
        indexes: list[str | None] = []
        for start, end, is_value in found:
            text = data[start:end]
            index, line = self._read_envelope(text) if is_value else (None, EventFault.BROKEN)
            if isinstance(line, EventFault):
                self._blame(line)
                if line is not EventFault.BROKEN:
                    self._left_out.append(self.count)
                    self.count += 1
                    continue
                index, line = None, self._default.write_text(quote(text), self._defaults.time)
            lines.append(line)
            indexes.append(index)
            self.count += 1
        return Lines(b"\n".join(lines), Routes.of(indexes))

    def _blame(self, fault: EventFault) -> None:
        if self.first_bad is None:
            self.first_bad = BadEvent(self.count, fault)

    def _read_envelope(self, text: bytes) -> tuple[str | None, bytes | EventFault]:
        """Return the index that an envelope asks for and its event's line, or what is wrong with it."""
        envelope = decode_envelope(text)
        if envelope is None:
            return None, EventFault.BROKEN
        event = bytes(envelope.event)
        if not event or BLANK_EVENT.fullmatch(event):
            return None, EventFault.BLANK_EVENT if event else EventFault.NO_EVENT
        time = read_time(bytes(envelope.time))
        unread = bytes(envelope.time) if time is None else b""
        index = name_index(bytes(envelope.index))
        around = self._find_surroundings(envelope, unread, b"" if index else bytes(envelope.index))
        return index, around.write_event(event, time or self._defaults.time)

    def _find_surroundings(self, envelope: Envelope, time: bytes, index: bytes) -> Surroundings:
        """Return the surroundings of an envelope, with an unparsed time or index; most envelopes share theirs."""
        host, source, sourcetype = envelope.host, envelope.source, envelope.sourcetype
        own = bytes(host), bytes(source), bytes(sourcetype)
        parts = (*own, time, index, bytes(envelope.fields))
        return self._known.find(parts) or self._make_surroundings(*parts)

    def _make_surroundings(self, *parts: bytes) -> Surroundings:
        """Join members, and cache them: an envelope's own win over its fields, which win over the defaults."""
        *own, fields = parts
        given = {
            name: flatten(text)
            for name, text in zip(OWN_MEMBERS, own, strict=True)
            if text not in ABSENT
        }
        members = self._defaults.members | read_fields(fields) | given
        return self._known.keep(parts, Surroundings(members), len(members))


def find_values(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of a body's objects, or of the items if it is a list; False for a span that is not an object.

    Invalid text extends to the next line that starts an object.
    """
    split = open_splitter()
    between = BETWEEN_ITEMS if LIST.match(data) else BLANKS
    at = skip(between, data, 0)
    while at < len(data):
        spans, stop = split(data, at, PIECE_EVENTS)
        for start, end in zip(spans[::2], spans[1::2], strict=True):
            if start >= at and data[start] == OBJECT:
                yield start, end, True
                at = end
                continue
            if start >= at:
                at, stop = find_object(data, start, start), None
                yield start, at, False
            if end > at:  # an object starts inside an invalid value
                break
        at = skip(between, data, at)
        if stop is not None and at <= stop:
            end = find_object(data, at, stop)
            yield at, end, False
            at = skip(between, data, end)


def skip(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    return match.end() if match else at


def find_object(data: bytes, start: int, stop: int) -> int:
    """Return the first line at or after `stop` that starts an object, or the end; `start` is not after `stop`."""
    line = OBJECT_LINE.search(data, max(start, data.rfind(b"\n", start, stop)))
    if line and line.end() <= stop:
        line = OBJECT_LINE.search(data, stop)
    return line.start() + 1 if line else len(data)


def decode_envelope(text: bytes) -> Envelope | None:
    """Decode an envelope; return None if it is not a JSON object in UTF-8."""
    try:
        if not text.isascii():
            text.decode()
        return ENVELOPE.decode(text)
    except (ValueError, RecursionError):
        mended = mend_surrogates(text)
        return None if mended == text else decode_envelope(mended)


def read_time(text: bytes) -> bytes | None:
    """Return a time given as a JSON number or string, as a lossless number, or None if it is not a time."""
    whole, _, fraction = text.strip(b'"').partition(b".")
    digits = whole + fraction
    if len(whole) == 10 and len(fraction) < 10 and digits.isdigit() and b"1" <= digits < b"9":
        return digits + PADDING[len(fraction)]
    return None if text in ABSENT else read_odd_time(text)


@lru_cache(maxsize=1024)
def read_odd_time(text: bytes) -> bytes | None:
    is_quoted = text.startswith(b'"')
    parsed = parse_time(read_string(text) if is_quoted else text.decode(), quoted=is_quoted)
    if parsed is None:
        return None
    if parsed.time_ns < FIRST_PLAIN_NS:
        return text
    unit_ns = next(unit_ns for unit_ns in UNITS_NS if parsed.time_ns % unit_ns == 0)
    return b"%d" % (parsed.time_ns // unit_ns)


@lru_cache(maxsize=4096)
def name_index(text: bytes) -> str | None:
    """Return the normalised index name from a JSON string or number, or None if there is none."""
    if text in ABSENT or text[:1] in NO_NAME:
        return None
    return normalise_index(read_string(text) if text.startswith(b'"') else text.decode())


def read_string(text: bytes) -> str:
    """Return the text of a JSON string."""
    try:
        return TEXT.decode(text)
    except msgspec.DecodeError:
        return TEXT.decode(mend_surrogates(text))


def read_fields(text: bytes) -> dict[str, bytes]:
    """Return an envelope's fields, each on one line; what is not an object, or a huge one, becomes one field."""
    if text in ABSENT:
        return {}
    if not text.startswith(b"{") or text.count(b",") >= MAX_MEMBERS:
        return {"fields": flatten(text)}
    try:
        fields = FIELDS.decode(text)
    except msgspec.DecodeError:
        fields = FIELDS.decode(mend_surrogates(text))
    return {name: flatten(value) for name, value in fields.items() if bytes(value) != b"null"}


def flatten(value: bytes | msgspec.Raw) -> bytes:
    """Return JSON on one line: a line feed in it is only whitespace."""
    return bytes(value).replace(b"\n", b" ")


def read_text(data: bytes, defaults: Defaults) -> Lines:
    """Return each non-blank line of a text, as a message."""
    around, time = Surroundings(defaults.members), defaults.time
    texts = (line.rstrip("\r") for line in data.decode(errors="replace").split("\n"))
    return Lines(
        b"\n".join(around.write_text(encode(text), time) for text in texts if text.strip(" \t\r"))
    )


def quote(text: bytes) -> bytes:
    """Return any text as a JSON string."""
    return encode(text.strip().decode(errors="replace"))

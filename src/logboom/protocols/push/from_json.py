"""Converts streams of entries to lines, and reads the push body in JSON."""

import codecs
import re
import sys
from collections.abc import Hashable

import msgspec
from msgspec import Raw

from logboom.base.decoding_errors import describe_decoding_error
from logboom.base.errors import Invalid, TooLarge
from logboom.base.patterns import compile_later
from logboom.model.names import fold_name
from logboom.model.scanning import BLANKS
from logboom.model.timestamps import parse_time
from logboom.protocols.merging import (
    MAX_MEMBERS,
    Extras,
    Members,
    MembersCache,
    mend_surrogates,
    merge_extras,
)

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_COMMAS = 4_000_000
"""Limits the values of a body, each of which takes many times the memory of its text."""
MAX_LABEL_BYTES = 128 * 1024 * 1024
"""Each entry gets the labels of its stream, so a small body can make many lines."""
SLICE_BYTES = 1024 * 1024
PLAIN_TIME = compile_later(rb'"?([1-8]\d{18})"?')
"""The usual nanosecond timestamp."""
OBJECT_STARTS = (b'"{', b'" ', b'"\\')
"""How a line that may contain a JSON object starts, perhaps after whitespace."""
TEXT_ONLY: Members = {"message": Raw(b'""')}
ABSENT = Raw(b"null")
NO_METADATA = (b"null", b"{}")

LABEL = compile_later(
    r'\s*(?P<name>[^\s="`{},]+|"(?:[^"\\]|\\.)+")\s*=\s*(?P<value>"(?:[^"\\]|\\.)*"|`[^`]*`)\s*(?:,|$)',
    re.DOTALL,
)
ESCAPE = compile_later(
    rb"\\(?:x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-3][0-7]{2})"
    rb"|(?:u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))|(?P<other>.))",
    re.DOTALL,
)
CONTROLS = {
    letter.encode(): control.encode()
    for letter, control in zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)
}

Texts = dict[str, bytes]
"""Names and the JSON text of their values, which are strings."""
Labels = Members | str | None


class PushBody(msgspec.Struct):
    """The whole body."""

    streams: list[Raw] | None


class PushEntry(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """An entry of a push request, `[time, line]` or `[time, line, metadata]`."""

    time: Raw
    line: Raw
    metadata: Raw = ABSENT


class FirstEntry(msgspec.Struct, gc=False):
    """An entry in the protocol's old form."""

    line: Raw
    time: Raw = msgspec.field(name="ts", default=ABSENT)
    metadata: Raw = ABSENT


class PushStream(msgspec.Struct):
    """A stream, in the current form (`stream`, `values`) or the old one (`labels`, `entries`)."""

    stream: Labels = None
    values: list[PushEntry] | None = None
    labels: Labels = None
    entries: list[FirstEntry] | None = None


class LooseStream(msgspec.Struct):
    """A stream whose entries may be anything."""

    stream: Labels = None
    values: list[Raw] | None = None
    labels: Labels = None
    entries: list[Raw] | None = None


BODY = msgspec.json.Decoder(PushBody)
STREAM = msgspec.json.Decoder(PushStream)
LOOSE_STREAM = msgspec.json.Decoder(LooseStream)
ENTRY = msgspec.json.Decoder(PushEntry)
FIRST_ENTRY = msgspec.json.Decoder(FirstEntry)
METADATA = msgspec.json.Decoder(Members)
TEXT = msgspec.json.Decoder(str)


class PushLines:
    """The lines of one request so far, each with its line feed, and how many were invalid."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.faults = 0
        self._label_bytes = 0

    def open_stream(self, labels: Texts, entry_count: int) -> "StreamExtras":
        """Return the extras for this many entries; raise TooLarge if the labels are too many or too long."""
        check_members(labels, "labels")
        label_bytes = sum(len(name) + len(text) for name, text in labels.items())
        self._label_bytes += label_bytes * entry_count
        if self._label_bytes > MAX_LABEL_BYTES:
            limit = f"expected at most {MAX_LABEL_BYTES} bytes of labels"
            raise TooLarge(f"the labels are too long for so many entries, {limit}")
        return StreamExtras(labels)

    def keep_fault(self, raw: Raw, extras: Extras) -> None:
        """Keep an invalid entry as a message."""
        self.faults += 1
        text = msgspec.json.encode(bytes(raw).decode())
        self.lines.append(write_text(text, None, extras))


class StreamExtras:
    """What the entries of one stream have beside their lines."""

    def __init__(self, labels: Texts) -> None:
        self._labels = labels
        self._kept = MembersCache[Texts]()
        self._known = MembersCache[Extras]()
        self.labels = Extras(labels)
        self.find = self._known.find
        """Returns the cached result of `join` for some metadata, or None."""

    def join(self, metadata: Hashable, texts: Texts) -> Extras:
        """Return labels and metadata, which wins over a label of the same name; raise TooLarge if it is too much."""
        check_members(texts, "metadata")
        members = self._keep_labels(tuple(texts)) | texts
        return self._known.keep(metadata, Extras(members), len(members))

    def _keep_labels(self, names: tuple[str, ...]) -> Texts:
        """Return the labels that metadata of these names leaves."""
        kept = self._kept.find(names)
        if kept is not None:
            return kept
        taken = set(map(fold_name, names))
        kept = {name: text for name, text in self._labels.items() if fold_name(name) not in taken}
        return self._kept.keep(names, kept, len(names) + len(kept))


def check_members(members: Texts, noun: str) -> None:
    """Raise TooLarge if these are too many for an event."""
    if len(members) > MAX_MEMBERS:
        raise TooLarge(f"{len(members)} {noun} on one entry, expected at most {MAX_MEMBERS}")


def merge_line(line: bytes, time_ns: bytes | None, extras: Extras) -> bytes | None:
    """Return the line of an entry that is an object, or None if it is not."""
    if not line.lstrip(BLANKS).startswith(b"{"):
        return None
    merged = merge_extras(line, time_ns, extras)
    return None if merged is None else merged + b"\n"


def write_text(text: bytes, time_ns: bytes | None, extras: Extras) -> bytes:
    """Return the line of an entry that is a text, given as JSON."""
    if time_ns is None:
        return b'{"message":%b%b}\n' % (text, extras.fit(TEXT_ONLY, has_time=False))
    suffix = extras.fit(TEXT_ONLY, has_time=True)
    return b'{"timestamp":%b,"message":%b%b}\n' % (time_ns, text, suffix)


def read_json(body: bytes) -> PushLines:
    """Return the lines of a body; raise Invalid if it is not a push, TooLarge if it has too many values."""
    push = PushLines()
    for stream in decode_body(body).streams or ():
        read_stream(stream, push)
    return push


def decode_body(body: bytes) -> PushBody:
    if body.count(b",") > MAX_COMMAS:
        raise TooLarge(
            f"the body has more than {MAX_COMMAS} commas, expected fewer entries at a time"
        )
    if not is_utf8(body):
        body = body.decode(errors="replace").encode()
    try:
        return BODY.decode(body)
    except (msgspec.DecodeError, RecursionError):
        body = mend_surrogates(body)
    try:
        return BODY.decode(body)
    except msgspec.ValidationError as error:
        raise Invalid(
            f"the body is not a push: {describe_decoding_error(str(error))}, in an object with streams"
        ) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise Invalid(f"the body is not valid JSON: {error}") from error


def is_utf8(body: bytes) -> bool:
    """Return whether it is UTF-8, checked in slices, because text can take four times the memory."""
    if body.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), SLICE_BYTES):
            decoder.decode(body[start : start + SLICE_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def read_stream(raw: Raw, push: PushLines) -> None:
    try:
        stream = STREAM.decode(raw)
        entries = [*(stream.values or ()), *(stream.entries or ())]
        extras = push.open_stream(read_labels(stream.stream or stream.labels), len(entries))
        push.lines += [read_entry(entry, extras) for entry in entries]
    except (msgspec.DecodeError, Invalid):
        salvage_stream(raw, push)


def salvage_stream(raw: Raw, push: PushLines) -> None:
    """Read a stream with errors entry by entry."""
    try:
        stream = LOOSE_STREAM.decode(raw)
        values, entries = stream.values or [], stream.entries or []
        labels = read_labels(stream.stream or stream.labels)
    except (msgspec.DecodeError, Invalid):
        push.keep_fault(raw, Extras({}))
        return
    extras = push.open_stream(labels, len(values) + len(entries))
    for entry in values + entries:
        try:
            push.lines.append(read_entry(decode_entry(entry), extras))
        except (msgspec.DecodeError, Invalid):
            push.keep_fault(entry, extras.labels)


def decode_entry(raw: Raw) -> PushEntry | FirstEntry:
    decoder = FIRST_ENTRY if memoryview(raw)[0] == ord("{") else ENTRY
    return decoder.decode(raw)


def read_entry(entry: PushEntry | FirstEntry, extras: StreamExtras) -> bytes:
    """Return the line of an entry; raise DecodeError or Invalid if it is malformed."""
    line = bytes(entry.line)
    joined = find_extras(bytes(entry.metadata), extras)
    time_ns = read_time(bytes(entry.time))
    if line.startswith(OBJECT_STARTS):
        merged = merge_line(TEXT.decode(line).encode(), time_ns, joined)
        if merged is not None:
            return merged
    if not line.startswith(b'"'):
        raise Invalid(f"line {line[:100]!r}, expected a text")
    return write_text(line, time_ns, joined)


def find_extras(metadata: bytes, extras: StreamExtras) -> Extras:
    """Return labels and structured metadata; raise DecodeError if it is not an object."""
    if metadata in NO_METADATA:
        return extras.labels
    return extras.find(metadata) or extras.join(metadata, write_texts(METADATA.decode(metadata)))


def read_time(text: bytes) -> bytes | None:
    """Return the JSON text of a valid time, or None for null, 0 and invalid times."""
    plain = PLAIN_TIME.fullmatch(text)
    if plain:
        return plain[1]
    is_quoted = text.startswith(b'"')
    parsed = parse_time(TEXT.decode(text) if is_quoted else text.decode(), quoted=is_quoted)
    if not parsed or not parsed.time_ns:
        return None
    digits = text.strip(b'"')
    return digits if digits.isdigit() and not digits.startswith(b"0") else text


def read_labels(labels: Labels) -> Texts:
    return parse_labels(labels) if isinstance(labels, str) else write_texts(labels or {})


def write_texts(values: Members) -> Texts:
    """Return the values as JSON strings: others become their JSON text; null counts as absent."""
    texts: Texts = {}
    for name, value in values.items():
        text = bytes(value)
        if text.startswith(b'"'):
            texts[name] = text
        elif text != b"null":
            texts[name] = msgspec.json.encode(text.decode())
    return texts


def parse_labels(text: str) -> Texts:
    """Return labels written `{name="value", …}`; raise Invalid if they are malformed."""
    inner = text.strip()
    labels: Texts = {}
    if not inner:
        return labels
    if not (inner.startswith("{") and inner.endswith("}")):
        raise Invalid(f"labels {text[:100]!r}, expected them in braces")
    inner, at = inner[1:-1].strip(), 0
    while at < len(inner):
        label = LABEL.match(inner, at)
        if label is None:
            raise Invalid(f'labels {text[:100]!r}, expected name="value" and commas between them')
        labels[unquote(label["name"])] = msgspec.json.encode(unquote(label["value"]))
        at = label.end()
    return labels


def unquote(text: str) -> str:
    """Return a name or text in Go syntax: double quotes with escapes, backticks, or bare."""
    if text[0] not in '"`':
        return text
    if text[0] == "`" or "\\" not in text:
        return text[1:-1]
    return ESCAPE.sub(undo_escape, text[1:-1].encode()).decode(errors="replace")


def undo_escape(escape: re.Match[bytes]) -> bytes:
    if escape["byte"] or escape["octal"]:
        return bytes([int(escape["byte"], 16) if escape["byte"] else int(escape["octal"], 8)])
    if escape["other"]:
        return CONTROLS.get(escape["other"], escape["other"])
    code = int(escape["short"] or escape["long"], 16)
    return chr(code).encode(errors="replace") if code <= sys.maxunicode else escape[0]

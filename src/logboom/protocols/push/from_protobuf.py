"""The push body in protobuf, compressed with snappy: the only form that some shippers support."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from google.protobuf.descriptor_pb2 import (
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from msgspec.json import encode

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid, TooLarge
from logboom.model.timestamps import MAX_TIME_NS, MIN_TIME_NS, render_number
from logboom.protocols.merging import Extras
from logboom.protocols.push.from_json import (
    MAX_BODY_BYTES,
    PushLines,
    StreamExtras,
    Texts,
    merge_line,
    parse_labels,
    write_text,
)
from logboom.web.encodings import BodyDecoder

FIRST_STREAM = b"\x0a"
"""How an uncompressed message starts."""
NANOSECONDS_FROM = 10**17
"""Smaller numbers would be read in another unit."""

MAX_PARTS = 4_000_000
TAGS = (b"\x0a", b"\x12", b"\x1a")
"""Every part of a message starts with it: limits the parts, which take many times the memory of their bytes."""

FieldType: TypeAlias = "FieldDescriptorProto.Type.ValueType | str"
"""A plain type, or the name of a message; `*` marks lists."""
INT, BYTES = FieldDescriptorProto.TYPE_INT64, FieldDescriptorProto.TYPE_BYTES
MESSAGES: dict[str, dict[str, FieldType]] = {
    "Time": {"seconds": INT, "nanos": INT},
    "Pair": {"name": BYTES, "value": BYTES},
    "Entry": {"time": "Time", "line": BYTES, "metadata": "*Pair"},
    "Stream": {"labels": BYTES, "entries": "*Entry"},
    "Push": {"streams": "*Stream"},
}
"""Fields in the order of their numbers. Texts are bytes, so that invalid UTF-8 affects nothing else."""


def build_messages() -> type[Message]:
    """Return the message class of a push, built here because no package has it."""
    file = FileDescriptorProto(name="push.proto", package="push", syntax="proto3")
    for name, fields in MESSAGES.items():
        described = [
            describe_field(field, number, kind)
            for number, (field, kind) in enumerate(fields.items(), 1)
        ]
        file.message_type.add(name=name, field=described)
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    push: type[Message] = GetMessageClass(pool.FindMessageTypeByName("push.Push"))
    return push


def describe_field(name: str, number: int, kind: FieldType) -> FieldDescriptorProto:
    field = FieldDescriptorProto(name=name, number=number)
    if not isinstance(kind, str):
        field.label, field.type = field.LABEL_OPTIONAL, kind
    else:
        field.label = field.LABEL_REPEATED if kind.startswith("*") else field.LABEL_OPTIONAL
        field.type, field.type_name = field.TYPE_MESSAGE, f".push.{kind.removeprefix('*')}"
    return field


PUSH = build_messages()


def read_protobuf(body: bytes) -> PushLines:
    """Return the lines of a body, compressed or not; raise Invalid if it is not a push, TooLarge if it is too large."""
    push = PushLines()
    for stream in parse_push(body).streams:
        read_stream(stream, push)
    return push


def parse_push(body: bytes) -> Any:
    if not body.startswith(FIRST_STREAM):
        return parse_message(unpack(body))
    try:
        return parse_message(body)
    except Invalid as error:
        try:  # a compressed message of ten bytes starts like this too
            return parse_message(unpack(body))
        except Invalid:
            raise error from None


def unpack(body: bytes) -> bytes:
    """Decompress a body that is a snappy block without saying so."""
    decoder = BodyDecoder("snappy")
    return b"".join([*decoder.feed(body), *decoder.finish()])


def parse_message(body: bytes) -> Any:
    if sum(map(body.count, TAGS)) > MAX_PARTS or len(body) > MAX_BODY_BYTES:
        raise TooLarge(f"the body is {len(body)} bytes long, expected fewer entries at a time")
    try:
        return PUSH.FromString(body)
    except DecodeError as error:
        raise Invalid(f"the body is not a valid protobuf push: {error}") from error


def read_stream(stream: Any, push: PushLines) -> None:
    text = stream.labels.decode(errors="replace")
    entries = stream.entries
    try:
        labels = parse_labels(text)
    except Invalid:
        labels = {"labels": encode(text)}
        push.faults += len(entries)
    extras = push.open_stream(labels, len(entries))
    push.lines += [read_entry(entry, extras) for entry in entries]


def read_entry(entry: Any, extras: StreamExtras) -> bytes:
    line: bytes = entry.line
    joined = find_extras(entry.metadata, extras) if entry.metadata else extras.labels
    time_ns = write_time(entry.time.seconds * NS_PER_S + entry.time.nanos)
    merged = merge_line(line, time_ns, joined)
    return merged or write_text(encode(line.decode(errors="replace")), time_ns, joined)


def find_extras(metadata: Sequence[Any], extras: StreamExtras) -> Extras:
    pairs = tuple((pair.name, pair.value) for pair in metadata)
    return extras.find(pairs) or extras.join(pairs, write_pairs(pairs))


def write_pairs(pairs: Iterable[tuple[bytes, bytes]]) -> Texts:
    return {
        name.decode(errors="replace"): encode(value.decode(errors="replace"))
        for name, value in pairs
    }


def write_time(time_ns: int) -> bytes | None:
    """Return the JSON text of a time, or None for 0 and for times out of range."""
    if time_ns == 0 or not MIN_TIME_NS <= time_ns <= MAX_TIME_NS:
        return None
    if abs(time_ns) < NANOSECONDS_FROM:
        return render_number(time_ns, "s", 9).encode()
    return b"%d" % time_ns

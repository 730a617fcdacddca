"""The official OTLP messages, also read if texts in them are not UTF-8: a bad text must not lose a record."""

from typing import TypeVar

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2

from logboom.base.errors import Invalid
from logboom.protocols.otlp.record import MAX_MESSAGE_BYTES

Parsed = TypeVar("Parsed", bound=Message)


def parse_message(kind: type[Parsed], data: bytes) -> Parsed:
    """Decode a message; raise Invalid if the bytes are something else. Invalid UTF-8 is replaced."""
    if len(data) > MAX_MESSAGE_BYTES:
        raise Invalid(f"it has {len(data)} bytes, expected at most {MAX_MESSAGE_BYTES}")
    try:
        parsed: Parsed = kind.FromString(data)
    except DecodeError:
        parsed = parse_loosely(kind, data)
    return parsed


def parse_loosely(kind: type[Parsed], data: bytes) -> Parsed:
    loose_kind = GetMessageClass(LOOSE.FindMessageTypeByName(kind.DESCRIPTOR.full_name))
    try:
        loose = loose_kind.FromString(data)
        mend_texts(loose)
        parsed: Parsed = kind.FromString(loose.SerializeToString())
    except DecodeError as error:
        raise Invalid(f"it is not a protobuf {kind.DESCRIPTOR.name}") from error
    return parsed


def mend_texts(loose: Message) -> None:
    """Replace invalid UTF-8 in the texts of a loose message."""
    for field, value in loose.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type is not None:
            for inner in values:
                mend_texts(inner)
        elif field.full_name in TEXT_FIELDS:
            mended = [text.decode(errors="replace").encode() for text in values]
            if field.is_repeated:
                value[:] = mended
            else:
                setattr(loose, field.name, mended[0])


def loosen(message: DescriptorProto, name: str) -> set[str]:
    """Turn the texts of a message type into bytes; return the full names of these fields."""
    texts = [field for field in message.field if field.type == FieldDescriptorProto.TYPE_STRING]
    for field in texts:
        field.type = FieldDescriptorProto.TYPE_BYTES
    return {f"{name}.{field.name}" for field in texts}


def loosen_all() -> tuple[DescriptorPool, set[str]]:
    """Return the message types with bytes instead of texts, identical on the wire, and which fields were texts."""
    pool, texts = DescriptorPool(), set[str]()
    for module in (common_pb2, resource_pb2, logs_pb2):
        file = FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        for message in file.message_type:
            texts |= loosen(message, f"{file.package}.{message.name}")
        pool.AddSerializedFile(file.SerializeToString())
    return pool, texts


LOOSE, TEXT_FIELDS = loosen_all()

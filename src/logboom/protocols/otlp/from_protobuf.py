"""OTLP logs in protobuf: the frame is walked record by record, so that a damaged one fails alone.

Each record is decoded separately with the official messages.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from logboom.base.compiled import find_compiled
from logboom.base.errors import Invalid, TooLarge
from logboom.protocols.otlp.messages import parse_message
from logboom.protocols.otlp.record import (
    Attributes,
    Origin,
    OtlpRecord,
    Report,
    Value,
    name_scope,
)

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
FIXED_BYTES = {FIXED64: 8, FIXED32: 4}
MAX_VARINT_BYTES = 10
MORE = 0x80
"""The bit of a byte that says that the number continues."""
MAX_GROUPS = 100_000
"""Resources and scopes of a request: empty ones take two bytes, and much longer to read than that."""
SLICE_PAIRS = 1000
RESOURCE_LOGS = 1
RESOURCE, SCOPE_LOGS = 1, 2
SCOPE, LOG_RECORDS = 1, 2


Span = tuple[int, int]
"""Start and end of a part of the body."""


def read_protobuf(body: bytes, report: Report) -> Iterator[bytes]:
    """Yield the events of an ExportLogsServiceRequest, one line each.

    Raises Invalid if its frame is damaged, TooLarge if it has too many resources or scopes.
    """
    number = groups = 0
    for group in list_parts(body, (0, len(body)), RESOURCE_LOGS):
        groups = count_group(groups)
        resource = read_resource(find_part(body, group, RESOURCE), report)
        for scope_logs in list_parts(body, group, SCOPE_LOGS):
            groups = count_group(groups)
            scope = read_scope(find_part(body, scope_logs, SCOPE), report)
            origin = Origin(resource, scope)
            for start, end in list_parts(body, scope_logs, LOG_RECORDS):
                try:
                    yield origin.render(
                        read_compiled(body, start, end) or read_record(body[start:end])
                    )
                except Invalid as error:
                    report.remark(f"record {number} is rejected: {error}", rejected=1)
                number += 1


def count_group(groups: int) -> int:
    if groups >= MAX_GROUPS:
        raise TooLarge(f"more than {MAX_GROUPS} resources and scopes, expected smaller batches")
    return groups + 1


def open_compiled() -> Callable[[bytes, int, int], tuple[Any, ...] | None]:
    """Return a much faster reader of ordinary records; it returns None for any other record."""
    wire = find_compiled("logboom.protocols._wire")
    return wire.read_log_record if wire else lambda _body, _start, _end: None


read_usual = open_compiled()


def read_compiled(body: bytes, start: int, end: int) -> OtlpRecord | None:
    values = read_usual(body, start, end)
    return None if values is None else OtlpRecord(*values)


def find_part(body: bytes, span: Span, number: int) -> bytes:
    """Return the content of a field that occurs at most once; empty if absent."""
    for start, end in list_parts(body, span, number):
        return body[start:end]
    return b""


def list_parts(body: bytes, span: Span, number: int) -> Iterator[Span]:
    """Yield the positions of the fields of this number in the message at `span`; all others are skipped."""
    at, end = span
    wanted = number << 3 | LENGTH
    while at < end:
        tag = body[at]
        at += 1
        if tag >= MORE:
            tag, at = read_varint(body, at - 1)
        if tag & 7 == LENGTH:
            size, at = read_varint(body, at)
        else:
            size, at = measure_scalar(body, at, tag & 7)
        if size > end - at:
            raise Invalid("the body is not OTLP logs in protobuf: a field ends beyond its message")
        if tag == wanted:
            yield at, at + size
        at += size


def read_varint(body: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and its end."""
    value = shift = 0
    for byte in body[at : at + MAX_VARINT_BYTES]:
        at += 1
        if byte < MORE:
            return value | byte << shift, at
        value |= (byte - MORE) << shift
        shift += 7
    raise Invalid(f"the body is not OTLP logs in protobuf: no number ends at byte {at}")


def measure_scalar(body: bytes, at: int, kind: int) -> tuple[int, int]:
    """Return the size of a field without a length, and its start."""
    if kind == VARINT:
        return 0, read_varint(body, at)[1]
    if kind not in FIXED_BYTES:
        raise Invalid(f"the body is not OTLP logs in protobuf: wire type {kind} at byte {at}")
    return FIXED_BYTES[kind], at


def read_record(data: bytes) -> OtlpRecord:
    """Decode a LogRecord; raise Invalid if the bytes are something else."""
    message = parse_message(LogRecord, data)
    return OtlpRecord(
        message.time_unix_nano,
        message.observed_time_unix_nano,
        message.severity_number,
        message.severity_text,
        message.body.string_value or read_value(message.body),
        read_attributes(message.attributes),
        message.flags,
        message.trace_id.hex(),
        message.span_id.hex(),
        message.event_name,
    )


def read_resource(data: bytes, report: Report) -> Attributes:
    """Return the attributes of a Resource; empty if it is damaged."""
    try:
        return read_attributes(parse_message(Resource, data).attributes)
    except Invalid as error:
        report.remark(f"a resource is left out: {error}")
        return {}


def read_scope(data: bytes, report: Report) -> Attributes:
    """Return the fields of an InstrumentationScope; empty if it is damaged."""
    try:
        scope = parse_message(InstrumentationScope, data)
    except Invalid as error:
        report.remark(f"a scope is left out: {error}")
        return {}
    return name_scope(scope.name, scope.version, read_attributes(scope.attributes))


def read_attributes(pairs: Sequence[KeyValue]) -> dict[str, Value]:
    """Return attributes by key; of those with the same key the last wins."""
    # A slice is a list, which is faster to iterate, but takes much memory. Most values are texts.
    return {
        pair.key: pair.value.string_value or read_value(pair.value)
        for start in range(0, len(pairs), SLICE_PAIRS)
        for pair in pairs[start : start + SLICE_PAIRS]
    }


def read_value(value: AnyValue) -> Value:
    # Testing for the usual field is cheaper than asking which one is set.
    usual = value.string_value or value.int_value
    if usual:
        return usual
    number = value.double_value
    if number:
        return number if math.isfinite(number) else name_number(number)
    kind = value.WhichOneof("value")
    return READERS[kind](value) if kind in READERS else None


def name_number(number: float) -> str:
    """Return the name of a number that is not finite, which JSON cannot express."""
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


READERS: dict[str | None, Callable[[AnyValue], Value]] = {
    "string_value": lambda value: value.string_value,
    "bool_value": lambda value: value.bool_value,
    "int_value": lambda value: value.int_value,
    "double_value": lambda value: value.double_value,
    "array_value": lambda value: [read_value(item) for item in value.array_value.values],
    "kvlist_value": lambda value: read_attributes(value.kvlist_value.values),
    "bytes_value": lambda value: value.bytes_value,
}

"""OTLP logs in JSON: each part is decoded separately, so that a wrong one fails alone.

A part that cannot be decoded is kept as an event whose message is its text.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from logboom.base.errors import Invalid, TooLarge
from logboom.base.patterns import compile_later
from logboom.protocols.otlp.record import (
    MAX_MESSAGE_BYTES,
    SEVERITIES,
    Attributes,
    Origin,
    OtlpRecord,
    Report,
    Value,
    name_scope,
)

MAX_COMMAS = 4_000_000
"""Limits the values of a body, each of which takes many times the memory of its text."""
MAX_UINT64 = 2**64 - 1
NUMBER = compile_later(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
COUNT = compile_later(r"\d{1,20}", re.ASCII)
HEX = compile_later(r"[0-9a-fA-F]*")
ESCAPE = compile_later(
    rb"(\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(?![dD][89a-fA-F])|\\[^u])|\\u[dD][89a-fA-F].."
)
"""Any escape; the group is empty for a lone surrogate."""
STEPS = ("UNSPECIFIED", *(name + step for name in SEVERITIES for step in ("", "2", "3", "4")))
SEVERITY_NUMBERS = {f"SEVERITY_NUMBER_{name}": number for number, name in enumerate(STEPS)}
ABSENT = Raw(b"null")

T = TypeVar("T")


class JsonValue(Struct, rename="camel"):
    """AnyValue."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Raw = ABSENT
    double_value: Raw = ABSENT
    array_value: "JsonArray | None" = None
    kvlist_value: "JsonMembers | None" = None
    bytes_value: str | None = None


class JsonArray(Struct):
    """ArrayValue."""

    values: list[JsonValue | None] | None = None


class JsonPair(Struct):
    """KeyValue."""

    key: str = ""
    value: JsonValue | None = None


JsonPairs = list[JsonPair | None] | None


class JsonMembers(Struct):
    """KeyValueList."""

    values: JsonPairs = None


class JsonRecord(Struct, rename="camel"):
    """LogRecord."""

    time_unix_nano: int | str | None = None
    observed_time_unix_nano: int | str | None = None
    severity_number: int | str | None = None
    severity_text: str | None = None
    body: JsonValue | None = None
    attributes: JsonPairs = None
    flags: int | str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None


class JsonScope(Struct):
    """InstrumentationScope."""

    name: str | None = None
    version: str | None = None
    attributes: JsonPairs = None


class JsonResource(Struct):
    """Resource."""

    attributes: JsonPairs = None


class JsonScopeLogs(Struct, rename="camel"):
    """ScopeLogs."""

    scope: Raw = ABSENT
    log_records: list[Raw] | None = None


class JsonResourceLogs(Struct, rename="camel"):
    """ResourceLogs."""

    resource: Raw = ABSENT
    scope_logs: list[Raw] | None = None


class JsonRequest(Struct, rename="camel"):
    """ExportLogsServiceRequest."""

    resource_logs: list[Raw] | None = None


def read_json(body: bytes, report: Report) -> Iterator[bytes]:
    """Return the events of an ExportLogsServiceRequest, one line each; raise Invalid if the body is something else."""
    if body.count(b",") > MAX_COMMAS:
        raise TooLarge(f"the body has more than {MAX_COMMAS} values, expected smaller batches")
    request = decode(body, JsonRequest)
    return JsonReader(report).read_request(request)


class JsonReader:
    """Reads one request."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._number = 0

    def read_request(self, request: JsonRequest) -> Iterator[bytes]:
        nowhere = Origin({}, {})
        for part in request.resource_logs or ():
            try:
                group = decode(part, JsonResourceLogs)
            except Invalid as error:
                yield from self._keep_text(nowhere, part, error)
                continue
            resource = self._read_resource(group.resource)
            for inner in group.scope_logs or ():
                yield from self._read_scope_logs(inner, resource)

    def _read_scope_logs(self, part: Raw, resource: Attributes) -> Iterator[bytes]:
        try:
            group = decode(part, JsonScopeLogs)
        except Invalid as error:
            yield from self._keep_text(Origin(resource, {}), part, error)
            return
        origin = Origin(resource, self._read_scope(group.scope))
        for text in group.log_records or ():
            try:
                line = origin.render(read_record(decode(text, JsonRecord)))
            except Invalid as error:
                yield from self._keep_text(origin, text, error)
                continue
            self._number += 1
            yield line

    def _keep_text(self, origin: Origin, part: Raw, error: Invalid) -> Iterator[bytes]:
        text = bytes(part)
        number, self._number = self._number, self._number + 1
        if len(text) > MAX_MESSAGE_BYTES:
            self._report.remark(f"record {number} is rejected: {error}", rejected=1)
            return
        self._report.remark(f"record {number} is kept as text: {error}")
        yield origin.render(OtlpRecord(body=text.decode(errors="replace")))

    def _read_resource(self, part: Raw) -> Attributes:
        if part == ABSENT:
            return {}
        try:
            resource = decode(part, JsonResource)
        except Invalid as error:
            self._report.remark(f"a resource is left out: {error}")
            return {}
        return read_attributes(resource.attributes)

    def _read_scope(self, part: Raw) -> Attributes:
        if part == ABSENT:
            return {}
        try:
            scope = decode(part, JsonScope)
        except Invalid as error:
            self._report.remark(f"a scope is left out: {error}")
            return {}
        return name_scope(scope.name or "", scope.version or "", read_attributes(scope.attributes))


def decode(text: bytes | Raw, kind: type[T]) -> T:
    """Decode a part of the request; raise Invalid if it is something else."""
    decoder = DECODERS[kind]
    try:
        decoded: T = decoder.decode(text)
    except (ValueError, RecursionError):
        try:
            decoded = decoder.decode(mend_text(bytes(text)))
        except (ValueError, RecursionError) as error:
            raise Invalid(f"it is not OTLP logs in JSON: {error}") from error
    return decoded


def mend_text(text: bytes) -> bytes:
    """Replace invalid UTF-8 and lone surrogates by replacement characters."""
    readable = text.decode(errors="replace").encode()
    return ESCAPE.sub(lambda escape: escape[1] or rb"\ufffd", readable)


def read_record(record: JsonRecord) -> OtlpRecord:
    return OtlpRecord(
        read_count(record.time_unix_nano),
        read_count(record.observed_time_unix_nano),
        read_severity(record.severity_number),
        record.severity_text or "",
        read_value(record.body),
        read_attributes(record.attributes),
        read_count(record.flags),
        read_id(record.trace_id),
        read_id(record.span_id),
        record.event_name or "",
    )


def read_count(value: int | str | None) -> int:
    """Return an unsigned number, which may be quoted; 0 if absent."""
    if not value:
        return 0
    if isinstance(value, str) and not COUNT.fullmatch(value):
        raise Invalid(f"number {value[:40]!r}, expected digits")
    count = int(value)
    if not 0 <= count <= MAX_UINT64:
        raise Invalid(f"number {str(value)[:40]}, expected 0 to {MAX_UINT64}")
    return count


def read_severity(value: int | str | None) -> int:
    """Return a severity by number or by its name in the protocol."""
    if isinstance(value, str) and value in SEVERITY_NUMBERS:
        return SEVERITY_NUMBERS[value]
    return read_count(value)


def read_id(text: str | None) -> str:
    """Return an id as lower-case hexadecimal digits; any other text stays as it is."""
    return text.lower() if text and HEX.fullmatch(text) else text or ""


def read_attributes(pairs: JsonPairs) -> dict[str, Value]:
    """Return attributes by key; of those with the same key the last wins."""
    return {pair.key: read_value(pair.value) for pair in pairs or () if pair}


def read_value(value: JsonValue | None) -> Value:
    for name, read in READERS.items():
        content = getattr(value, name, None)
        found = None if content is None else read(content)
        if found is not None:
            return found
    return None


def read_number(raw: Raw) -> Value:
    """Return a number as it was written, without quotes; any other quoted text stays."""
    # Raw values were not decoded yet and may not be UTF-8.
    text = bytes(raw).decode(errors="replace")
    if text.startswith('"'):
        content = decode(raw, str)
        return Raw(content.encode()) if NUMBER.fullmatch(content) else content
    if NUMBER.fullmatch(text):
        return raw
    if raw == ABSENT:
        return None
    raise Invalid(f"value {text[:40]}, expected a number")


READERS: dict[str, Callable[[Any], Value]] = {
    "string_value": str,
    "bool_value": bool,
    "int_value": read_number,
    "double_value": read_number,
    "array_value": lambda array: [read_value(item) for item in array.values or ()],
    "kvlist_value": lambda members: read_attributes(members.values),
    "bytes_value": str,
}
"""The members of a value, of which exactly one should be present."""

DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind)
    for kind in (
        *(JsonRequest, JsonResourceLogs, JsonResource),
        *(JsonScopeLogs, JsonScope, JsonRecord, str),
    )
}

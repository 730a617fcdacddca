"""A valid request of each kind that the compatibility endpoints accept, to be sent unchanged or corrupted."""

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import cramjam
import zstandard
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
JOURNAL = "application/vnd.fdo.journal"
TIME_NS = 1_794_700_000_000_000_000


@dataclass(frozen=True)
class Seed:
    """A request that is answered with success."""

    path: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def make_bulk(numbers: range) -> bytes:
    """Return an action of every kind that brings a document, in turn."""
    actions = ["index", "create", "update"]
    lines: list[object] = []
    for number in numbers:
        action = actions[number % 3]
        event = {"message": f"bulk {number}", "n": number, "nested": {"a": [1, 2.5], "b": None}}
        lines += [{action: {"_index": "fuzz", "_id": str(number)}}]
        lines += [{"doc": event} if action == "update" else event]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def make_push(numbers: range) -> bytes:
    texts = [json.dumps({"n": number, "message": f"push {number}"}) for number in numbers]
    values = [
        [str(TIME_NS + number), text, {"trace": "t"}]
        for number, text in zip(numbers, texts, strict=True)
    ]
    return json.dumps({"streams": [{"stream": {"app": "a", "n": "-1"}, "values": values}]}).encode()


def make_collector(numbers: range) -> bytes:
    return b"".join(
        json.dumps(
            {
                "time": f"{TIME_NS / 1e9:.3f}",
                "host": "h",
                "source": "s",
                "sourcetype": None,
                "index": "fuzz",
                "fields": {"f": "x}{"},
                "event": {"n": number, "message": f"collector {number}"},
            }
        ).encode()
        for number in numbers
    )


def make_otlp(numbers: range) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    logs = request.resource_logs.add()
    logs.resource.attributes.add(key="service.name").value.string_value = "fuzz"
    scope = logs.scope_logs.add()
    scope.scope.name = "scope"
    for number in numbers:
        record = scope.log_records.add(time_unix_nano=TIME_NS + number, severity_number=9)
        record.body.string_value = f"otlp {number}"
        record.trace_id = bytes(range(16))
        record.attributes.add(key="n").value.int_value = number
        record.attributes.add(key="ratio").value.double_value = 0.5
        pairs = record.attributes.add(key="map").value.kvlist_value
        pairs.values.add(key="inner").value.array_value.values.add().bool_value = True
    return request


def make_otlp_json(numbers: range) -> bytes:
    records = [
        {
            "timeUnixNano": str(TIME_NS + number),
            "severityText": "INFO",
            "body": {"stringValue": f"otlp {number}"},
            "traceId": "5B8EFFF798038103D269B633813FC60C",
            "attributes": [{"key": "n", "value": {"intValue": str(number)}}],
        }
        for number in numbers
    ]
    scopes = [{"scope": {"name": "s"}, "logRecords": records}]
    return json.dumps({"resourceLogs": [{"scopeLogs": scopes}]}).encode()


def make_journal(numbers: range) -> bytes:
    """Return journal entries with a value that is one line of text, and one that is not."""
    text = b"two\nlines"
    return b"".join(
        b"__REALTIME_TIMESTAMP=%d\nPRIORITY=6\nN=%d\nMESSAGE=journal %d\nTEXT\n%b%b\n\n"
        % (TIME_NS // 1_000, number, number, len(text).to_bytes(8, "little"), text)
        for number in numbers
    )


def list_seeds(numbers: range) -> dict[str, list[Seed]]:
    """Return valid requests by protocol; each has one event for each number, in its field `n`."""
    otlp = make_otlp(numbers).SerializeToString()
    bulk, push, collector = make_bulk(numbers), make_push(numbers), make_collector(numbers)
    raw = b"\n".join(b'{"n":%d}' % number for number in numbers)
    return {
        "bulk": [
            Seed("/_bulk", bulk, {"Content-Type": "application/x-ndjson"}),
            Seed("/api/es/other/_bulk", gzip.compress(bulk), {"Content-Encoding": "gzip"}),
        ],
        "otlp": [
            Seed("/v1/logs", otlp, {"Content-Type": PROTOBUF}),
            Seed(
                "/api/otlp/v1/logs",
                zstandard.compress(otlp),
                {"Content-Type": PROTOBUF, "Content-Encoding": "zstd"},
            ),
            Seed("/v1/logs", make_otlp_json(numbers), {"Content-Type": JSON}),
        ],
        "push": [
            Seed("/loki/api/v1/push", push, {"Content-Type": JSON}),
            Seed(
                "/logpush/api/v1/push",
                zlib.compress(push),
                {"Content-Type": JSON, "Content-Encoding": "deflate"},
            ),
            Seed(
                "/loki/api/v1/push",
                bytes(cramjam.snappy.compress_raw(push)),
                {"Content-Type": JSON, "Content-Encoding": "snappy"},
            ),
        ],
        "collector": [
            Seed("/services/collector", collector),
            Seed(
                "/services/collector/event/1.0",
                b"\n".join([collector, b""]),
                {"Content-Type": JSON},
            ),
            Seed("/services/collector/raw", raw),
        ],
        "journal": [
            Seed("/upload", make_journal(numbers), {"Content-Type": JOURNAL}),
            Seed(
                "/api/journal/fuzz/upload",
                zstandard.compress(make_journal(numbers)),
                {"Content-Type": JOURNAL, "Content-Encoding": "zstd"},
            ),
        ],
    }

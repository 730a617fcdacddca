"""Measures CPU per event of the compatibility endpoints, compared with the native endpoint."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from bench.report import Figure
from bench.ways import Way, compare
from bench.workbench import Workbench

STREAMS = 10
TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LABELS = {"cluster": "eu-1", "namespace": "shop", "pod": "web-7f9c", "container": "app"}
RESOURCE = {"service.name": "shop", "host.name": "web-1", "os.type": "linux"}
ENVELOPE = b'{"time":%b,"host":"web-1","sourcetype":"_json","index":"default","event":%b}'


def encode_bulk(body: bytes) -> bytes:
    action = b'{"create":{"_index":"default"}}\n'
    return b"".join(action + line for line in body.splitlines(keepends=True))


def find_time_ns(line: bytes) -> int:
    """Return when an event happened, to the millisecond: its first text that is such a time."""
    found = TIME.search(line)
    assert found
    return int(datetime.fromisoformat(found[0].decode()).timestamp() * 1000) * 1_000_000


def encode_push(body: bytes) -> bytes:
    """Return the events as JSON lines of a few streams."""
    values = [[str(find_time_ns(line)), line.decode()] for line in body.splitlines()]
    streams = [
        {"stream": LABELS | {"stream": str(number)}, "values": values[number::STREAMS]}
        for number in range(STREAMS)
    ]
    return msgspec.json.encode({"streams": streams})


def encode_collector(body: bytes) -> bytes:
    return b"".join(
        ENVELOPE % (b"%.3f" % (find_time_ns(line) / 1e9), line) for line in body.splitlines()
    )


def encode_otlp(body: bytes) -> bytes:
    """Return the events as log records: their message is the body, their other members are attributes."""
    request = ExportLogsServiceRequest()
    logs = request.resource_logs.add()
    for key, value in RESOURCE.items():
        logs.resource.attributes.add(key=key).value.string_value = value
    scope = logs.scope_logs.add()
    scope.scope.name = "bench"
    for line in body.splitlines():
        event = msgspec.json.decode(line)
        record = scope.log_records.add(time_unix_nano=find_time_ns(line), severity_number=9)
        for key, value in event.items():
            if key in ("message", "msg"):
                record.body.string_value = str(value)
            elif key not in ("timestamp", "ts", "time"):
                fill(record.attributes.add(key=key).value, value)
    return bytes(request.SerializeToString())


def fill(target: AnyValue, value: Any) -> None:
    if isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int):
        target.int_value = value
    elif isinstance(value, float):
        target.double_value = value
    elif isinstance(value, list):
        for item in value:
            fill(target.array_value.values.add(), item)
    elif isinstance(value, dict):
        for key, item in value.items():
            fill(target.kvlist_value.values.add(key=key).value, item)
    elif value is not None:
        target.string_value = str(value)


WAYS: Mapping[str, Way] = {
    "bulk": Way("/_bulk", "application/x-ndjson", encode_bulk, 1.3),
    "OTLP protobuf": Way("/v1/logs", "application/x-protobuf", encode_otlp, 2.5),
    "push": Way("/loki/api/v1/push", "application/json", encode_push, 2.5),
    "collector": Way("/services/collector/event", "application/json", encode_collector, 2.5),
}


def measure_protocols(workbench: Workbench) -> list[Figure]:
    return compare(workbench, "native", WAYS)

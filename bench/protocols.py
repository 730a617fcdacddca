"""CPU per event of the compatibility endpoints, beside the native endpoint with the same events."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from bench.dataset import Dataset
from bench.load import BATCH, CLIENTS, send
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench, note

EVENTS = 200_000
ROUNDS = 3
STREAMS = 10
TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LABELS = {"cluster": "eu-1", "namespace": "shop", "pod": "web-7f9c", "container": "app"}
RESOURCE = {"service.name": "shop", "host.name": "web-1", "os.type": "linux"}
ENVELOPE = b'{"time":%b,"host":"web-1","sourcetype":"_json","index":"default","event":%b}'


def encode_native(body: bytes) -> bytes:
    return body


def encode_bulk(body: bytes) -> bytes:
    action = b'{"create":{"_index":"default"}}\n'
    return b"".join(action + line for line in body.splitlines(keepends=True))


def find_time_ns(line: bytes) -> int:
    """When an event happened, to the millisecond: its first text that is such a time."""
    found = TIME.search(line)
    assert found
    return int(datetime.fromisoformat(found[0].decode()).timestamp() * 1000) * 1_000_000


def encode_push(body: bytes) -> bytes:
    """The events as JSON lines of a few streams."""
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
    """The events as log records: their message is the body, their other members are attributes."""
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


@dataclass(frozen=True)
class Way:
    """One endpoint, how a body of NDJSON is said in its words, and what it may cost beside the native one."""

    path: str
    content_type: str
    encode: Callable[[bytes], bytes]
    target: float | None = None


WAYS: Mapping[str, Way] = {
    "native": Way("/api/ingest", "application/x-ndjson", encode_native),
    "bulk": Way("/_bulk", "application/x-ndjson", encode_bulk, 1.3),
    "OTLP protobuf": Way("/v1/logs", "application/x-protobuf", encode_otlp, 2.5),
    "push": Way("/loki/api/v1/push", "application/json", encode_push, 2.5),
    "collector": Way("/services/collector/event", "application/json", encode_collector, 2.5),
}


def measure_protocols(workbench: Workbench) -> list[Figure]:
    """All ways in turns, so that a busy moment of the machine does not hit one of them only."""
    events = min(EVENTS, workbench.mixed.events)
    spent_s: dict[str, list[float]] = {name: [] for name in WAYS}
    for number in range(ROUNDS):
        for name, way in WAYS.items():
            note(f"{events:,} events by {name}, round {number + 1}")
            spent_s[name].append(load(workbench, way, events))
    best_us = {name: min(several) / events * 1e6 for name, several in spent_s.items()}
    return [
        Figure(
            name=f"ingest CPU, {name}",
            value=best_us[name] / best_us["native"],
            unit="x native",
            target=way.target,
            detail=f"{best_us[name]:.2f} us per event, native {best_us['native']:.2f} us",
            method="server user+system time from before the first request until the flush is answered, in bodies "
            f"of {BATCH:,} events; in turns with the native endpoint and the same events, best of {ROUNDS} each",
        )
        for name, way in WAYS.items()
        if way.target
    ]


def load(workbench: Workbench, way: Way, events: int) -> float:
    """CPU seconds that a fresh server takes for all events."""
    bodies = encode_bodies(workbench.mixed, way, events)
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        server.settle()
        before_s = server.cpu_s()
        send(server, bodies, CLIENTS, way.path, way.content_type)
        client = server.connect(token)
        client.flush()
        cpu_s = server.cpu_s() - before_s
        client.check_total(events)
    return cpu_s


def encode_bodies(dataset: Dataset, way: Way, events: int) -> Iterator[bytes]:
    return map(way.encode, dataset.bodies(BATCH, events))

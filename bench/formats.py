"""CPU per line of the text formats, beside NDJSON with the same number of events."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.client import Client, WrongAnswerError
from bench.load import BATCH, CLIENTS, send
from bench.process import serve
from bench.protocols import EVENTS, ROUNDS, encode_native
from bench.report import Figure
from bench.workbench import Workbench, note

RAW = "/api/ingest/raw?format="
CONTENT_TYPE = "text/plain"

COLUMNS = (
    *("timestamp", "level", "service", "message", "trace_id", "span_id"),
    *("http.method", "http.path", "http.status", "http.duration_ms", "http.bytes"),
    *("http.client_ip", "http.user_agent", "k8s.namespace", "k8s.pod", "k8s.node"),
    *("logger", "thread", "host"),
)
ALIASES = {"ts": "timestamp", "msg": "message"}
SEVERITIES = {"error": 3, "warn": 4, "info": 6, "debug": 7}
LOCAL0 = 16
NEEDS_QUOTES = frozenset(' "=\n')

Fields = dict[str, Any]


def read_events(body: bytes) -> Iterator[Fields]:
    """The events of NDJSON with their fields by dotted names; lists are texts."""
    for line in body.splitlines():
        event = dict(flatten("", json.loads(line)))
        yield {ALIASES.get(name, name): value for name, value in event.items()}


def flatten(prefix: str, event: Fields) -> Iterator[tuple[str, Any]]:
    for name, value in event.items():
        if isinstance(value, dict):
            yield from flatten(f"{prefix}{name}.", value)
        else:
            yield prefix + name, ",".join(map(str, value)) if isinstance(value, list) else value


def write_text(event: Fields) -> str:
    return (
        f"{event['timestamp']} {event.get('level', 'info')} {event['service']} {event['message']}"
    )


def write_logfmt(event: Fields) -> str:
    return " ".join(f"{name}={quote(str(value))}" for name, value in event.items())


def quote(text: str) -> str:
    return json.dumps(text) if not text or NEEDS_QUOTES & set(text) else text


def write_syslog(event: Fields) -> str:
    priority = LOCAL0 * 8 + SEVERITIES[event.get("level", "info")]
    data = "-"
    if "trace_id" in event:
        data = f'[trace@32473 id="{event["trace_id"]}" span="{event["span_id"]}"]'
    names = f"{event.get('host', 'web-1')} {event['service']} 4711 {event.get('logger', '-')}"
    return f"<{priority}>1 {event['timestamp']} {names} {data} {event['message']}"


def write_access(event: Fields) -> str:
    """A line of a web server; events that are no requests are the simplest one."""
    stamp = event["timestamp"]
    time = f"{stamp[8:10]}/Mar/{stamp[:4]}:{stamp[11:19]} +0000"
    request = f"{event.get('http.method', 'GET')} {event.get('http.path', '/')} HTTP/1.1"
    size_bytes = event.get("http.bytes", len(event["message"]))
    agent = event.get("http.user_agent", "curl/8.11.0")
    return (
        f'{event.get("http.client_ip", "10.0.0.1")} - {event["service"]} [{time}] "{request}" '
        f'{event.get("http.status", 200)} {size_bytes} "https://shop.example.com/" "{agent}"'
    )


def encode_lines(write: Callable[[Fields], str], body: bytes) -> bytes:
    return "".join(f"{write(event)}\n" for event in read_events(body)).encode()


def encode_csv(body: bytes) -> bytes:
    """The events below a header; what has no column is left out."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(read_events(body))
    return text.getvalue().encode()


@dataclass(frozen=True)
class Style:
    """A way to write events: where such bodies go, how they are made of NDJSON, what they may cost beside it.

    `proof` is a query that finds every event if all of them were understood.
    """

    path: str
    encode: Callable[[bytes], bytes]
    proof: str = "*"
    target: float | None = None


BASE = "NDJSON"
STYLES: Mapping[str, Style] = {
    BASE: Style("/api/ingest", encode_native),
    "text": Style(f"{RAW}text", partial(encode_lines, write_text), "*", 1.0),
    "logfmt": Style(f"{RAW}logfmt", partial(encode_lines, write_logfmt), "service:*", 2.5),
    "csv": Style(f"{RAW}csv", encode_csv, "service:*", 2.5),
    "syslog": Style(f"{RAW}syslog", partial(encode_lines, write_syslog), "app_name:*", 2.5),
    "grok combined": Style(
        f"{RAW}grok&grok=combined", partial(encode_lines, write_access), "status:*", 4.0
    ),
}


def measure_formats(workbench: Workbench) -> list[Figure]:
    """All in turns, so that a busy moment of the machine does not hit one of them only."""
    events = min(EVENTS, workbench.mixed.events)
    spent_s: dict[str, list[float]] = {name: [] for name in STYLES}
    for number in range(ROUNDS):
        for name, style in STYLES.items():
            note(f"{events:,} events as {name}, round {number + 1}")
            spent_s[name].append(load(workbench, style, events))
    best_us = {name: min(several) / events * 1e6 for name, several in spent_s.items()}
    return [
        Figure(
            name=f"ingest CPU, {name}",
            value=best_us[name] / best_us[BASE],
            unit=f"x {BASE}",
            target=style.target,
            detail=f"{best_us[name]:.2f} us per line, {BASE} {best_us[BASE]:.2f} us",
            method="server user+system time from before the first request until the flush is answered, in bodies "
            f"of {BATCH:,} events; in turns with {BASE} of as many events, best of {ROUNDS} each",
        )
        for name, style in STYLES.items()
        if style.target
    ]


def load(workbench: Workbench, style: Style, events: int) -> float:
    """CPU seconds that a fresh server takes for all events."""
    bodies = map(style.encode, workbench.mixed.bodies(BATCH, events))
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        server.settle()
        before_s = server.cpu_s()
        send(server, bodies, CLIENTS, style.path, CONTENT_TYPE)
        client = server.connect(token)
        client.flush()
        cpu_s = server.cpu_s() - before_s
        client.check_total(events)
        check_understood(client, style.proof, events)
    return cpu_s


def check_understood(client: Client, proof: str, events: int) -> None:
    found = client.search(f"{proof} | stats count", 1)["rows"][0]["count"]
    if found != events:
        raise WrongAnswerError(f"{found} events of {events} are found by {proof}")

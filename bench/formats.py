"""Measures CPU per line of the text formats, compared with NDJSON with the same number of events."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from bench.report import Figure
from bench.ways import Way, compare
from bench.workbench import Workbench

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
TRACE = """java.lang.IllegalStateException: the card was declined
\tat com.acme.payment.Gateway.charge(Gateway.java:118)
\tat com.acme.checkout.Checkout.pay(Checkout.java:64)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.net.SocketTimeoutException: Read timed out
\t... 3 more"""

Fields = dict[str, Any]


def read_events(body: bytes) -> Iterator[Fields]:
    """Yield the events of NDJSON with their fields by dotted names; lists are texts."""
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
    """Return a line of a web server; events that are no requests are the simplest one."""
    stamp = event["timestamp"]
    time = f"{stamp[8:10]}/Mar/{stamp[:4]}:{stamp[11:19]} +0000"
    request = f"{event.get('http.method', 'GET')} {event.get('http.path', '/')} HTTP/1.1"
    size_bytes = event.get("http.bytes", len(event["message"]))
    agent = event.get("http.user_agent", "curl/8.11.0")
    return (
        f'{event.get("http.client_ip", "10.0.0.1")} - {event["service"]} [{time}] "{request}" '
        f'{event.get("http.status", 200)} {size_bytes} "https://shop.example.com/" "{agent}"'
    )


def write_log(event: Fields) -> str:
    """Return a line that no preset knows: the generic reading of `auto`."""
    stamp = event["timestamp"].replace("T", " ").removesuffix("Z")
    level = event.get("level", "info").upper()
    thread = event.get("thread", "worker-1")
    return f"{stamp} | {level} | {thread} | {event['service']} | {event['message']}"


def write_java(event: Fields) -> str:
    stamp = event["timestamp"].replace("T", " ").removesuffix("Z")
    level = event.get("level", "info").upper()
    name = f"com.acme.{event['service']}.{event.get('logger', 'Main')}"
    return f"{stamp} {level:5} [{event.get('thread', 'main')}] {name} - {event['message']}"


def write_trace(event: Fields) -> str:
    """Return a line of Java, for errors with the stack trace below it."""
    line = write_java(event)
    return f"{line}\n{TRACE}" if event.get("level") == "error" else line


def write_cri(event: Fields) -> str:
    """Return the text with every line wrapped as by a container runtime."""
    outer = f"{event['timestamp']} stdout F "
    return "\n".join(outer + line for line in write_trace(event).split("\n"))


def write_docker(event: Fields) -> str:
    outer = {"stream": "stdout", "time": event["timestamp"]}
    lines = write_trace(event).split("\n")
    return "\n".join(json.dumps({"log": f"{line}\n", **outer}) for line in lines)


def encode_lines(write: Callable[[Fields], str], body: bytes) -> bytes:
    return "".join(f"{write(event)}\n" for event in read_events(body)).encode()


def encode_csv(body: bytes) -> bytes:
    """Return the events as CSV; fields without a column are left out."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(read_events(body))
    return text.getvalue().encode()


WAYS: Mapping[str, Way] = {
    "text": Way(f"{RAW}text", CONTENT_TYPE, partial(encode_lines, write_text), 1.0),
    "logfmt": Way(
        f"{RAW}logfmt", CONTENT_TYPE, partial(encode_lines, write_logfmt), 2.5, "service:*"
    ),
    "csv": Way(f"{RAW}csv", CONTENT_TYPE, encode_csv, 2.5, "service:*"),
    "syslog": Way(
        f"{RAW}syslog", CONTENT_TYPE, partial(encode_lines, write_syslog), 2.5, "app_name:*"
    ),
    "grok combined": Way(
        f"{RAW}grok&grok=combined",
        CONTENT_TYPE,
        partial(encode_lines, write_access),
        4.0,
        "status:*",
    ),
    "auto, any log": Way(
        f"{RAW}auto", CONTENT_TYPE, partial(encode_lines, write_log), 3.0, "level:*"
    ),
    "auto, java": Way(
        f"{RAW}auto", CONTENT_TYPE, partial(encode_lines, write_java), 3.0, "logger:*"
    ),
    "auto, java with traces": Way(
        f"{RAW}auto", CONTENT_TYPE, partial(encode_lines, write_trace), 3.0, "logger:*"
    ),
    "auto, java with traces in CRI": Way(
        f"{RAW}auto", CONTENT_TYPE, partial(encode_lines, write_cri), 3.0, "logger:*"
    ),
    "auto, java with traces in json-file": Way(
        f"{RAW}auto", CONTENT_TYPE, partial(encode_lines, write_docker), 3.0, "logger:*"
    ),
}


def measure_formats(workbench: Workbench) -> list[Figure]:
    return compare(workbench, "NDJSON", WAYS)

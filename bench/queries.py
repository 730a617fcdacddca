"""Answer times on the loaded store, each answer checked against the events that were sent."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from statistics import median
from typing import Any

import msgspec

from bench.client import WrongAnswerError
from bench.dataset import Dataset
from bench.load import BATCH, Loaded
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench

REPEATS = 7
NEWEST = 100
TARGET_MS = 50

Check = Callable[[str, list[dict[str, Any]]], bool]


class Event(msgspec.Struct):
    """What the checks need of a `mixed` event."""

    service: str
    timestamp: str | None = None
    ts: str | None = None
    trace_id: str | None = None


def measure_needle(workbench: Workbench) -> list[Figure]:
    needles = [f"trace_id:{trace_id}" for trace_id in choose_traces(workbench.mixed)]

    def is_right(query: str, rows: list[dict[str, Any]]) -> bool:
        return [f"trace_id:{row['trace_id']}" for row in rows] == [query]

    return [time_query("needle by trace id", workbench.loaded_mixed, needles, is_right)]


def measure_count(workbench: Workbench) -> list[Figure]:
    expected = Counter(event.service for event in read_events(workbench.mixed))
    queries = ["* | stats count by service"] * (REPEATS + 1)

    def is_right(_: str, rows: list[dict[str, Any]]) -> bool:
        return {row["service"]: row["count"] for row in rows} == expected

    return [time_query("count by service", workbench.loaded_mixed, queries, is_right)]


def measure_last(workbench: Workbench) -> list[Figure]:
    times = [parse_time(event.timestamp or event.ts) for event in read_events(workbench.mixed)]
    newest = sorted(times, reverse=True)[:NEWEST]

    def is_right(_: str, rows: list[dict[str, Any]]) -> bool:
        return [parse_time(row["_time"]) for row in rows] == newest

    return [time_query(f"last {NEWEST}", workbench.loaded_mixed, [""] * (REPEATS + 1), is_right)]


def read_events(dataset: Dataset) -> Iterator[Event]:
    decoder = msgspec.json.Decoder(Event)
    for body in dataset.bodies(BATCH):
        yield from decoder.decode_lines(body)


def choose_traces(dataset: Dataset) -> list[str]:
    """One trace id for each request, far apart in time, so that no answer can be a remembered one."""
    traces = [event.trace_id for event in read_events(dataset) if event.trace_id]
    return [
        traces[len(traces) * (2 * turn + 1) // (2 * REPEATS + 2)] for turn in range(REPEATS + 1)
    ]


def parse_time(text: str | None) -> datetime:
    return datetime.fromisoformat(text or "")


def time_query(name: str, loaded: Loaded, queries: list[str], is_right: Check) -> Figure:
    """Ask every query once of a freshly started server; the first is the cold one."""
    times_ms = []
    with serve(loaded.data, {}) as server:
        client = server.connect(loaded.token)
        for query in queries:
            started_s = time.perf_counter()
            answer = client.search(query, NEWEST)
            times_ms.append((time.perf_counter() - started_s) * 1e3)
            if not is_right(query, answer["rows"]):
                raise WrongAnswerError(f"{query!r} on {loaded.sent.events} events: {answer}"[:2000])
    cold_ms, *warm_ms = times_ms
    return Figure(
        name=name,
        value=min(warm_ms),
        unit="ms",
        target=TARGET_MS,
        detail=f"median {median(warm_ms):.1f} ms, cold {cold_ms:.1f} ms",
        method=f"{format_query(queries)}, wall time at the client, best of {REPEATS}; cold is the first request "
        "after a start (the system's file cache is warm)",
    )


def format_query(queries: list[str]) -> str:
    if len(set(queries)) > 1:
        return f"{queries[0].partition(':')[0]}:<another id each time>"
    return f"query {queries[0]!r}, limit {NEWEST}"

"""Answer times on the loaded store, each answer checked against the events that were sent.

Every run of a query is written a little differently, so that what is timed is the query and not the
memory of its last answer; the remembered answer has a figure of its own.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

from bench.client import Client, WrongAnswerError
from bench.expected import REGEX, WORD, Expected, count_expected, parse_time
from bench.process import serve
from bench.report import MB, Figure
from bench.workbench import Workbench

REPEATS = 5
NEWEST = 100
TOP = 10
CACHED_TARGET_MS = 10
TARGET_RSS_MB = 800
P99 = 0.99

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """`write` makes the query of a turn; `is_right` checks the rows of its answer."""

    name: str
    target_ms: float
    write: Callable[[int, Expected], str]
    is_right: Callable[[Rows, str, Expected], bool]
    is_aggregate: bool = False


def is_count(rows: Rows, count: int) -> bool:
    return len(rows) == 1 and next(iter(rows[0].values())) == count


def is_by_service(rows: Rows, _query: str, expected: Expected) -> bool:
    return {row["service"]: count for row in rows for count in [last(row)]} == expected.by_service


def last(row: dict[str, Any]) -> Any:
    return list(row.values())[-1]


def is_needle(rows: Rows, query: str, _expected: Expected) -> bool:
    return [f"trace_id:{row['trace_id']}" for row in rows] == [query]


def is_newest(rows: Rows, times: list[str]) -> bool:
    newest = sorted(map(parse_time, times), reverse=True)[:NEWEST]
    return [parse_time(row["_time"]) for row in rows] == newest


def is_by_status(rows: Rows, _query: str, expected: Expected) -> bool:
    found = {row["http.status"]: list(row.values())[1:] for row in rows}
    if found.pop(None)[0] != expected.without_request:
        return False
    return found.keys() == expected.durations.keys() and all(
        is_close(found[status], summarise(durations))
        for status, durations in expected.durations.items()
    )


def summarise(durations: list[float]) -> list[float]:
    ordered = sorted(durations)
    place = (len(ordered) - 1) * P99
    low, share = int(place), place - int(place)
    high = ordered[min(low + 1, len(ordered) - 1)]
    p99 = ordered[low] + (high - ordered[low]) * share
    return [len(ordered), sum(ordered) / len(ordered), p99]


def is_close(found: list[float], wanted: list[float]) -> bool:
    return all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(found, wanted, strict=True))


def is_top(rows: Rows, _query: str, expected: Expected) -> bool:
    if len(rows) < TOP:
        return False
    counts = [row["count"] for row in rows]
    return counts == [count for _, count in expected.addresses.most_common(len(rows))] and all(
        expected.addresses[row["http.client_ip"]] == row["count"] for row in rows
    )


def is_histogram(rows: Rows, _query: str, expected: Expected) -> bool:
    found = {row["_time"][: len("2026-03-02T00")]: last(row) for row in rows if last(row)}
    return found == expected.errors_by_hour


def choose_trace(turn: int, expected: Expected) -> str:
    """Return another trace each time, far apart, so that no answer can be a cached one."""
    traces = expected.traces
    return traces[len(traces) * (2 * turn + 1) // (2 * REPEATS + 4)]


CASES: list[Case] = [
    Case(
        "count",
        5,
        lambda turn, _: f"* | stats count as n{turn}",
        lambda rows, _, expected: is_count(rows, expected.events),
        is_aggregate=True,
    ),
    Case(
        "count by service",
        5,
        lambda turn, _: f"* | stats count as n{turn} by service",
        is_by_service,
        is_aggregate=True,
    ),
    Case(
        "needle by id",
        10,
        lambda turn, expected: f"trace_id:{choose_trace(turn, expected)}",
        is_needle,
    ),
    Case(
        "absent needle", 10, lambda turn, _: f"trace_id:{turn:032x}", lambda rows, _, __: rows == []
    ),
    Case(
        f"last {NEWEST}",
        20,
        lambda _, __: "",
        lambda rows, _, expected: is_newest(rows, expected.times),
    ),
    Case(
        f"last {NEWEST} of a rare filter",
        20,
        lambda turn, _: f"http.status:503 NOT level:none{turn}",
        lambda rows, _, expected: is_newest(rows, expected.rare_times),
    ),
    Case(
        "count, avg, p99 by status",
        60,
        lambda turn, _: (
            f"* | stats count, avg(http.duration_ms), p99(http.duration_ms) as p{turn} by http.status"
        ),
        is_by_status,
        is_aggregate=True,
    ),
    Case(
        "distinct trace ids",
        100,
        lambda turn, _: f"* | stats count_uniq(trace_id) as n{turn}",
        lambda rows, _, expected: is_count(rows, len(set(expected.traces))),
        is_aggregate=True,
    ),
    Case(
        f"top {TOP} addresses",
        60,
        lambda turn, _: f"* | top {TOP + turn} http.client_ip",
        is_top,
        is_aggregate=True,
    ),
    Case(
        "common word count",
        90,
        lambda turn, _: f"{WORD} | stats count as n{turn}",
        lambda rows, _, expected: is_count(rows, expected.word),
        is_aggregate=True,
    ),
    Case(
        "absent word",
        10,
        lambda turn, _: f"zyxwvut{turn} | stats count",
        lambda rows, _, __: is_count(rows, 0),
    ),
    Case(
        "regex count",
        130,
        lambda turn, _: f"/{REGEX}/ | stats count as n{turn}",
        lambda rows, _, expected: is_count(rows, expected.regex),
        is_aggregate=True,
    ),
    Case(
        "hourly histogram of errors",
        20,
        lambda turn, _: f"level:error | timechart 1h count as n{turn}",
        is_histogram,
        is_aggregate=True,
    ),
]


@cache
def expect(workbench: Workbench) -> Expected:
    return count_expected(workbench.mixed)


def measure_queries(workbench: Workbench) -> list[Figure]:
    """Return every case on one freshly started server; the first turn of each is its cold one."""
    expected, loaded = expect(workbench), workbench.loaded_mixed
    with serve(loaded.data, {}) as server:
        client = server.connect(loaded.token)
        figures = [time_case(case, client, expected) for case in CASES]
        figures.append(time_cached(client, expected))
        figures.append(
            Figure(
                name="RSS after queries",
                value=server.resident_bytes() / MB,
                unit="MB",
                target=TARGET_RSS_MB,
                detail=f"peak {server.peak_bytes() / MB:.0f} MB",
                method="VmRSS when all of the queries above were answered",
            )
        )
    return figures


def time_case(case: Case, client: Client, expected: Expected) -> Figure:
    cold_ms, *warm_ms = [ask(case, turn, client, expected) for turn in range(REPEATS + 1)]
    return Figure(
        name=case.name,
        value=min(warm_ms),
        unit="ms",
        target=case.target_ms,
        detail=f"median {median(warm_ms):.1f} ms, first {cold_ms:.1f} ms",
        method=f"query {case.write(0, expected)!r}, wall time at the client, best of {REPEATS}, each "
        "written so that no earlier answer helps",
    )


def ask(case: Case, turn: int, client: Client, expected: Expected) -> float:
    query = case.write(turn, expected)
    started_s = time.perf_counter()
    answer = client.search(query, NEWEST)
    elapsed_ms = (time.perf_counter() - started_s) * 1e3
    if not case.is_right(answer["rows"], query, expected):
        raise WrongAnswerError(f"{query!r} was answered wrongly: {answer}"[:2000])
    return elapsed_ms


def time_cached(client: Client, expected: Expected) -> Figure:
    """Measure the slowest aggregate when exactly the same query is repeated."""
    slowest_ms, name = max(
        (min(ask(case, REPEATS, client, expected) for _ in range(REPEATS)), case.name)
        for case in CASES
        if case.is_aggregate
    )
    return Figure(
        name="second run of an aggregate",
        value=slowest_ms,
        unit="ms",
        target=CACHED_TARGET_MS,
        detail=f"slowest: {name}",
        method=f"every aggregate above asked again, best of {REPEATS} each; the slowest of these",
    )

"""Measures eight concurrent users while events are ingested: no errors, and no long waits."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from statistics import median, quantiles

from bench.client import Client
from bench.expected import WORD
from bench.load import BATCH
from bench.process import Server, serve
from bench.report import Figure
from bench.workbench import Workbench

USERS = 8
WARM_UP_S = 5.0
SINGLE_S = 10.0
TOGETHER_S = 15.0
PAUSE_S = 0.5
TARGET_RATIO = 4
QUERIES = [
    "* | stats count by service",
    f"{WORD} | stats count by level",
    "http.status>=500 | timechart 1h count by service",
    "* | stats avg(http.duration_ms), p99(http.duration_ms) by http.status",
    "level:error",
    "* | top 10 http.client_ip",
]


def measure_concurrency(workbench: Workbench) -> list[Figure]:
    loaded = workbench.loaded_mixed
    with serve(loaded.data, {}) as server:
        stop = threading.Event()
        with ThreadPoolExecutor(USERS + 1) as pool:
            sending = pool.submit(send_steadily, server, workbench, stop)
            # What only a fresh start costs must not make the single user look slow.
            use(server.connect(loaded.token), WARM_UP_S, 0)
            alone = use(server.connect(loaded.token), SINGLE_S, 0)
            users = [
                pool.submit(use, server.connect(loaded.token), TOGETHER_S, place)
                for place in range(USERS)
            ]
            together = [each for user in users for each in user.result()]
            stop.set()
            sent = sending.result()
    single_ms, p95_ms = quantiles(alone, n=20)[-1], quantiles(together, n=20)[-1]
    return [
        Figure(
            name=f"{USERS} users with ingest, p95 to single-user p95",
            value=p95_ms / single_ms,
            unit="x",
            target=TARGET_RATIO,
            detail=f"p95 {p95_ms:.0f} ms against {single_ms:.0f} ms, median {median(together):.0f} against "
            f"{median(alone):.0f} ms, {len(together)} queries, {sent:,} events came in",
            method=f"{len(QUERIES)} kinds of queries in turn, after a warm-up one user for {SINGLE_S:g} s, then {USERS} for {TOGETHER_S:g} s, "
            f"each pausing {PAUSE_S:g} s between queries as people do, while batches are ingested; any error fails",
        )
    ]


def use(client: Client, duration_s: float, place: int) -> list[float]:
    """Run query after query; return how long each took, in milliseconds."""
    times_ms = []
    queries = cycle(QUERIES[place % len(QUERIES) :] + QUERIES[: place % len(QUERIES)])
    deadline_s = time.perf_counter() + duration_s
    while time.perf_counter() < deadline_s:
        started_s = time.perf_counter()
        client.search(next(queries), 100)
        times_ms.append((time.perf_counter() - started_s) * 1e3)
        time.sleep(PAUSE_S)
    client.close()
    return times_ms


def send_steadily(server: Server, workbench: Workbench, stop: threading.Event) -> int:
    """Send a batch from time to time, as shippers do, until told to stop."""
    client = server.connect()
    sent = 0
    for body in cycle(workbench.mixed.bodies(BATCH, 10 * BATCH)):
        if stop.wait(0.2):
            break
        client.ingest(body)
        sent += body.count(b"\n")
    client.close()
    return sent

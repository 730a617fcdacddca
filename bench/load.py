"""Sends a dataset to the server in batches, and records what can be observed meanwhile."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.dataset import Dataset
from bench.process import Server, serve

BATCH = 10_000
NATIVE_PATH = "/api/ingest"
NATIVE_TYPE = "application/x-ndjson"
CLIENTS = 2


@dataclass(frozen=True)
class Sent:
    """How the sending went: one latency for each batch, in the order of the answers."""

    events: int
    elapsed_s: float
    latencies_s: list[float]


@dataclass(frozen=True)
class Loaded:
    """A dataset that is on disk; the server that took it has been stopped."""

    data: Path
    token: str
    sent: Sent
    cpu_s: float
    peak_bytes: int
    resident_bytes: int


def load(dataset: Dataset, data: Path) -> Loaded:
    """Load `dataset` into a fresh server with default settings, from the first request to the last block."""
    with serve(data, {}) as server:
        token = server.set_up()
        server.settle()
        before_s = server.cpu_s()
        sent = send(server, dataset.bodies(BATCH), CLIENTS)
        server.connect(token).flush()
        cpu_s = server.cpu_s() - before_s
        peak_bytes = server.peak_bytes()
        server.settle()
        resident_bytes = server.resident_bytes()
        server.connect(token).check_count(dataset.events)
    return Loaded(data, token, sent, cpu_s, peak_bytes, resident_bytes)


def send(
    server: Server,
    bodies: Iterator[bytes],
    clients: int,
    path: str = NATIVE_PATH,
    content_type: str = NATIVE_TYPE,
) -> Sent:
    """Post every body from `clients` connections, each sending its next batch after its last answer."""
    source = Source(bodies)
    started_s = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        futures = [
            pool.submit(post_all, server, source, path, content_type) for _ in range(clients)
        ]
        try:
            results = [future.result() for future in futures]
        finally:
            source.close()
    elapsed_s = time.perf_counter() - started_s
    events = sum(events for events, _ in results)
    return Sent(events, elapsed_s, [latency for _, latencies in results for latency in latencies])


def post_all(
    server: Server, source: "Source", path: str, content_type: str
) -> tuple[int, list[float]]:
    client = server.connect()
    events, latencies_s = 0, []
    while (body := source.take()) is not None:
        started_s = time.perf_counter()
        if path == NATIVE_PATH:
            client.ingest(body)
        else:
            client.post_body(path, body, content_type)
        latencies_s.append(time.perf_counter() - started_s)
        events += body.count(b"\n")
    client.close()
    return events, latencies_s


class Source:
    """Hands the bodies of one iterator to several threads; closing it ends them after their batch."""

    def __init__(self, bodies: Iterator[bytes]) -> None:
        self._bodies = bodies
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> bytes | None:
        with self._lock:
            return None if self._closed else next(self._bodies, None)

    def close(self) -> None:
        self._closed = True

"""Measures a pull source of very many small files: how long a poll takes, and how it affects other requests."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.client import Client, WrongAnswerError
from bench.process import Server, serve
from bench.report import Figure
from bench.workbench import Workbench, note

FILES = 100_000
FILES_PER_DIRECTORY = 1_000
BATCH = 100
PAUSE_S = 0.05
IDLE_S = 3.0
QUERY = "index:load | stats count by level"


def measure_sources(workbench: Workbench) -> list[Figure]:
    note(f"making {FILES:,} files")
    logs = workbench.make_directory()
    write_files(logs)
    body = next(iter(workbench.mixed.bodies(BATCH, BATCH)))
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        admin = server.connect(token)
        source = {"name": "bench", "path": f"{logs}/**/*.log", "index": "pulled", "enabled": False}
        path = f"/api/sources/{admin.post('/api/sources', source)['id']}/run"
        with others(server, token, body) as waits:
            time.sleep(IDLE_S)
            idle = waits.take()
            first_s = poll(admin, path)
            busy = waits.take()
            second_s = poll(admin, path)
        check_pulled(admin)
    return [
        Figure(
            name=f"first poll of {FILES:,} files",
            value=first_s,
            unit="s",
            method="POST run until its answer: files found, read, their events and marks durable; one line a file",
        ),
        Figure(
            name="poll of the same files, unchanged",
            value=second_s,
            unit="s",
            method="POST run until its answer, the second time",
        ),
        *(describe(subject, idle[subject], busy[subject]) for subject in ("ack", "search")),
    ]


def describe(subject: str, idle_ms: list[float], busy_ms: list[float]) -> Figure:
    return Figure(
        name=f"longest {subject} during the first poll",
        value=max(busy_ms),
        unit="ms",
        detail=f"median {median(busy_ms):.0f} ms of {len(busy_ms)}; without a poll median "
        f"{median(idle_ms):.0f}, longest {max(idle_ms):.0f} ms",
        method=f"one client after the other request, {PAUSE_S * 1e3:g} ms apart, batches of {BATCH}",
    )


def write_files(logs: Path) -> None:
    for number in range(FILES):
        directory = logs / f"{number // FILES_PER_DIRECTORY:04}"
        if number % FILES_PER_DIRECTORY == 0:
            directory.mkdir()
        line = f"2024-03-01T12:00:00Z info file {number} was written by its service\n"
        (directory / f"{number}.log").write_text(line)


def poll(admin: Client, path: str) -> float:
    started_s = time.perf_counter()
    status = admin.post(path, {})["status"]
    if status["last_status"] != "ok":
        raise WrongAnswerError(f"the poll failed: {status['last_error']}")
    return time.perf_counter() - started_s


def check_pulled(admin: Client) -> None:
    admin.flush()
    found = admin.search("index:pulled | stats count", 1)["rows"][0]["count"]
    if found != FILES:
        raise WrongAnswerError(f"{found} events were found of {FILES} files of one line")


class Waits:
    """How long requests took, in milliseconds, by what they were."""

    def __init__(self) -> None:
        self._times_ms: dict[str, list[float]] = {"ack": [], "search": []}

    def take(self) -> dict[str, list[float]]:
        """Return those since the last time."""
        taken, self._times_ms = self._times_ms, {"ack": [], "search": []}
        return taken

    def repeat(self, subject: str, request: Callable[[], object], stop: threading.Event) -> None:
        while not stop.wait(PAUSE_S):
            started_s = time.perf_counter()
            request()
            self._times_ms[subject].append((time.perf_counter() - started_s) * 1e3)


@contextmanager
def others(server: Server, token: str, body: bytes) -> Iterator[Waits]:
    """Send and search concurrently while the context lasts."""
    waits, stop = Waits(), threading.Event()
    sender, searcher = server.connect(), server.connect(token)
    sender.ingest(body, "load")
    with ThreadPoolExecutor(2) as pool:
        running = [
            pool.submit(waits.repeat, "ack", lambda: sender.ingest(body, "load"), stop),
            pool.submit(waits.repeat, "search", lambda: searcher.search(QUERY, 10), stop),
        ]
        try:
            yield waits
        finally:
            stop.set()
    for each in running:
        each.result()
    sender.close()
    searcher.close()

"""A store in a bucket: what a node with an empty cache reads of it for single queries."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.buckets import S3Server, can_write, end, start_server

from bench.client import WrongAnswerError
from bench.expected import Expected
from bench.load import BATCH, CLIENTS, send
from bench.process import serve
from bench.queries import expect
from bench.report import Figure
from bench.workbench import Workbench, note

READY_LIMIT_S = 60


class Case(NamedTuple):
    """A query, how many rows it gives, and what it may read at most: percent of all bytes, and requests."""

    name: str
    query: str
    limit: int
    rows: int
    most_percent: float
    most_requests: int | None = None


class Traffic(NamedTuple):
    """What was read from the bucket."""

    requests: int
    size_bytes: int


def measure_buckets(workbench: Workbench) -> list[Figure]:
    expected = expect(workbench)
    with running_bucket(workbench.make_directory()) as server:
        settings = {"SERVICE_STORE_URL": server.make_url(), **server.environment}
        secrets = workbench.make_directory()
        settings |= {
            "SERVICE_CONTROL_KEY_PATH": str(secrets / "control"),
            "SERVICE_JWT_SECRET_PATH": str(secrets / "jwt"),
            "SERVICE_BLOCK_SYNC_SECS": "3600",
        }
        token, size_bytes = fill(workbench, settings)
        return [
            figure
            for case in list_cases(expected)
            for figure in ask(workbench, settings, token, case, size_bytes)
        ]


def list_cases(expected: Expected) -> list[Case]:
    trace = expected.traces[len(expected.traces) // 2]
    return [
        Case("needle", f"trace_id:={trace}", 100, 1, 2, 40),
        Case("absent needle", f"trace_id:={0:032x}", 100, 0, 2, 40),
        Case("last 100", "*", 100, 100, 1),
        Case("hourly histogram", "* | timechart 1h count", 10_000, 72, 6),
    ]


def fill(workbench: Workbench, settings: dict[str, str]) -> tuple[str, int]:
    """Load the events into the bucket and merge them; return a token, and the bytes of all blocks and indexes."""
    dataset = workbench.mixed
    note(f"loading {dataset.events:,} events of {dataset.path.stem} into a bucket")
    with serve(workbench.make_directory(), settings) as server:
        token = server.set_up()
        client = server.connect(token)
        send(server, dataset.bodies(BATCH), CLIENTS)
        client.flush()
        client.post("/api/admin/compact", {"env": "default"})
        client.check_count(dataset.events)
        return token, int(client.read_status()["store"]["bytes"])


def ask(
    workbench: Workbench, settings: dict[str, str], token: str, case: Case, size_bytes: int
) -> list[Figure]:
    with serve(workbench.make_directory(), settings) as server:
        client = server.connect(token)
        server.settle()
        before = read_traffic(client.read_metrics())
        started_s = time.perf_counter()
        rows = client.search(case.query, case.limit)["rows"]
        elapsed_s = time.perf_counter() - started_s
        after = read_traffic(client.read_metrics())
    if len(rows) != case.rows:
        raise WrongAnswerError(f"{case.query!r} gave {len(rows)} rows, expected {case.rows}")
    requests = after.requests - before.requests
    read_bytes = after.size_bytes - before.size_bytes
    method = f"one query of a node with an empty cache, {size_bytes / 1e6:.0f} MB in the bucket"
    return [
        Figure(
            name=f"bucket: {case.name}, bytes",
            value=100 * read_bytes / size_bytes,
            unit="% of all",
            target=case.most_percent,
            detail=f"{read_bytes / 1e3:,.0f} kB in {elapsed_s * 1e3:.0f} ms",
            method=method,
        ),
        Figure(
            name=f"bucket: {case.name}, requests",
            value=requests,
            unit="requests",
            target=case.most_requests,
            method=method,
        ),
    ]


def read_traffic(metrics: str) -> Traffic:
    values = dict(
        line.rsplit(" ", 1) for line in metrics.splitlines() if line.startswith("logboom_bucket_")
    )
    return Traffic(
        int(float(values["logboom_bucket_requests_total"])),
        int(float(values["logboom_bucket_read_bytes_total"])),
    )


@contextmanager
def running_bucket(folder: Path) -> Iterator[S3Server]:
    process, server = start_server(folder)
    try:
        deadline_s = time.monotonic() + READY_LIMIT_S
        while not can_write(server):
            if time.monotonic() > deadline_s:
                raise WrongAnswerError(f"the bucket was not ready within {READY_LIMIT_S} s")
            time.sleep(0.1)
        yield server
    finally:
        end(process, server)

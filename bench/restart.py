"""Measures a start on a full store: time until ready, and memory when idle."""

from statistics import median

from bench.process import Server, serve
from bench.report import MB, Figure
from bench.workbench import Workbench

ROUNDS = 3
TARGET_READY_S = 2
TARGET_IDLE_MB = 200


def measure_restart(workbench: Workbench) -> list[Figure]:
    starts = [start(workbench) for _ in range(ROUNDS)]
    events = workbench.loaded_mixed.sent.events
    return [
        Figure(
            name="start to ready",
            value=median(server.ready_s for server, _ in starts),
            unit="s",
            target=TARGET_READY_S,
            method=f"process start until /ready answers 200, {events:,} events on disk, WAL empty, "
            f"median of {ROUNDS}",
        ),
        Figure(
            name="idle RSS",
            value=median(idle_bytes for _, idle_bytes in starts) / MB,
            unit="MB",
            target=TARGET_IDLE_MB,
            method=f"VmRSS after such a start, at rest, before any request but /ready, median of {ROUNDS}",
        ),
    ]


def start(workbench: Workbench) -> tuple[Server, int]:
    with serve(workbench.loaded_mixed.data, {}) as server:
        server.settle()
        return server, server.resident_bytes()

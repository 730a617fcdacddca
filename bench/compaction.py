"""Measures the costs and benefits of compaction: CPU compared with ingest, memory, and bytes on disk."""

from pathlib import Path
from typing import NamedTuple

from bench.dataset import Dataset
from bench.load import BATCH, CLIENTS, send
from bench.process import serve
from bench.report import MB, Figure
from bench.trickle import NO_MERGES, measure_blocks
from bench.workbench import Workbench, note

ROUNDS = 3
MANY_EVENTS = 10_000_000
TARGET_CPU_RATIO = 1.6
TARGET_PEAK_MB = 700
TARGET_BYTES = {"mixed": 52, "wide": 130}


class Filled(NamedTuple):
    """A store into which a dataset was loaded, and the resources that the server used."""

    data: Path
    cpu_s: float
    peak_bytes: int


def measure_compaction(workbench: Workbench) -> list[Figure]:
    return [
        figure
        for dataset in (workbench.mixed, workbench.wide)
        for figure in measure(workbench, dataset)
    ]


def measure(workbench: Workbench, dataset: Dataset) -> list[Figure]:
    """Fill with and without compaction alternately, so that a busy machine affects both."""
    name = dataset.path.stem
    rounds = [
        (fill(workbench, dataset, merges=False), fill(workbench, dataset, merges=True))
        for _ in range(ROUNDS)
    ]
    alone, merged = (
        min(each, key=lambda filled: filled.cpu_s) for each in zip(*rounds, strict=True)
    )
    alone_us, merged_us = (each.cpu_s / dataset.events * 1e6 for each in (alone, merged))
    return [
        Figure(
            name=f"compaction: CPU, {name}",
            value=merged_us / alone_us,
            unit="x ingest alone",
            target=TARGET_CPU_RATIO,
            detail=f"{merged_us:.2f} us per event, {alone_us:.2f} without",
            method="server user+system time from before the first request until all blocks are merged, in bodies "
            f"of {BATCH:,}, over that of a server that merges nothing; in turns, best of {ROUNDS} each",
        ),
        Figure(
            name=f"compaction: disk, {name}",
            value=measure_blocks(merged.data) / dataset.events,
            unit="bytes an event",
            target=TARGET_BYTES[name],
            detail=f"{measure_blocks(alone.data) / dataset.events:.1f} not merged",
            method="files of live blocks and their indexes after /api/admin/compact",
        ),
        Figure(
            name=f"compaction: peak RSS, {name}",
            value=merged.peak_bytes / MB,
            unit="MB",
            target=TARGET_PEAK_MB,
            detail=f"{alone.peak_bytes / MB:.0f} MB without",
            method="highest resident memory of the server while it took the events and merged all blocks",
        ),
    ]


def measure_many(workbench: Workbench) -> list[Figure]:
    """Return the peak memory of a server that ingests and merges more events than fit into it."""
    dataset = workbench.mixed
    times = -(-MANY_EVENTS // dataset.events)
    filled = fill(workbench, dataset, merges=True, times=times)
    return [
        Figure(
            name="compaction: peak RSS, many events",
            value=filled.peak_bytes / MB,
            unit="MB",
            target=TARGET_PEAK_MB,
            detail=f"{times * dataset.events:,} events, {filled.cpu_s / times / dataset.events * 1e6:.2f} us each",
            method=f"highest resident memory of the server while it took the mixed events {times} times and merged all blocks",
        )
    ]


def fill(workbench: Workbench, dataset: Dataset, merges: bool, times: int = 1) -> Filled:
    """Return a new store into which a dataset was loaded this many times."""
    events = dataset.events * times
    note(f"loading {events:,} events of {dataset.path.stem}, {'' if merges else 'not '}merged")
    data = workbench.make_directory()
    with serve(data, {} if merges else NO_MERGES) as server:
        client = server.connect(server.set_up())
        server.settle()
        before_s = server.cpu_s()
        for _ in range(times):
            send(server, dataset.bodies(BATCH), CLIENTS)
        client.flush()
        if merges:
            client.post("/api/admin/compact", {"env": "default"})
        client.check_count(events)
        return Filled(data, server.cpu_s() - before_s, server.peak_bytes())

"""Measures peak memory while a dataset is ingested, as batches and as one stream."""

from bench.process import serve
from bench.report import MB, Figure
from bench.workbench import Workbench

TARGET_PEAK_MB = 600


def measure_batches(workbench: Workbench) -> list[Figure]:
    loaded = workbench.loaded_mixed
    return [
        Figure(
            name="peak RSS, batches",
            value=loaded.peak_bytes / MB,
            unit="MB",
            target=TARGET_PEAK_MB,
            detail=f"{loaded.resident_bytes / MB:.0f} MB once at rest",
            method=f"VmHWM after {loaded.sent.events:,} events came in as batches and were flushed",
        )
    ]


def measure_stream(workbench: Workbench) -> list[Figure]:
    dataset = workbench.mixed
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        server.connect().ingest_stream(dataset.chunks(), dataset.events)
        server.connect(token).flush()
        peak_bytes = server.peak_bytes()
        server.settle()
        resident_bytes = server.resident_bytes()
        server.connect(token).check_count(dataset.events)
    return [
        Figure(
            name="peak RSS, one stream",
            value=peak_bytes / MB,
            unit="MB",
            target=TARGET_PEAK_MB,
            detail=f"{resident_bytes / MB:.0f} MB once at rest",
            method=f"VmHWM after {dataset.events:,} events came in as one chunked request and were flushed",
        )
    ]

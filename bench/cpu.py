"""Measures CPU per event from request to committed block, compared with only decoding the same bytes."""

import gc
import time

import msgspec

from bench.dataset import Dataset
from bench.load import BATCH, Loaded
from bench.report import Figure
from bench.workbench import Workbench

ROUNDS = 3
TARGET_RATIO = 5


def measure_mixed(workbench: Workbench) -> list[Figure]:
    return [compare(workbench, workbench.mixed, workbench.loaded_mixed)]


def measure_wide(workbench: Workbench) -> list[Figure]:
    return [compare(workbench, workbench.wide, workbench.loaded_wide)]


def compare(workbench: Workbench, dataset: Dataset, loaded: Loaded) -> Figure:
    """Load and decode alternately, so that a busy machine affects both."""
    load_s, decode_s = [loaded.cpu_s], [time_decoding(dataset)]
    for _ in range(ROUNDS - 1):
        load_s.append(workbench.load(dataset).cpu_s)
        decode_s.append(time_decoding(dataset))
    per_event_us = min(load_s) / dataset.events * 1e6
    decode_us = min(decode_s) / dataset.events * 1e6
    return Figure(
        name=f"ingest CPU, {dataset.path.stem}",
        value=per_event_us / decode_us,
        unit="x decode",
        target=TARGET_RATIO,
        detail=f"{per_event_us:.2f} us per event, decode_lines {decode_us:.2f} us",
        method="server user+system time from before the first request until the flush is answered, in bodies "
        f"of {BATCH:,}, over decode_lines of the same bodies (GC off); in turns, best of {ROUNDS} each",
    )


def time_decoding(dataset: Dataset) -> float:
    """Return the CPU seconds to decode and release every body."""
    decoder = msgspec.json.Decoder()
    spent_ns = 0
    gc.disable()
    try:
        for body in dataset.bodies(BATCH):
            started_ns = time.thread_time_ns()
            decoder.decode_lines(body)
            spent_ns += time.thread_time_ns() - started_ns
    finally:
        gc.enable()
    return spent_ns / 1e9

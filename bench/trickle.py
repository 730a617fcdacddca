"""Measures a day of slow ingest in fast motion: many small flushes, their compaction, and the remaining overhead."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.client import WrongAnswerError
from bench.dataset import Dataset
from bench.process import serve
from bench.queries import CASES, REPEATS, ask, expect
from bench.report import Figure
from bench.workbench import Workbench, note
from logboom.store.reader import StoreReader

EVENTS_PER_FLUSH = 50
ROUNDS = 3
TARGET_BLOCKS = 20
TARGET_BYTES_RATIO = 1.3
TARGET_QUERY_RATIO = 2
TARGET_START_RATIO = 1.5
TRICKLE = {"SERVICE_BLOCK_FLUSH_SECS": "3600", "SERVICE_COMPACTION_SECS": "1"}
NO_MERGES = {"SERVICE_COMPACTION": "off"}


class Kept(NamedTuple):
    """A filled store, and how many blocks its fullest day had at most and has now."""

    data: Path
    token: str
    most_blocks: int = 0
    blocks: int = 0


def measure_trickle(workbench: Workbench) -> list[Figure]:
    dataset = workbench.mixed
    flushes = -(-dataset.events // EVENTS_PER_FLUSH)
    trickled, loaded = trickle(workbench, flushes), load_at_once(workbench)
    note("asking both stores")
    slower = compare_queries(workbench, trickled, loaded)
    worst = max(slower, key=slower.__getitem__)
    method = f"{flushes:,} flushes of {EVENTS_PER_FLUSH} events, merged in the background and at the end by /api/admin/compact"
    return [
        Figure(
            name="trickle: blocks a day",
            value=trickled.blocks,
            unit="blocks",
            target=TARGET_BLOCKS,
            detail=f"{trickled.most_blocks} in all at most meanwhile",
            method=method,
        ),
        Figure(
            name="trickle: bytes an event",
            value=measure_blocks(trickled.data) / measure_blocks(loaded.data),
            unit="x one bulk load",
            target=TARGET_BYTES_RATIO,
            detail=f"{measure_blocks(trickled.data) / dataset.events:.1f} bytes",
            method="files of live blocks and their indexes, over those of one request with the same events, not merged",
        ),
        Figure(
            name="trickle: slowest query",
            value=slower[worst],
            unit="x one bulk load",
            target=TARGET_QUERY_RATIO,
            detail=worst,
            method=f"each query of the benchmark on both stores, best of {REPEATS}; the worst ratio of all",
        ),
        Figure(
            name="trickle: start to ready",
            value=start(trickled.data) / start(workbench.make_directory()),
            unit="x empty store",
            target=TARGET_START_RATIO,
            method=f"process start until /ready answers 200, best of {ROUNDS} each",
        ),
    ]


def trickle(workbench: Workbench, flushes: int) -> Kept:
    note(f"making {flushes:,} flushes")
    data, most = workbench.make_directory(), 0
    with serve(data, TRICKLE) as server:
        token = server.set_up()
        client = server.connect(token)
        for number, body in enumerate(split(workbench.mixed)):
            client.ingest(body)
            client.flush()
            if number % 200 == 0:
                most = max(most, client.read_status()["store"]["blocks"])
        client.post("/api/admin/compact", {"env": "default"})
        client.check_count(workbench.mixed.events)
        status = client.read_status()["store"]
    (default,) = [each for each in status["environments"] if each["env"] == "default"]
    if default["events"] != workbench.mixed.events:
        raise WrongAnswerError(f"{default['events']} of {workbench.mixed.events} events")
    # The corpus covers a few days evenly.
    return Kept(data, token, most, -(-default["blocks"] // status["days"]))


def split(dataset: Dataset) -> Iterator[bytes]:
    with dataset.path.open("rb") as lines:
        while body := b"".join(islice(lines, EVENTS_PER_FLUSH)):
            yield body


def load_at_once(workbench: Workbench) -> Kept:
    data = workbench.make_directory()
    with serve(data, NO_MERGES) as server:
        token = server.set_up()
        client = server.connect(token)
        client.ingest_stream(workbench.mixed.chunks(), workbench.mixed.events)
        client.check_count(workbench.mixed.events)
    return Kept(data, token)


def measure_blocks(data: Path) -> int:
    """Return the bytes of live blocks and their indexes, without the files that wait to be deleted."""
    store = data / "store"
    paths = [store / block.path for block in StoreReader(data).snapshot().list_blocks("default")]
    files = [file for path in paths for file in (path, path.with_suffix(".index"))]
    return sum(file.stat().st_size for file in files)


def compare_queries(workbench: Workbench, trickled: Kept, loaded: Kept) -> dict[str, float]:
    """Return how much longer each query takes on the trickled store."""
    expected = expect(workbench)
    times = []
    for kept in (trickled, loaded):
        with serve(kept.data, NO_MERGES) as server:
            client = server.connect(kept.token)
            times.append(
                {
                    case.name: min(ask(case, turn, client, expected) for turn in range(REPEATS + 1))
                    for case in CASES
                }
            )
    return {name: times[0][name] / times[1][name] for name in times[0]}


def start(data: Path) -> float:
    def start_once() -> float:
        with serve(data, NO_MERGES) as server:
            return server.ready_s

    start_once()
    return min(start_once() for _ in range(ROUNDS))

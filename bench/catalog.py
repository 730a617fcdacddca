"""Measures the catalog with very many blocks: memory per block, and time per commit. The blocks have no files."""

import time
import tracemalloc
from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.report import Figure
from bench.workbench import Workbench
from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.ids import make_ulid
from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.snapshot import CommitStep, Snapshot
from logboom.store.catalog.upkeep import write_checkpoint

FEW, MANY, MOST = 100, 200_000, 1_000_000
BLOCKS_A_DAY = 20
ENVS = 5
COMMITS = 100
TARGET_BYTES = 1_000
TARGET_RATIO = 1.5
TARGET_START_S = 10
TARGET_PLAN_MS = 20


def measure_catalog(workbench: Workbench) -> list[Figure]:
    tracemalloc.start()
    before_bytes, _ = tracemalloc.get_traced_memory()
    many = make_snapshot(MANY)
    block_bytes = (tracemalloc.get_traced_memory()[0] - before_bytes) / MANY
    tracemalloc.stop()
    start_s, plan_ms = time_start(workbench.make_directory())
    few_ms = time_commit(make_snapshot(FEW), workbench.make_directory())
    many_ms = time_commit(many, workbench.make_directory())
    return [
        Figure(
            name="catalog memory a block",
            value=block_bytes,
            unit="bytes",
            target=TARGET_BYTES,
            method=f"memory of a snapshot of {MANY:,} blocks, {BLOCKS_A_DAY} a day in {ENVS} environments",
        ),
        Figure(
            name="catalog start",
            value=start_s,
            unit="s",
            target=TARGET_START_S,
            method=f"CPU time to read a checkpoint of {MOST:,} blocks on a local disk",
        ),
        Figure(
            name="catalog planning",
            value=plan_ms,
            unit="ms",
            target=TARGET_PLAN_MS,
            method=f"listing the blocks of one day and environment among {MOST:,}, median of {COMMITS}",
        ),
        Figure(
            name="catalog commit",
            value=many_ms / few_ms,
            unit=f"x of {FEW} blocks",
            target=TARGET_RATIO,
            detail=f"{many_ms:.2f} ms against {few_ms:.2f} ms",
            method=f"a durable commit of one block on a local disk, with {MANY:,} blocks over {FEW}, median of {COMMITS}",
        ),
    ]


def time_start(folder: Path) -> tuple[float, float]:
    """Return seconds to open a catalog of very many blocks, and milliseconds to list those of a day."""
    objects = LocalObjects(folder)
    catalog = Catalog(objects, time.time_ns)
    catalog.open()
    new = catalog.snapshot
    catalog.snapshot = replace(
        make_snapshot(MOST), version=new.version, steady_ms=new.steady_ms, metadata=new.metadata
    )
    write_checkpoint(catalog, objects)
    del catalog
    started_s = time.process_time()
    catalog = Catalog(objects, time.time_ns)
    catalog.follow()
    start_s = time.process_time() - started_s
    day = make_block(MOST // 2).day
    times_ms = []
    for _ in range(COMMITS):
        started_s = time.perf_counter()
        catalog.snapshot.list_between(["env-1"], day * NS_PER_DAY, (day + 1) * NS_PER_DAY)
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    return start_s, median(times_ms)


def make_snapshot(blocks: int) -> Snapshot:
    return Snapshot().change(CommitStep(version=0, added=tuple(map(make_block, range(blocks)))))


def make_block(number: int) -> BlockInfo:
    """Return the block with this number, the newest first."""
    day = 20_000 - number // (BLOCKS_A_DAY * ENVS)
    first_ns = day * NS_PER_DAY + number % BLOCKS_A_DAY * 3600 * NS_PER_S
    return BlockInfo(
        path=f"blocks/{day}/{number:026}.parquet",
        env=f"env-{number % ENVS}",
        day=day,
        rows=500_000 + number,
        size_bytes=20_000_000 + number,
        first_ns=first_ns,
        last_ns=first_ns + 1800 * NS_PER_S,
        last_seq=number << 24,
        node="00000001",
        checksum=number,
        index_checksum=number,
    )


def time_commit(snapshot: Snapshot, folder: Path) -> float:
    """Return the milliseconds until one more block is durable in a log that has these blocks."""
    catalog = Catalog(LocalObjects(folder), time.time_ns)
    catalog.open()
    new = catalog.snapshot
    catalog.snapshot = replace(
        snapshot, version=new.version, steady_ms=new.steady_ms, metadata=new.metadata
    )
    times_ms = []
    for _ in range(COMMITS):
        block = make_block(0)._replace(path=f"blocks/new/{make_ulid(time.time_ns())}.parquet")
        started_s = time.perf_counter()
        catalog.commit(Change(adds=(block,)))
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    return median(times_ms)

"""Stores on real directories, batches to write, and the rows of their live blocks."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.model.batch import Batch, Routes, Target
from logboom.model.names import parse_template
from logboom.model.shredder import open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import read_block
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.upkeep import write_checkpoint
from logboom.store.compaction.merge import Merger
from logboom.store.idempotency.memory import IngestAnswer
from logboom.store.options import StoreOptions
from logboom.store.store import Store

NOW_NS = 1_700_000_000 * NS_PER_S
"""2023-11-14T22:13:20Z."""


class HandClock:
    """A clock that tests move."""

    def __init__(self, time_ns: int = NOW_NS) -> None:
        self.time_ns = time_ns

    def __call__(self) -> int:
        return self.time_ns


def make_batch(
    data: bytes,
    *,
    env: str = "default",
    index: str = "default",
    source: str | None = None,
    arrival_ns: int = NOW_NS,
    routes: Routes | None = None,
) -> Batch:
    """Return the lines of one request."""
    scan = open_shredder().shredder.scan_lines(data, arrival_ns, parse_template(index), routes)
    return Batch(Target(env, index, source), arrival_ns, data, scan, routes=routes)


def say(*messages: str, env: str = "default", arrival_ns: int = NOW_NS) -> Batch:
    """Return a batch of events that have only a message."""
    lines = (json.dumps({"message": message}) for message in messages)
    return make_batch("\n".join(lines).encode(), env=env, arrival_ns=arrival_ns)


def make_answer(key: str, time_ns: int = NOW_NS) -> IngestAnswer:
    return IngestAnswer(key, time_ns, ingested=1, errors=0, partitions=["default/2023-11-14"])


def make_store(
    data: Path,
    *,
    objects: ObjectStore | None = None,
    clock: Callable[[], int] | None = None,
    flush_secs: float = 3600.0,
    flush_rows: int = 50_000,
    compaction_secs: float | None = None,
    **others: Any,
) -> Store:
    """Return a store that is not open yet, and flushes and merges only when asked, unless told otherwise."""
    options = StoreOptions(
        data,
        flush_secs=flush_secs,
        flush_rows=flush_rows,
        compaction_secs=compaction_secs,
        **others,
    )
    return Store(
        options, objects or LocalObjects(data / "store"), open_shredder(), clock or HandClock()
    )


@contextmanager
def opened(store: Store) -> Iterator[Store]:
    """Open a store, and close it whatever happens."""
    try:
        store.open()
        yield store
    finally:
        store.close()


def copy_directory(data: Path, copy: Path) -> Path:
    """Copy what a process that dies now would leave behind."""
    shutil.copytree(data, copy)
    return copy


def read_rows(store: Store) -> pl.DataFrame:
    """Return the rows of every live block, oldest first."""
    paths = [store.objects.locate(block.path) for block in store.snapshot().list_blocks()]
    if not paths:
        return pl.DataFrame(schema={"_time": pl.Int64, "_seq": pl.Int64, "message": pl.String})
    frames = [read_block(path) for path in paths]
    return pl.concat(frames, how="diagonal").sort("_time", "_node", "_seq")


def list_messages(store: Store) -> list[str]:
    return sorted(read_rows(store)["message"])


def find_after_crash(data: Path, copy: Path) -> list[str]:
    """Return the messages that a new process finds in a copy of a data directory."""
    with opened(make_store(copy_directory(data, copy))) as store:
        return list_messages(store)


def checkpoint(root: Path) -> int:
    """Write a checkpoint of the log in a directory, and return its version."""
    objects = LocalObjects(root)
    catalog = Catalog(objects, HandClock())
    catalog.open()
    return write_checkpoint(catalog, objects)


def count_writes(store: Store) -> int:
    """Return the number of commits since a new store was created and its node was claimed."""
    return store.snapshot().version - 1


def merge_days(store: Store, env: str = "default") -> int:
    """Replace all blocks by merged ones, day by day; return how many there are."""
    by_day: dict[int, list[BlockInfo]] = {}
    for info in store.snapshot().list_blocks(env):
        by_day.setdefault(info.day, []).append(info)
    merger = Merger(store.objects, store._blocks)
    for infos in by_day.values():
        merged = merger.merge(infos, lambda: None)
        removes = tuple(info.path for info in infos)
        store.catalog.commit(Change(adds=tuple(merged), removes=removes, is_new_data=False))
    return len(list(store.snapshot().list_blocks(env)))

"""The sweep: blocks leave the catalog when their events are too old, and their files follow.

Files wait a little, for a query that began before may still read them. What a crash has left behind, files
that the catalog does not name, goes the same way once it is certain that nobody is about to name them.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from logboom.base.clock import NS_PER_DAY, NS_PER_S, Clock
from logboom.base.ids import read_ulid_time
from logboom.base.objects import ObjectStore
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog

BLOCKS = "blocks"
GRACE_NS = 120 * NS_PER_S
"""How long the files of removed blocks are kept for queries that have begun."""
ORPHAN_AGE_NS = 7 * NS_PER_DAY
"""Younger blocks that the catalog does not name may belong to a long request that is not committed yet."""

KeepDays = Callable[[str], int | None]
"""How many days an environment keeps its events; None: for ever."""


class Swept(NamedTuple):
    """What a sweep took out, or would have."""

    blocks: int
    events: int
    size_bytes: int


class Sweeper:
    """One node's sweep; others may sweep the same store. May be used by any thread."""

    def __init__(
        self, catalog: Catalog, blocks: BlockWriter, objects: ObjectStore, clock: Clock
    ) -> None:
        self._catalog = catalog
        self._blocks = blocks
        self._objects = objects
        self._clock = clock
        self._lock = threading.Lock()
        self._removed_ns: dict[str, int] = {}

    def remove_old(self, keep_days: KeepDays, *, dry_run: bool = False) -> Swept:
        """Take every block out of the catalog whose last event is older than its environment keeps."""
        now_ns = self._clock()
        with self._lock:
            live = self._catalog.refresh().blocks.values()
            old = [block for block in live if is_expired(block, keep_days(block.env), now_ns)]
            if old and not dry_run:
                self._catalog.remove(block.path for block in old)
                self._removed_ns |= {block.path: now_ns for block in old}
        return Swept(
            len(old), sum(block.rows for block in old), sum(block.size_bytes for block in old)
        )

    def delete_files(self) -> int:
        """Delete the files of blocks that left the catalog a while ago; returns how many blocks."""
        now_ns = self._clock()
        with self._lock:
            # Listed before the catalog is read: what is written meanwhile is not looked at.
            stored = list(self._list_stored())
            live = self._catalog.refresh().blocks
            due = [path for path in stored if path not in live and self._is_due(path, now_ns)]
            self._blocks.discard(due)
            for path in due:
                self._removed_ns.pop(path, None)
        return len(due)

    def _is_due(self, path: str, now_ns: int) -> bool:
        removed_ns = self._removed_ns.get(path)
        if removed_ns is not None:
            return now_ns - removed_ns >= GRACE_NS
        made_ns = read_ulid_time(PurePosixPath(path).stem)
        return made_ns is not None and now_ns - made_ns >= ORPHAN_AGE_NS

    def _list_stored(self) -> Iterator[str]:
        """The blocks that have a file, be it only that of their index."""
        for day in self._objects.list(BLOCKS):
            names = self._objects.list(f"{BLOCKS}/{day}")
            stems = dict.fromkeys(PurePosixPath(name).stem for name in names)
            yield from (f"{BLOCKS}/{day}/{stem}.parquet" for stem in stems)


def is_expired(block: BlockInfo, keep_days: int | None, now_ns: int) -> bool:
    return keep_days is not None and block.last_ns < now_ns - keep_days * NS_PER_DAY

"""The sweep: removes expired and excess blocks from the catalog, and later deletes their files.

Files are kept for a while, because running queries may still read them. Unreferenced files, left by a crash, are
deleted once it is certain that nobody is about to reference them. Nothing is deleted by the wall clock alone: a clock
that runs ahead is not trusted, and this process must have waited itself.
"""

import logging
import threading
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from logboom.base.clock import NS_PER_DAY, NS_PER_S, Clock
from logboom.base.ids import read_ulid_time
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.expiry.retention import Retention, find_expired

log = logging.getLogger(__name__)

BLOCKS = "blocks"
GRACE_NS = 600 * NS_PER_S
"""How long the files of removed blocks are kept for running queries, on any node."""
ORPHAN_AGE_NS = 7 * NS_PER_DAY
"""Younger unreferenced blocks may belong to a long request that is not committed yet."""
ORPHAN_WATCH_NS = 3600 * NS_PER_S
"""How long this process must have seen a file unreferenced."""
HELD = (
    "the clock is more than two days ahead of the last commit: nothing is removed until the clock is right "
    "again or an administrator confirms it with POST /api/admin/gc and confirm"
)


class Swept(NamedTuple):
    """What a sweep removed, or would remove; `held` is the reason if it removed nothing."""

    blocks: int
    events: int
    size_bytes: int
    held: str | None = None


class Sweeper:
    """One node's sweep; others may sweep the same store. Thread-safe.

    `clock` is the time of day, `stopwatch` a monotonic clock in nanoseconds.
    """

    def __init__(
        self,
        catalog: Catalog,
        blocks: BlockWriter,
        objects: ObjectStore,
        clock: Clock,
        stopwatch: Clock,
    ) -> None:
        self._catalog = catalog
        self._blocks = blocks
        self._objects = objects
        self._clock = clock
        self._stopwatch = stopwatch
        self._lock = threading.Lock()
        self._seen_ns: dict[str, int] = {}
        self.held: str | None = None
        """Why old events are kept, if they are."""

    def remove_old(
        self, retention: Retention, *, dry_run: bool = False, confirm: bool = False
    ) -> Swept:
        """Remove every expired block from the catalog.

        Does nothing while the clock looks wrong. `confirm` means that it is right nevertheless.
        """
        with self._lock:
            snapshot = self._catalog.confirm_clock() if confirm else self._catalog.snapshot
            old = find_expired(snapshot, retention, self._clock())
            self._hold(snapshot)
            if not (dry_run or self.held):
                self._catalog.remove(block.path for block in old)
        going = [] if self.held and not dry_run else old
        return Swept(
            len(going),
            sum(block.rows for block in going),
            sum(block.size_bytes for block in going),
            self.held,
        )

    def _hold(self, snapshot: Snapshot) -> None:
        was_held = self.held
        self.held = None if self._is_plausible(snapshot) else HELD
        if self.held and not was_held:
            log.error("retention is on hold", extra={"reason": self.held})

    def _is_plausible(self, snapshot: Snapshot) -> bool:
        return snapshot.is_plausible(self._clock() // 1_000_000)

    def delete_files(self) -> int:
        """Delete the files of blocks that were removed a while ago; return how many blocks."""
        with self._lock:
            # Listed before the catalog is read, so that new files are not considered.
            stored = list(self._list_stored())
            snapshot = self._catalog.refresh()
            unnamed = [path for path in stored if not snapshot.is_live(path)]
            self._watch({*unnamed, *snapshot.tombstones})
            due = [*self._list_removed(snapshot), *self._list_orphans(snapshot, unnamed)]
            due = self._drop_needed(due)
            self._blocks.discard(due)
            self._catalog.forget(due)
        return len(due)

    def _drop_needed(self, paths: list[str]) -> list[str]:
        """Return the paths without blocks that a query or an export of this process may still read."""
        in_memory = self._catalog.list_in_memory()
        return [path for path in paths if not any(each.is_live(path) for each in in_memory)]

    def _watch(self, paths: Iterable[str]) -> None:
        """Note since when each block has been out of the catalog, as far as this process knows."""
        now_ns = self._stopwatch()
        self._seen_ns = {path: self._seen_ns.get(path, now_ns) for path in paths}

    def _list_removed(self, snapshot: Snapshot) -> list[str]:
        latest_ms = (self._clock() - GRACE_NS) // 1_000_000
        return [
            path
            for path, removed_ms in snapshot.tombstones.items()
            if removed_ms <= latest_ms and self._was_watched(path, GRACE_NS)
        ]

    def _list_orphans(self, snapshot: Snapshot, unnamed: list[str]) -> list[str]:
        if not self._is_plausible(snapshot):
            return []
        latest_ns = self._clock() - ORPHAN_AGE_NS
        return [
            path
            for path in unnamed
            if path not in snapshot.tombstones
            and (made_ns := read_ulid_time(PurePosixPath(path).stem)) is not None
            and made_ns <= latest_ns
            and self._was_watched(path, ORPHAN_WATCH_NS)
        ]

    def _was_watched(self, path: str, time_ns: int) -> bool:
        return self._stopwatch() - self._seen_ns[path] >= time_ns

    def _list_stored(self) -> Iterator[str]:
        """Yield the blocks that have a file, even if only that of their index."""
        for day in self._objects.list(BLOCKS):
            names = self._objects.list(f"{BLOCKS}/{day}")
            stems = dict.fromkeys(PurePosixPath(name).stem for name in names)
            yield from (f"{BLOCKS}/{day}/{stem}.parquet" for stem in stems)

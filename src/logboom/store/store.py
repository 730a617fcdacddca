"""The store of one node: makes batches durable before they are acknowledged, and serves live blocks.

Opening it locks the directory, reads the catalog, and recovers what the log has beyond it.
"""

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from prometheus_client import Gauge

from logboom.base.clock import Clock
from logboom.base.errors import Corrupt, Unavailable
from logboom.base.files import lock_directory, make_directory
from logboom.base.stores.objects import ObjectStore
from logboom.model.batch import Batch
from logboom.model.shredder import ThreadShredders
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.marks import Mark, Marks
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.compaction.compactor import Compactor, Lease
from logboom.store.compaction.merge import Merger
from logboom.store.companions import ALONE, Companions
from logboom.store.disk import Disk
from logboom.store.expiry.leftovers import Leftovers, clear_directory
from logboom.store.expiry.sweep import Sweeper
from logboom.store.flush.buffer import Buffer, Flushed, Waiting
from logboom.store.flush.bulk import BulkLoad
from logboom.store.flush.digest import Digester
from logboom.store.flush.flusher import Flusher
from logboom.store.flush.writer import Done, LogWriter
from logboom.store.idempotency.answers import Answers
from logboom.store.indexes import IndexCache
from logboom.store.integrity.access import BlockAccess
from logboom.store.integrity.damage import DamagedBlocks
from logboom.store.integrity.restore import restore_index
from logboom.store.integrity.scrub import Scrubber
from logboom.store.integrity.set_aside import SetAside
from logboom.store.node import CLAIMS, LOG, check_claim, claim_node, read_node
from logboom.store.options import StoreOptions
from logboom.store.recovery import RecordReader, Recovery
from logboom.store.totals import Totals, add_up
from logboom.store.wal.log import Wal
from logboom.store.wal.records import SEQ_SHIFT

WARM_BLOCKS = 1000
"""The newest blocks whose indexes are loaded in advance."""
MIN_FREE_SHARE = 0.02
MIN_FREE_BYTES = 256 * 1024 * 1024

wal_bytes = Gauge("logboom_wal_bytes", "Size of the write-ahead log")
live_blocks = Gauge("logboom_live_blocks", "Blocks named by the catalog")


class Store:
    """The store of one node. Thread-safe."""

    def __init__(
        self,
        options: StoreOptions,
        objects: ObjectStore,
        shredders: ThreadShredders,
        clock: Clock,
        stopwatch: Clock = time.monotonic_ns,
    ) -> None:
        make_directory(options.data_dir)
        self._lock_handle = lock_directory(options.data_dir)
        clear_directory(options.data_dir)
        self.options = options
        self._disk = Disk(options.data_dir)
        self.objects = objects
        self.shredders = shredders
        self.clock = clock
        self.node = read_node(options.data_dir / "node")
        self.catalog = Catalog(objects, clock)
        self.answers = Answers(
            options.data_dir / "idempotency.log",
            options.idempotency_hours,
            options.idempotency_bytes,
            clock,
            self.catalog.was_added,
        )
        self.damaged = DamagedBlocks(objects, clock, self.catalog.refresh, writes=True)
        self.access = BlockAccess(objects, self.damaged, self._keep_index)
        self.indexes = IndexCache(self.access, options.index_cache_bytes)
        self.scrubber = Scrubber(self.access, self.catalog, stopwatch)
        self._blocks = BlockWriter(
            objects, shredders, self.node, clock, options.max_fields, self.catalog.fields.note
        )
        self.sweeper = Sweeper(self.catalog, self._blocks, objects, clock, stopwatch)
        self.leftovers = Leftovers(objects, clock, stopwatch)
        self.compactor = self._make_compactor()
        self._wal = Wal(options.data_dir / LOG)
        self._buffer = Buffer()
        self._writer = LogWriter(self._wal, self._buffer, self.answers)
        self.set_aside = SetAside(options.data_dir / "set-aside")
        self._flusher = self._make_flusher()
        self._are_fields_known = False
        self._dropped: frozenset[str] = frozenset()
        self._on_removed: list[Callable[[Iterable[str]], None]] = [self.indexes.drop]
        self._recovery = Recovery(
            self._claim,
            self._wal,
            self._buffer,
            self._flusher,
            RecordReader(shredders, self.set_aside),
            self._start_writing,
        )

    def _make_compactor(self) -> Compactor:
        merger = Merger(self.objects, self._blocks)
        compactor = Compactor(self.catalog, merger, self._blocks, self._has_room, self.clock)
        compactor.may_merge = self.may_merge
        return compactor

    def _make_flusher(self) -> Flusher:
        digester = Digester(self._blocks, self.set_aside)
        flusher = Flusher(self._buffer, digester, self.catalog, self.answers, self._wal, self.node)
        flusher.flush_secs = self.options.flush_secs
        flusher.flush_rows = self.options.flush_rows
        return flusher

    def share(self, lease: Lease, is_busy: Callable[[], bool]) -> None:
        """Call before opening: which of several nodes merges blocks, and when merging should yield to other work."""
        self.compactor.lease = lease
        self.compactor.is_busy = lambda: self._flusher.is_flushing or is_busy()

    def open(self) -> None:
        """Read what is there and start working.

        The contents of the log are searchable on return, or as soon as the disk has room for them.
        """
        # A log that cannot be read now is checked again when it is replayed.
        with suppress(OSError):
            self._wal.check_format()
        self.answers.check_format()
        self.catalog.open()
        self.damaged.refresh()
        check_claim(self.catalog, self.node, self._claim_path)
        self.answers.open()
        wal_bytes.set_function(lambda: self._wal.size_bytes)
        live_blocks.set_function(lambda: self.catalog.snapshot.count_blocks())
        self._recovery.start()

    @property
    def _claim_path(self) -> Path:
        return self.options.data_dir / CLAIMS

    def _claim(self) -> int:
        """Become the process that writes as this node; return the last record of its log that is in blocks."""
        claim_node(self.catalog, self.node, self._claim_path)
        snapshot = self.catalog.snapshot
        committed = snapshot.transactions.get(self.node, 0)
        used = max((block.last_seq >> SEQ_SHIFT for block in snapshot.list_blocks()), default=0)
        self._wal.next_seq = max(committed, used) + 1
        return committed

    def _start_writing(self) -> None:
        self._writer.start()
        self._flusher.start()
        if self.options.compaction_secs is not None:
            self.compactor.start(self.options.compaction_secs)

    def _keep_index(self, info: BlockInfo, data: bytes) -> None:
        if restore_index(self.catalog, self.objects, info, data):
            self.access.note_rebuilt(info.path, data)

    def may_merge(self, info: BlockInfo) -> bool:
        """Return whether a block may be replaced by a merged one: not if it is damaged."""
        return self.damaged.find(info.path) is None

    def write(self, batch: Batch, companions: Companions, done: Done) -> None:
        """Call `done` once the batch is on disk, or with Unavailable if it could not be written."""
        self.check_writable()
        self._writer.write(batch, companions, done)

    def submit(self, batch: Batch, companions: Companions = ALONE) -> "Future[int]":
        """Do what `write` does, for a caller that waits."""
        self.check_writable()
        return self._writer.submit(batch, companions)

    def find_mark(self, name: str) -> int | None:
        """Return the mark that was last set with a durable batch, or None if it was never set."""
        # In this order, because a mark enters the catalog before it leaves the buffer.
        mark = self._buffer.find_mark(name)
        return self.catalog.marks.find(name) if mark is None else mark

    def list_marks(self, prefix: str) -> dict[str, Mark]:
        """Return the marks in the catalog whose names start with a prefix, without those that are about to change."""
        # In this order too, so that no outdated one is seen.
        waiting = self._buffer.list_marks()
        marks = self.catalog.marks.list(prefix)
        return {name: mark for name, mark in marks.items() if name not in waiting}

    def set_marks(self, marks: Marks) -> None:
        """Set marks without events; 0 deletes one."""
        try:
            self.catalog.commit(Change(marks=marks))
        except OSError as error:
            raise Unavailable(f"marks cannot be set: {error.strerror or error}") from error

    def check_writable(self) -> None:
        """Raise Unavailable while new events would pile up: blocks cannot be written, or the disk is full.

        While a remote store is unreachable they wait in the log, as long as there is memory for them.
        """
        self._recovery.check()
        may_wait = self.objects.is_remote and self._buffer.has_room
        if self._flusher.failure and not may_wait:
            raise Unavailable(f"blocks cannot be written: {self._flusher.failure}", retry_after_s=5)
        disk = self._disk.look()
        if disk.f_bavail * disk.f_frsize < measure_floor(disk):
            raise Unavailable("the disk is full", retry_after_s=5)

    def _has_room(self, size_bytes: int) -> bool:
        """Return whether the store can take this much without endangering ingest."""
        if self.objects.is_remote:
            return True
        disk = os.statvfs(self.objects.locate(""))
        return disk.f_bavail * disk.f_frsize >= measure_floor(disk) + size_bytes

    def check_ready(self) -> None:
        """Raise Unavailable, with the reason, while events cannot be accepted."""
        self.check_writable()
        self._wal.check_writable()

    def open_bulk(self) -> BulkLoad:
        """Start a request that is too large to be one batch."""
        return BulkLoad(
            self._blocks,
            self.catalog,
            self.answers,
            lambda: self._writer.reserve().result(),
            self._flusher.flush_rows,
        )

    def flush(self) -> "Future[Flushed]":
        """Return a future that resolves when everything acknowledged so far is searchable.

        Raise Unavailable during recovery.
        """
        self._recovery.check()
        return self._flusher.ask()

    def flush_soon(self) -> "Future[Flushed]":
        """Return a future like that of `flush`, which may take a moment longer; anybody may call this at any rate.

        Raise Unavailable during recovery.
        """
        self._recovery.check()
        return self._flusher.await_soon()

    def tune(self, flush_secs: float, flush_rows: int) -> None:
        """Change how long and how many events may wait to become searchable."""
        self._flusher.tune(flush_secs, flush_rows)

    def remove_env(self, env: str) -> None:
        """Remove all events of an environment that were acknowledged before."""
        self.flush().result()
        # Repeated, because some of them may have been merged into new blocks meanwhile.
        while blocks := list(self.catalog.refresh().list_blocks(env)):
            self.catalog.remove(block.path for block in blocks)

    def count_buffered(self, env: str) -> int:
        """Return the acknowledged events of an environment that are not yet searchable."""
        return self._buffer.count_events(env)

    def measure_buffer(self) -> Waiting:
        """Return the acknowledged events that are not yet searchable."""
        return self._buffer.measure()

    def measure_log(self) -> list[int]:
        """Return the size of each segment of the write-ahead log in bytes."""
        return self._wal.measure_segments()

    @property
    def totals(self) -> Totals:
        """Totals of the live blocks."""
        return add_up(self.catalog.snapshot)

    def snapshot(self) -> Snapshot:
        return self.catalog.snapshot

    def follow(self) -> Snapshot:
        """Return the live blocks as of now."""
        return self.catalog.refresh()

    def refresh(self) -> None:
        """Follow the catalog, and load the newest blocks' indexes in advance."""
        snapshot = self.catalog.refresh()
        self._drop_removed(snapshot)
        newest = snapshot.list_newest(snapshot.envs, WARM_BLOCKS)
        self.indexes.warm(newest)
        self._name_fields(newest)

    def _name_fields(self, newest: Iterable[BlockInfo]) -> None:
        """Add the fields of events to the table's schema; those of earlier runs are looked up once."""
        if not self._are_fields_known:
            for block in newest:
                # A damaged block is reported when it is needed.
                with suppress(Corrupt):
                    columns = self.indexes.read(block).columns
                    self.catalog.fields.note({name: each.count for name, each in columns.items()})
            self._are_fields_known = True
        self.catalog.name_fields()

    def on_removed(self, drop: Callable[[Iterable[str]], None]) -> None:
        """Call `drop` with the paths of blocks that are no longer live, soon after they were removed."""
        self._on_removed.append(drop)

    def _drop_removed(self, snapshot: Snapshot) -> None:
        removed = frozenset(snapshot.tombstones)
        if gone := removed - self._dropped:
            for drop in self._on_removed:
                drop(gone)
        self._dropped = removed

    def close(self) -> None:
        """Write, flush and sync everything; the log is empty afterwards unless the disk failed."""
        self._recovery.stop()
        self.compactor.stop()
        self._writer.stop()
        self._flusher.stop()
        self._wal.close()
        try:
            if self._buffer.is_empty and not self._recovery.problem:
                self._wal.delete_through(self._wal.next_seq)
        finally:
            os.close(self._lock_handle)


def measure_floor(disk: os.statvfs_result) -> int:
    """Return the bytes that must be free on a disk to accept events."""
    return min(MIN_FREE_BYTES, int(disk.f_blocks * disk.f_frsize * MIN_FREE_SHARE))

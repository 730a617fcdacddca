"""The store of one node: batches in, durable before they are acknowledged; live blocks out.

Opening it takes the directory's lock, reads the catalog, and replays what the log holds beyond it.
"""

import logging
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from prometheus_client import Gauge

from logboom.base.clock import Clock
from logboom.base.errors import Corrupt, NotFound, Unavailable
from logboom.base.files import lock_directory, make_directory, publish_new
from logboom.base.objects import ObjectStore
from logboom.model.batch import Batch
from logboom.model.shredder import ThreadShredders
from logboom.store.answers import Answer, Answers
from logboom.store.block.index import BlockIndex, decode_index
from logboom.store.block.writer import BlockWriter, name_index
from logboom.store.buffer import Buffer, Flushed
from logboom.store.bulk import BulkLoad
from logboom.store.catalog import Catalog, Snapshot
from logboom.store.flusher import Flusher
from logboom.store.options import StoreOptions
from logboom.store.records import SEQ_SHIFT, decode_record
from logboom.store.wal import Wal
from logboom.store.writer import LogWriter

log = logging.getLogger(__name__)

NODE_NAME = re.compile("[0-9a-f]{8}")
MIN_FREE_SHARE = 0.02
MIN_FREE_BYTES = 256 * 1024 * 1024

wal_bytes = Gauge("logboom_wal_bytes", "Size of the write-ahead log")
live_blocks = Gauge("logboom_live_blocks", "Blocks named by the catalog")


class Store:
    """Every method may be called from any thread."""

    def __init__(
        self, options: StoreOptions, objects: ObjectStore, shredders: ThreadShredders, clock: Clock
    ) -> None:
        make_directory(options.data_dir)
        self._lock_handle = lock_directory(options.data_dir)
        self.options = options
        self.objects = objects
        self.shredders = shredders
        self.clock = clock
        self.node = read_node(options.data_dir / "node")
        self.catalog = Catalog(objects, clock)
        self.answers = Answers(
            options.data_dir / "idempotency.log", options.idempotency_hours, clock, self._is_live
        )
        self.indexes = IndexCache(objects, options.index_cache_bytes)
        self._blocks = BlockWriter(objects, shredders, self.node, clock, options.max_fields)
        self._wal = Wal(options.data_dir / "wal")
        self._buffer = Buffer()
        self._writer = LogWriter(self._wal, self._buffer, self.answers)
        self._flusher = Flusher(
            self._buffer, self._blocks, self.catalog, self.answers, self._wal, self.node
        )
        self._flusher.flush_secs = options.flush_secs
        self._flusher.flush_rows = options.flush_rows

    def open(self) -> None:
        """Read what is there and start working; what the log held is searchable on return."""
        self.catalog.open()
        snapshot = self.catalog.snapshot
        self.answers.open()
        committed = snapshot.transactions.get(self.node, 0)
        used = max((block.last_seq >> SEQ_SHIFT for block in snapshot.blocks.values()), default=0)
        self._wal.next_seq = max(committed, used) + 1
        self._replay(committed)
        wal_bytes.set_function(lambda: self._wal.size_bytes)
        live_blocks.set_function(lambda: len(self.catalog.snapshot.blocks))
        self._writer.start()
        self._flusher.start()

    def _is_live(self, block: str) -> bool:
        return block in self.catalog.refresh().blocks

    def _replay(self, committed: int) -> None:
        replayed = 0
        for record in self._wal.replay():
            if record.seq <= committed:
                continue
            batch, answer = decode_record(record, self.shredders)
            self._buffer.add(batch, answer, record.seq)
            replayed += len(batch)
            if self._buffer.is_full(self.options.flush_rows):
                self._flush_replayed()
        self._flush_replayed()
        self._wal.delete_through(self._wal.next_seq)
        if replayed:
            log.info("write-ahead log replayed", extra={"events": replayed})

    def _flush_replayed(self) -> None:
        self._flusher.flush()
        if self._flusher.failure:
            raise Unavailable(f"the write-ahead log cannot be replayed: {self._flusher.failure}")

    def submit(self, batch: Batch, answer: Answer | None = None) -> "Future[int]":
        """Resolves once the batch is on disk; Unavailable when it could not be written."""
        self.check_writable()
        return self._writer.submit(batch, answer)

    def check_writable(self) -> None:
        """Raise Unavailable while new events would pile up: blocks cannot be written, or the disk is full."""
        if self._flusher.failure:
            raise Unavailable(f"blocks cannot be written: {self._flusher.failure}", retry_after_s=5)
        disk = os.statvfs(self.options.data_dir)
        floor = min(MIN_FREE_BYTES, int(disk.f_blocks * disk.f_frsize * MIN_FREE_SHARE))
        if disk.f_bavail * disk.f_frsize < floor:
            raise Unavailable("the disk is full", retry_after_s=5)

    def open_bulk(self) -> BulkLoad:
        """Begin a request that is too large to be one batch."""
        return BulkLoad(
            self._blocks,
            self.catalog,
            self.answers,
            lambda: self._writer.reserve().result(),
            self._flusher.flush_rows,
        )

    def flush(self) -> "Future[Flushed]":
        """Resolves when everything acknowledged so far is searchable."""
        return self._flusher.ask()

    def snapshot(self) -> Snapshot:
        return self.catalog.snapshot

    def refresh(self) -> None:
        """Follow the catalog, and have the newest blocks' indexes at hand before anybody asks."""
        blocks = self.catalog.refresh().blocks.values()
        newest_first = sorted(blocks, key=lambda block: block.last_ns, reverse=True)
        self.indexes.warm(block.path for block in newest_first)

    def close(self) -> None:
        """Write, flush and sync what is there; the log is empty afterwards unless the disk failed."""
        self._writer.stop()
        self._flusher.stop()
        self._wal.close()
        try:
            if self._buffer.is_empty:
                self._wal.delete_through(self._wal.next_seq)
        finally:
            os.close(self._lock_handle)


class IndexCache:
    """Block indexes, the most recently used ones kept in memory up to a size."""

    def __init__(self, objects: ObjectStore, capacity_bytes: int) -> None:
        self._objects = objects
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._cached: OrderedDict[str, tuple[BlockIndex, int]] = OrderedDict()

    def warm(self, paths: Iterable[str]) -> None:
        """Read what is not here yet, as long as there is room without giving anything up."""
        for path in paths:
            if self._size_bytes >= self._capacity_bytes:
                return
            if path not in self._cached:
                self.read(path)

    def read(self, path: str) -> BlockIndex:
        """The index of the block at `path`."""
        with self._lock:
            cached = self._cached.get(path)
            if cached is not None:
                self._cached.move_to_end(path)
                return cached[0]
        name = name_index(path)
        try:
            data = self._objects.read(name)
        except NotFound as error:
            raise Corrupt(self._objects.locate(name), 0, "the block has lost its index") from error
        index = decode_index(data, name)
        with self._lock:
            if path in self._cached:
                return index
            # Decoded, an index takes a few times its stored size.
            size_bytes = 4 * len(data)
            self._cached[path] = (index, size_bytes)
            self._size_bytes += size_bytes
            while self._size_bytes > self._capacity_bytes and len(self._cached) > 1:
                self._size_bytes -= self._cached.popitem(last=False)[1][1]
        return index


def read_node(path: Path) -> str:
    """The name of this node, made up once."""
    if not path.exists():
        publish_new(path, os.urandom(4).hex().encode())
    name = path.read_bytes().decode(errors="replace").strip()
    if not NODE_NAME.fullmatch(name):
        raise Corrupt(str(path), 0, f"{name!r} is not the name of a node, expected 8 hex digits")
    return name

"""The catalog: a Delta Lake transaction log that says which blocks are live.

Commits are numbered JSON objects, created only if absent. Nothing is ever found by listing files; a log
that is missing or has a hole while blocks exist is an error, never an empty store.
"""

import io
import logging
import threading
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import polars as pl

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.objects import ObjectStore
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.actions import (
    Action,
    Add,
    Remove,
    Transaction,
    decode_commit,
    describe_block,
    encode_commit,
    make_first_commit,
    read_block,
)
from logboom.store.catalog.marks import PREFIX, Mark, Marks, MarkTable
from logboom.store.companions import ALONE

log = logging.getLogger(__name__)

LOG = "_delta_log"
MAX_ATTEMPTS = 100
UNREADABLE = (
    *(msgspec.MsgspecError, KeyError, TypeError, ValueError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)
"""What reading a damaged commit or checkpoint may raise."""


class Snapshot(NamedTuple):
    """The live blocks at one version of the log, and how far the log of each node is in them."""

    version: int
    blocks: dict[str, BlockInfo]
    transactions: dict[str, int]


class Catalog:
    """Follows and extends the log. May be called from any thread; snapshots never change."""

    def __init__(self, objects: ObjectStore, clock: Clock) -> None:
        self._objects = objects
        self._clock = clock
        self._lock = threading.Lock()
        # Also at the start: the process before may have died between a commit and its sync.
        self._is_unsynced = True
        self.checkpoint_version = -1
        self.snapshot = Snapshot(-1, {}, {})
        self.marks = MarkTable({})

    def open(self) -> None:
        """Read the log; begin it when the store is new."""
        names = self._objects.list(LOG)
        damaged = self._load_checkpoint(names)
        self.refresh()
        versions = list_versions(names)
        self._check_whole(versions)
        if not versions:
            if self._objects.list("blocks"):
                raise Corrupt(
                    self._objects.locate(LOG), 0, "there are blocks but no log that names them"
                )
            now_ms = self._clock() // 1_000_000
            first = make_first_commit(now_ms)
            self._create(0, encode_commit(first, "CREATE TABLE", now_ms))
            self.refresh()
        self._drop_checkpoints(damaged)

    def follow(self) -> None:
        """Read the log of a store that others write; NotFound when there is none."""
        names = self._objects.list(LOG)
        versions = list_versions(names)
        if not versions:
            raise NotFound(f"no store at {self._objects.locate('')}")
        self._is_unsynced = False
        self._load_checkpoint(names)
        self.refresh()
        self._check_whole(versions)

    def _check_whole(self, versions: list[int]) -> None:
        """Refuse a log that has a hole: what comes after it was not seen."""
        last = max(versions, default=-1)
        if last > self.snapshot.version:
            place = self._objects.locate(name_commit(self.snapshot.version + 1))
            raise Corrupt(place, 0, f"missing, but the log goes on to version {last}")

    def refresh(self) -> Snapshot:
        """Follow the log to its end; what is then seen of it is durable."""
        with self._lock:
            if self._is_unsynced:
                self._sync()
            while True:
                try:
                    data = self._objects.read(name_commit(self.snapshot.version + 1))
                except NotFound:
                    return self.snapshot
                self._apply(data)

    def _sync(self) -> None:
        # Cleared before: a commit that fails meanwhile sets it again.
        self._is_unsynced = False
        try:
            self._objects.sync(LOG)
        except OSError as error:
            self._is_unsynced = True
            raise Unavailable(f"the catalog cannot be synced: {error.strerror}") from error

    def commit(
        self,
        adds: Iterable[BlockInfo],
        transaction: tuple[str, int] | None = None,
        marks: Marks = ALONE.marks,
    ) -> Snapshot:
        """Make blocks live, all or none, together with what WAL position they cover and with marks.

        A blind append: when another writer took the number, the same actions go under the next one. But
        marks are left out of whose owner a later turn is known.
        """
        now_ms = self._clock() // 1_000_000
        added = [Action(add=describe_block(block, now_ms)) for block in adds]
        for _ in range(MAX_ATTEMPTS):
            latest = self.refresh()
            if transaction and latest.transactions.get(transaction[0], 0) >= transaction[1]:
                return latest  # an earlier try that seemed to fail was committed after all
            numbers = dict([transaction] if transaction else [])
            numbers |= {PREFIX + name: value for name, value in self.marks.drop_late(marks).items()}
            actions = [
                Action(txn=Transaction(*each, lastUpdated=now_ms)) for each in numbers.items()
            ]
            if self._create(latest.version + 1, encode_commit(actions + added, "WRITE", now_ms)):
                return self.refresh()
        raise too_busy()

    def remove(self, paths: Iterable[str]) -> Snapshot:
        """Take blocks out, all or none; those that are not live any more are no error."""
        wanted = set(paths)
        for _ in range(MAX_ATTEMPTS):
            latest = self.refresh()
            live = sorted(wanted & latest.blocks.keys())
            if not live:
                return latest
            now_ms = self._clock() // 1_000_000
            actions = [Action(remove=Remove(path, now_ms, dataChange=True)) for path in live]
            if self._create(latest.version + 1, encode_commit(actions, "DELETE", now_ms)):
                return self.refresh()
        raise too_busy()

    def _create(self, version: int, data: bytes) -> bool:
        """Write one commit; False when another writer's stands there."""
        name = name_commit(version)
        try:
            self._objects.put_new(name, data)
        except Conflict:
            # A retried create can meet its own earlier success.
            return self._objects.read(name) == data
        except OSError:
            self._is_unsynced = True
            raise
        return True

    def _apply(self, data: bytes) -> None:
        """Advance the snapshot by one commit; the lock is held."""
        version = self.snapshot.version + 1
        blocks, transactions = dict(self.snapshot.blocks), dict(self.snapshot.transactions)
        marks: dict[str, Mark] = {}
        try:
            for action in decode_commit(data):
                if action.add:
                    blocks[action.add.path] = read_block(action.add)
                if action.remove:
                    blocks.pop(action.remove.path, None)
                if action.txn:
                    sort_out(action.txn, transactions, marks)
        except UNREADABLE as error:
            place = self._objects.locate(name_commit(version))
            raise Corrupt(place, 0, f"not a commit: {error!r}") from error
        self.marks.apply(marks)
        self.snapshot = Snapshot(version, blocks, transactions)

    def _load_checkpoint(self, names: list[str]) -> list[str]:
        """Start from the newest checkpoint that can be read, if any; returns those that cannot."""
        checkpoints = [name for name in names if name.endswith(".checkpoint.parquet")]
        damaged: list[str] = []
        for name in reversed(checkpoints):
            version = int(name[:20])
            try:
                data = self._objects.read(f"{LOG}/{name}")
                self.snapshot, self.marks = read_checkpoint(data, version)
            except (*UNREADABLE, OSError) as error:
                log.warning(
                    "catalog checkpoint skipped", extra={"version": version, "reason": repr(error)}
                )
                damaged.append(name)
                continue
            self.checkpoint_version = version
            break
        return damaged

    def _drop_checkpoints(self, damaged: list[str]) -> None:
        """Remove checkpoints that no reader could pass; the commits they summed up are all there."""
        for name in damaged:
            self._objects.delete(f"{LOG}/{name}")
        if damaged:
            self._objects.delete(f"{LOG}/_last_checkpoint")


def read_checkpoint(data: bytes, version: int) -> tuple[Snapshot, MarkTable]:
    frame = pl.read_parquet(io.BytesIO(data))
    adds = frame["add"].drop_nulls().to_list()
    blocks = [read_block(msgspec.convert(add, Add)) for add in adds]
    transactions: dict[str, int] = {}
    marks: dict[str, Mark] = {}
    for each in frame["txn"].drop_nulls().to_list():
        sort_out(msgspec.convert(each, Transaction), transactions, marks)
    snapshot = Snapshot(version, {block.path: block for block in blocks}, transactions)
    return snapshot, MarkTable(marks)


def sort_out(each: Transaction, nodes: dict[str, int], marks: dict[str, Mark]) -> None:
    """Put a number where it belongs: to the nodes, or to the marks."""
    name = each.appId.removeprefix(PREFIX)
    if name == each.appId:
        nodes[name] = each.version
    else:
        marks[name] = Mark(each.version, each.lastUpdated or 0)


def too_busy() -> Conflict:
    return Conflict("the catalog is changed too often by others")


def list_versions(names: list[str]) -> list[int]:
    return [int(name[:20]) for name in names if name[:20].isdigit()]


def name_commit(version: int) -> str:
    return f"{LOG}/{version:020d}.json"

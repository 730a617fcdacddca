"""The catalog: follows the log of commits to know which blocks are live, and extends it.

Nothing is ever found by listing data files. A log that is missing or has a gap while blocks exist is an error, never
an empty store.
"""

import itertools
import logging
import threading
from collections.abc import Iterable, Mapping
from weakref import WeakValueDictionary

from msgspec.structs import replace

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.ids import read_ulid_time
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.info import BlockInfo, read_name
from logboom.store.catalog.actions import Action, encode_commit
from logboom.store.catalog.change import Change, are_stale
from logboom.store.catalog.fields import NewFields
from logboom.store.catalog.loading import Position, follow, is_named, load
from logboom.store.catalog.log import FOLDER, LAST_CHECKPOINT, Anchor, LogFiles, name_checkpoint
from logboom.store.catalog.marks import Mark, MarkTable
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.catalog.steps import CLOCK, HOLDER
from logboom.store.catalog.table import describe_table, make_first_commit, read_columns

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 100
CLOCK_SLACK_NS = 600 * NS_PER_S
"""The tolerated difference between the clocks of nodes."""
TOO_BUSY = "other nodes keep changing the catalog, try again"


class Catalog:
    """The catalog of a store. Thread-safe; snapshots never change."""

    def __init__(self, objects: ObjectStore, clock: Clock) -> None:
        self._objects = objects
        self._files = LogFiles(objects)
        self._clock = clock
        self._lock = threading.Lock()
        self._is_unsynced = False
        self._anchor = Anchor(-1, None)
        self._loads = 0
        self._claim: dict[str, int | None] = {}
        self._in_memory: WeakValueDictionary[int, Snapshot] = WeakValueDictionary()
        self._snapshot_numbers = itertools.count()
        self.checkpoint_version = -1
        self.followed_ns = 0
        """When the end of the log was last looked for."""
        self.snapshot = Snapshot()
        self.marks = MarkTable({})
        self.fields = NewFields()

    @property
    def snapshot(self) -> Snapshot:
        """The state of the log when it was last followed."""
        return self._snapshot

    @snapshot.setter
    def snapshot(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._in_memory[next(self._snapshot_numbers)] = snapshot

    def list_in_memory(self) -> list[Snapshot]:
        """Return the snapshots that are still used in this process, including the newest."""
        with self._lock:
            return list(self._in_memory.values())

    def open(self) -> None:
        """Read the log; create it if the store is new."""
        with self._lock:
            # The previous process may have died between a commit and its sync.
            self._sync()
            if self._files.list().last < 0:
                self._begin()
            damaged = self._load()
        if damaged:
            # Other programs that read the table would fail on them.
            self._objects.delete_all([*map(name_checkpoint, damaged), LAST_CHECKPOINT])
        if describe_table(self.snapshot, (), (), ()):
            self._restate_table()

    def _restate_table(self) -> None:
        """Update the table's metadata; if the disk is full, a later commit does it."""
        try:
            self.commit(Change(operation="SET"))
        except OSError:
            log.exception("the description of the table is not up to date")

    def follow(self) -> None:
        """Read the log of a store that others write; raise NotFound if there is none."""
        with self._lock:
            if self._files.list().last < 0:
                raise NotFound(f"no store at {self._objects.locate('')}")
            self._load()

    def _begin(self) -> None:
        if self._objects.list("blocks"):
            raise Corrupt(
                self._objects.locate(FOLDER), 0, "there are blocks but no log that names them"
            )
        now_ms = self._clock() // 1_000_000
        self._create(0, encode_commit(make_first_commit(now_ms), "CREATE TABLE", now_ms))

    def refresh(self) -> Snapshot:
        """Follow the log to its end; everything that is seen is durable then."""
        with self._lock:
            if self._is_unsynced:
                self._sync()
            position = follow(self._files, Position(self.snapshot, self._anchor, {}))
            if position is None:
                log.warning(
                    "the log was cleaned up beyond this node's position and is reloaded",
                    extra={"version": self.snapshot.version},
                )
                self._load()
            else:
                self.marks.apply(position.marks)
                self.snapshot, self._anchor = position.snapshot, position.anchor
            self.followed_ns = self._clock()
            return self.snapshot

    def _load(self) -> list[int]:
        """Read the log from its newest checkpoint; return the damaged ones that were skipped."""
        position, start = load(self._objects, self._files)
        self.checkpoint_version = start.version
        self.marks = MarkTable(position.marks)
        self.snapshot, self._anchor = position.snapshot, position.anchor
        self._loads += 1
        return start.damaged

    def _sync(self) -> None:
        # Cleared first: a commit that fails meanwhile sets it again.
        self._is_unsynced = False
        try:
            self._files.sync()
        except OSError as error:
            self._is_unsynced = True
            raise Unavailable(f"the catalog cannot be synced: {error.strerror}") from error

    def commit(self, change: Change) -> Snapshot:
        """Make a change durable, entirely and once; raise Conflict if it is refused.

        If another writer took the number, the same change gets the next one.
        """
        change = replace(change, expected_claims={**self._claim, **change.expected_claims})
        loads = self._loads
        for _ in range(MAX_ATTEMPTS):
            latest = self.refresh()
            change.check_claims(latest)
            if change.is_done(latest):
                return latest
            change.check_age(self._clock())
            change.check_removes(latest)
            if self._loads != loads and self._are_gone(change.adds):
                return latest
            if done := self._try(change, latest):
                return done
        raise Conflict(TOO_BUSY)

    def _are_gone(self, blocks: Iterable[BlockInfo]) -> bool:
        """Return whether new blocks were committed and removed again while this node slept.

        A log that was cleaned up meanwhile may no longer mention them, but only removed blocks lose their files so
        soon.
        """
        try:
            for block in blocks:
                self._objects.measure(block.path)
        except NotFound:
            return True
        return False

    def _try(self, change: Change, latest: Snapshot) -> Snapshot | None:
        """Write the commit after `latest`; return None if another writer was first or the log was cleaned up."""
        now_ms = self._clock() // 1_000_000
        loads = self._loads
        actions = [
            *change.list_actions(latest, self.marks, now_ms),
            *self._describe_table(change, latest),
        ]
        if not self._create(latest.version + 1, encode_commit(actions, change.operation, now_ms)):
            return None
        snapshot = self.refresh()
        self._settle_fields()
        # When read again, the log may no longer include the number that was written.
        return snapshot if self._loads == loads else None

    def _describe_table(self, change: Change, latest: Snapshot) -> list[Action]:
        """Return what the commit after `latest` says about the table."""
        new = self.fields.list_due(self._clock())
        return describe_table(latest, change.adds, change.removes, new)

    def name_fields(self) -> None:
        """Add the new fields that are due to the table's schema."""
        self._settle_fields()
        if self.fields.list_due(self._clock()):
            self._restate_table()

    def _settle_fields(self) -> None:
        metadata = self.snapshot.metadata
        assert metadata is not None, "a log begins with its metadata"
        self.fields.settle(read_columns(metadata.schemaString), self._clock())

    def _create(self, version: int, data: bytes) -> bool:
        try:
            return self._files.create(version, data)
        except OSError:
            self._is_unsynced = True
            raise

    def remove(self, paths: Iterable[str]) -> Snapshot:
        """Remove blocks, all or none; blocks that are no longer live are ignored."""
        wanted = tuple(paths)
        for _ in range(MAX_ATTEMPTS):
            latest = self.refresh()
            live = tuple(sorted(path for path in wanted if latest.is_live(path)))
            if not live:
                return latest
            try:
                return self.commit(Change(removes=live, operation="DELETE"))
            except Conflict:
                continue
        raise Conflict(TOO_BUSY)

    def are_stale(self, blocks: Iterable[BlockInfo]) -> bool:
        """Return whether new blocks are too old to be committed."""
        return are_stale(blocks, self._clock())

    def was_added(self, path: str) -> bool:
        """Return whether a block was ever committed, even if it was merged or removed since."""
        snapshot = self.refresh()
        if snapshot.is_live(path) or path in snapshot.tombstones:
            return True
        made_ns = read_ulid_time(read_name(path)) or 0
        return is_named(self._files, path, (made_ns - CLOCK_SLACK_NS) // 1_000_000)

    def claim(self, node: str, claim: int, expected: int | None) -> None:
        """Become the only process that commits as `node`; raise Conflict if its holder is not as expected.

        From now on every commit is refused with Conflict once another process has claimed the node.
        """
        self.commit(
            Change(
                numbers={HOLDER + node: claim}, expected_claims={node: expected}, operation="CLAIM"
            )
        )
        self._claim = {node: claim}

    def find_claim(self, node: str) -> int | None:
        """Return the claim of the last process that held the node, or None if there was none."""
        return self.snapshot.claims.get(node)

    def confirm_clock(self) -> Snapshot:
        """Declare the current time right for retention."""
        now_ms = self._clock() // 1_000_000
        return self.commit(Change(numbers={CLOCK: now_ms}, operation="CONFIRM CLOCK"))

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what is known about removed blocks whose files are gone."""
        gone = set(paths)
        with self._lock:
            if gone:
                self.snapshot = self.snapshot.forget(gone)

    def copy_state(self) -> tuple[Snapshot, Mapping[str, Mark]]:
        """Return the snapshot, and the marks at its version."""
        with self._lock:
            return self.snapshot, self.marks.copy()

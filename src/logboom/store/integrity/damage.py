"""Damaged blocks: they are set aside and noted durably, but not deleted.

A note is an object `damaged/<name of the block>.json`, so that it outlives a restart and reaches all nodes of a
shared store. A block whose file is intact again, for example from a backup, is used again.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import PurePosixPath

import msgspec
from prometheus_client import Gauge

from logboom.base.clock import Clock, format_time
from logboom.base.errors import Conflict, LogboomError, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot

log = logging.getLogger(__name__)

FOLDER = "damaged"

damaged_blocks = Gauge("logboom_damaged_blocks", "Live blocks that are set aside as damaged")


class Damage(msgspec.Struct, frozen=True, kw_only=True):
    """A block that cannot be read, and why."""

    block: str
    env: str
    events: int
    bytes: int
    reason: str
    found: str


class DamagedBlocks:
    """The damaged blocks of a store. Thread-safe."""

    def __init__(
        self, objects: ObjectStore, clock: Clock, follow: Callable[[], Snapshot], *, writes: bool
    ) -> None:
        """`follow` returns the newest snapshot; without `writes` nothing is noted durably."""
        self._objects = objects
        self._clock = clock
        self._follow = follow
        self._writes = writes
        self._lock = threading.Lock()
        self._found: dict[str, Damage] = {}
        self._noted: set[str] = set()

    def find(self, path: str) -> Damage | None:
        return self._found.get(path)

    def list(self) -> "list[Damage]":
        """Return the blocks that are set aside, by name."""
        with self._lock:
            return sorted(self._found.values(), key=lambda damage: damage.block)

    def set_aside(self, info: BlockInfo, reason: str) -> None:
        """Note that a block is damaged, unless that is known or the catalog no longer names the block."""
        if info.path in self._found or not self._is_live(info.path):
            return
        damage = Damage(
            block=info.path,
            env=info.env,
            events=info.rows,
            bytes=info.size_bytes,
            reason=reason,
            found=format_time(self._clock()),
        )
        if self._keep(damage):
            log.error("a block is damaged and set aside", extra=msgspec.structs.asdict(damage))
            self._write(damage)

    def _is_live(self, path: str) -> bool:
        try:
            return self._follow().is_live(path)
        except (LogboomError, OSError):
            # The catalog is unreachable; the block is damaged nevertheless.
            return True

    def _keep(self, damage: Damage) -> bool:
        """Remember a damage; return whether it was not known before."""
        with self._lock:
            is_new = self._found.setdefault(damage.block, damage) is damage
            damaged_blocks.set(len(self._found))
        return is_new

    def _write(self, damage: Damage) -> None:
        """Write a note of a damage; a full or failing disk must not fail the query, so writing is retried later."""
        if not self._writes:
            return
        try:
            self._objects.put_new(name_note(damage.block), msgspec.json.encode(damage))
        except Conflict:
            pass
        except (LogboomError, OSError) as error:
            extra = {"block": damage.block, "reason": str(error)}
            log.warning("the damage of a block cannot be noted", extra=extra)
            return
        self._noted.add(damage.block)

    def take_back(self, path: str) -> None:
        """Remove the note of a block that is intact again or was removed."""
        if self._writes:
            self._objects.delete(name_note(path))
        self._forget(path)

    def _forget(self, path: str) -> None:
        with self._lock:
            self._found.pop(path, None)
            self._noted.discard(path)
            damaged_blocks.set(len(self._found))

    def refresh(self) -> None:
        """Read the notes of other processes, and drop those that are gone or about removed blocks."""
        names = {f"{FOLDER}/{name}" for name in self._objects.list(FOLDER)}
        for name in names - {name_note(damage.block) for damage in self.list()}:
            self._learn(name)
        snapshot = self._follow()
        for damage in self.list():
            if not snapshot.is_live(damage.block):
                self.take_back(damage.block)
            elif name_note(damage.block) not in names:
                self._settle(damage)

    def _settle(self, damage: Damage) -> None:
        """Handle a block without a note: another process removed it, or it could not be written."""
        if damage.block in self._noted:
            self._forget(damage.block)
        else:
            self._write(damage)

    def _learn(self, name: str) -> None:
        damage = read_note(self._objects, name)
        if damage:
            self._noted.add(damage.block)
            self._keep(damage)


def name_note(path: str) -> str:
    return f"{FOLDER}/{PurePosixPath(path).stem}.json"


def read_note(objects: ObjectStore, name: str) -> Damage | None:
    """Read a note of a damage; return None if it is gone or damaged, as the block will be found damaged again."""
    try:
        damage = msgspec.json.decode(objects.read(name), type=Damage)
    except (NotFound, ValueError) as error:
        log.warning("a note of damage cannot be read", extra={"object": name, "reason": str(error)})
        return None
    return damage if name_note(damage.block) == name else None

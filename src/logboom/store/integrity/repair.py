"""Repairs a damaged store: rebuilds what can be rebuilt, reports what is lost and sets it aside.

Values are never guessed. A block whose checksum is wrong may still be readable, but it is unknown which of its values
are right: it leaves the catalog, and its file is kept.
"""

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from logboom.base.clock import Clock
from logboom.base.errors import LogboomError, NotFound
from logboom.base.files import make_directory, publish_new, replace_file
from logboom.base.stores.objects import ObjectStore
from logboom.store.backup.manifest import File
from logboom.store.block.encoding import encode_index
from logboom.store.block.writer import name_index
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.log import (
    CHECKPOINT_SUFFIX,
    LAST_CHECKPOINT,
    LogFiles,
    name_commit,
)
from logboom.store.integrity.check import Checked, Damage, describe_events
from logboom.store.integrity.rebuild import rebuild_index
from logboom.store.integrity.restore import restore_index
from logboom.store.wal.segment import LOST_HEADERS
from logboom.store.wal.survey import Survey

SET_ASIDE = "set-aside"


class RepairStep(NamedTuple):
    """A repair step: what is damaged, the outcome, and the action; None if it cannot be repaired."""

    name: str
    outcome: str
    act: Callable[[], None] | None


class Repair:
    """Plans the repair of a store. Nobody else may use the data directory; other nodes may use the store.

    `backup` may have intact copies of damaged files.
    """

    def __init__(
        self, objects: ObjectStore, data_dir: Path, clock: Clock, backup: ObjectStore | None = None
    ) -> None:
        self._objects = objects
        self._data_dir = data_dir
        self._clock = clock
        self._backup = backup
        self._catalog: Catalog | None = None

    def plan(self, checked: Checked, survey: Survey) -> Iterator[RepairStep]:
        """Yield the steps, in order."""
        of_log = [each for each in checked.damages if each.block is None]
        yield from (self._plan_file(each, checked) for each in of_log)
        damaged = {each.name: each for each in checked.damages if each.block is not None}
        for damage in damaged.values():
            # The index of a damaged block is removed with it, or rebuilt from the copy.
            if not damage.is_index:
                yield self._plan_block(damage, has_index=name_index(damage.name) not in damaged)
            elif damage.block and damage.block.path not in damaged:
                yield self._plan_index(damage)
        yield from (self._plan_segment(name, reason) for name, reason in survey.damaged.items())

    def _plan_file(self, damage: Damage, checked: Checked) -> RepairStep:
        """Plan the repair of a file of the log, which can be deleted if the rest of the log says the same."""
        listed = {
            name_commit(version): version for version in LogFiles(self._objects).list().commits
        }
        if checked.version >= 0 and damage.name.endswith(CHECKPOINT_SUFFIX):
            doomed = [damage.name, LAST_CHECKPOINT]
            outcome = "deleted; the commits beside it say the same"
        elif listed.get(damage.name, checked.version + 1) <= checked.checkpoint:
            # Commits are deleted in ascending order only.
            doomed = [name for name in listed if name <= damage.name]
            outcome = f"deleted with those before it; checkpoint {checked.checkpoint} says the same"
        else:
            outcome = "cannot be repaired, restore the store from a backup"
            return RepairStep(damage.name, f"{outcome} ({damage.reason})", None)
        outcome = f"{outcome} ({damage.reason})"
        return RepairStep(damage.name, outcome, lambda: self._objects.delete_all(doomed))

    def _plan_block(self, damage: Damage, *, has_index: bool) -> RepairStep:
        assert damage.block is not None
        if copy := self._find_copy(damage.name, damage.block.checksum):

            def bring_back() -> None:
                self._replace(damage.name, copy)
                if not has_index:
                    self._rebuild(damage)

            return RepairStep(damage.name, "restored from the backup", bring_back)
        place = self._data_dir / SET_ASIDE / PurePosixPath(damage.name).name
        lost = f"removed, {describe_events(damage.block)} are lost ({damage.reason})"
        return RepairStep(
            damage.name, f"{lost}; what is left of it is kept as {place}", self._remove(damage)
        )

    def _remove(self, damage: Damage) -> Callable[[], None]:
        def remove() -> None:
            self._keep_rest(damage.name)
            self._open().remove([damage.name])

        return remove

    def _keep_rest(self, name: str) -> None:
        try:
            data = self._objects.read(name)
        except NotFound:
            return
        keep(self._data_dir / SET_ASIDE / PurePosixPath(name).name, data)

    def _plan_index(self, damage: Damage) -> RepairStep:
        return RepairStep(
            damage.name, f"rebuilt from its block ({damage.reason})", lambda: self._rebuild(damage)
        )

    def _rebuild(self, damage: Damage) -> None:
        assert damage.block is not None
        data = encode_index(rebuild_index(self._objects, damage.block))
        if not restore_index(self._open(), self._objects, damage.block, data):
            raise LogboomError(f"the index of {damage.block.path} cannot be stored")

    def _plan_segment(self, name: str, reason: str) -> RepairStep:
        path = self._data_dir / "wal" / name
        copy = self._data_dir / SET_ASIDE / name

        def set_aside() -> None:
            keep(copy, path.read_bytes())
            if reason in LOST_HEADERS:
                path.unlink()

        return RepairStep(
            f"wal/{name}",
            f"{reason}: its events are lost unless a backup has them; a copy is kept as {copy}",
            set_aside,
        )

    def _find_copy(self, name: str, checksum: int | None) -> bytes | None:
        """Return the intact file from the backup."""
        if self._backup is None or checksum is None:
            return None
        try:
            data = self._backup.read(name)
        except NotFound:
            return None
        return data if File.of(data).checksum == checksum else None

    def _replace(self, name: str, data: bytes) -> None:
        self._objects.delete(name)
        self._objects.put_new(name, data)

    def _open(self) -> Catalog:
        if self._catalog is None:
            self._catalog = Catalog(self._objects, self._clock)
            self._catalog.open()
        return self._catalog


def keep(path: Path, data: bytes) -> None:
    make_directory(path.parent)
    if path.exists():
        replace_file(path, data)
    else:
        publish_new(path, data)

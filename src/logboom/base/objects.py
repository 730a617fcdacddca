"""The store's object interface and its local-disk form.

Objects are immutable: created once, read, listed, deleted. Names are relative paths of safe ASCII
parts that this program makes up itself; nothing a client sends becomes part of a name.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol, TypeVar

from logboom.base.errors import NotFound
from logboom.base.files import (
    make_directory,
    publish_all,
    publish_new,
    publish_written,
    replace_file,
    sync_directory,
)

T = TypeVar("T")

TEMPORARY = ".*.tmp"
"""The names of files that are not published yet."""


class ObjectStore(Protocol):
    """Where blocks, the catalog and control documents live. Every method may be called from any thread.

    All may raise OSError or Unavailable when it is out of reach.
    """

    is_remote: bool
    """Whether it can be out of reach while this machine is well."""

    def check(self) -> None:
        """Unavailable unless the store is there and keeps what `put_new` promises; writes to find out."""

    def put_new(self, name: str, data: bytes) -> None:
        """Create an object, durable on return; Conflict when the name exists."""

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        """Create many objects at little more than the cost of one, all durable on return; after a failure some may exist."""

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        """Create an object of what `write` puts into a file, which need not fit in memory; as `put_new` otherwise."""

    def read(self, name: str) -> bytes:
        """The object's bytes; NotFound when there is none."""

    def list(self, prefix: str) -> list[str]:
        """Names directly below the folder `prefix`, sorted; empty when there is no such folder."""

    def measure(self, name: str) -> int:
        """The object's size in bytes; NotFound when there is none."""

    def list_unfinished(self) -> dict[str, int]:
        """The files that writers began and did not finish yet, and when each was changed, in nanoseconds.

        They are no objects, but can be deleted by their names.
        """

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is no error."""

    def delete_all(self, names: Iterable[str]) -> None:
        """Remove objects one after the other, in this order; missing ones are no error."""

    def replace(self, name: str, data: bytes) -> None:
        """Create an object or put another in its place, durable on return. Only for what can be made again."""

    def sync(self, prefix: str) -> None:
        """Make durable what is to be seen in the folder `prefix`, also what a failed `put_new` left there."""

    def locate(self, name: str) -> str:
        """The path or address by which other programs open the object."""

    def use(self, name: str, read: Callable[[str], T]) -> T:
        """What `read` makes of the object as a file, given a path that is good until it returns."""

    def keep(self, name: str, data: bytes) -> None:
        """Have an object that was just made at hand for `use`; a failure is no error."""


class LocalObjects:
    """Objects as files below one directory: written beside, fsynced, linked, directory fsynced."""

    is_remote = False

    def __init__(self, root: Path) -> None:
        self._root = root
        self._place = f"{root}{os.sep}"
        self._durable_folders: set[Path] = set()
        make_directory(root)

    def check(self) -> None:
        """A directory that could be made never links a name twice."""

    def put_new(self, name: str, data: bytes) -> None:
        publish_new(self._prepare(name), data)

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        folders = {(self._root / name).parent for name in objects}
        missing = [folder for folder in folders if not self._is_durable(folder)]
        for folder in missing:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for parent in {above for folder in missing for above in self._list_above(folder)}:
            sync_directory(parent)
        self._durable_folders.update(missing)
        publish_all({self._root / name: data for name, data in objects.items()})

    def _list_above(self, folder: Path) -> list[Path]:
        """The folders between the store and a folder below it."""
        return [above for above in folder.parents if above.is_relative_to(self._root)]

    def _is_durable(self, folder: Path) -> bool:
        return folder in self._durable_folders and folder.is_dir()

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        return publish_written(self._prepare(name), write)

    def _prepare(self, name: str) -> Path:
        """The path of an object to come, in a folder that is durable."""
        path = self._root / name
        if not self._is_durable(path.parent):
            make_directory(path.parent)
            self._durable_folders.add(path.parent)
        return path

    def read(self, name: str) -> bytes:
        try:
            return (self._root / name).read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"no object {name}") from error

    def list(self, prefix: str) -> list[str]:
        try:
            entries = os.listdir(self._root / prefix)
        except FileNotFoundError:
            return []
        return sorted(entry for entry in entries if not entry.startswith("."))

    def measure(self, name: str) -> int:
        try:
            return (self._root / name).stat().st_size
        except FileNotFoundError as error:
            raise NotFound(f"no object {name}") from error

    def list_unfinished(self) -> dict[str, int]:
        found = {}
        for path in self._root.rglob(TEMPORARY):
            with suppress(FileNotFoundError):
                found[str(path.relative_to(self._root))] = path.stat().st_mtime_ns
        return found

    def delete(self, name: str) -> None:
        path = self._root / name
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_directory(path.parent)

    def delete_all(self, names: Iterable[str]) -> None:
        paths = [self._root / name for name in names]
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in paths}:
            if folder.is_dir():
                sync_directory(folder)

    def replace(self, name: str, data: bytes) -> None:
        replace_file(self._root / name, data)

    def sync(self, prefix: str) -> None:
        folder = self._root / prefix
        if folder.is_dir():
            sync_directory(folder)

    def locate(self, name: str) -> str:
        return self._place + name if name else str(self._root)

    def use(self, name: str, read: Callable[[str], T]) -> T:
        return read(self.locate(name))

    def keep(self, name: str, data: bytes) -> None:
        """It is a file already."""

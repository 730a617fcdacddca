"""Objects as files below a directory."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeVar

from logboom.base.errors import NotFound
from logboom.base.files import (
    make_directory,
    publish_all,
    publish_new,
    publish_written,
    replace_file,
    sync_directory,
)
from logboom.base.pages import PAGE_BYTES, Pages, Span, check_pages

T = TypeVar("T")

TEMPORARY = ".*.tmp"
"""The names of files that are not published yet."""


class LocalObjects:
    """Objects as files below one directory: each is written under a temporary name, fsynced and linked."""

    is_remote = False

    def __init__(self, root: Path) -> None:
        self._root = root
        self._place = f"{root}{os.sep}"
        self._durable_folders: set[Path] = set()
        make_directory(root)

    def check(self) -> None:
        """Do nothing: the directory exists, and no name in it can be linked twice."""

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
        """Return the folders between the store and a folder below it."""
        return [above for above in folder.parents if above.is_relative_to(self._root)]

    def _is_durable(self, folder: Path) -> bool:
        return folder in self._durable_folders and folder.is_dir()

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        return publish_written(self._prepare(name), write)

    def _prepare(self, name: str) -> Path:
        """Make the folder of a new object durable, and return the object's path."""
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

    def read_start(self, name: str, size_bytes: int) -> bytes:
        return self._read_span(name, 0, size_bytes)

    def read_pages(self, pages: Pages, start: int, end: int) -> bytes:
        first, last = start // PAGE_BYTES, -(-end // PAGE_BYTES)
        begin = first * PAGE_BYTES
        size_bytes = min(last * PAGE_BYTES, pages.size_bytes) - begin
        data = self._read_span(pages.name, pages.start + begin, size_bytes)
        check_pages(pages, first, last, data)
        return data[start - begin : end - begin]

    def _read_span(self, name: str, start: int, size_bytes: int) -> bytes:
        try:
            with (self._root / name).open("rb", buffering=0) as file:
                return os.pread(file.fileno(), size_bytes, start)
        except FileNotFoundError as error:
            raise NotFound(f"no object {name}") from error

    def list(self, prefix: str) -> list[str]:
        try:
            entries = os.listdir(self._root / prefix)
        except FileNotFoundError:
            return []
        return sorted(entry for entry in entries if not entry.startswith("."))

    def list_below(self, prefix: str) -> Sequence[str]:
        root = self._root / prefix
        names = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        return sorted(name for name in names if not name.rpartition("/")[2].startswith("."))

    def list_stamps(self, prefix: str, after: str) -> Mapping[str, str]:
        stamps = {}
        for name in self.list(prefix):
            if name > after:
                with suppress(FileNotFoundError):
                    status = (self._root / prefix / name).stat()
                    stamps[name] = f"{status.st_ino} {status.st_mtime_ns} {status.st_size}"
        return stamps

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

    def is_local(self, _name: str, /) -> bool:
        """Return True: every object is a file."""
        return True

    def use_pages(self, pages: Pages, _spans: Sequence[Span], /, read: Callable[[str], T]) -> T:
        return read(self.locate(pages.name))

    def measure_cache(self) -> int:
        return 0

    def keep(self, name: str, data: bytes) -> None:
        """Do nothing: the object is a file already."""

"""Parts of objects of a bucket as files on this machine.

A file has the size of the object, and holes where nothing was fetched. Every page that is used is verified once in
each process: a hole, a page torn by a power cut and a damaged one are all fetched again.
"""

import errno
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from msgspec import field

from logboom.base.errors import Unavailable
from logboom.base.files import make_directory
from logboom.base.pages import PAGE_BYTES, Pages, Span, check_pages, join_pages
from logboom.base.structs import MutableStruct

T = TypeVar("T")

Fetch = Callable[[str, Sequence[Span]], list[bytes]]
"""Reads some spans of an object."""
BLOCK_BYTES = 512
"""What `st_blocks` counts."""


class SparseFile(MutableStruct):
    """One file: which of its pages were verified, and how many use it now."""

    path: Path
    verified: set[int] = field(default_factory=set)
    stamp: tuple[int, int] = (0, 0)
    """Changes if another process modified or replaced the file."""
    size_bytes: int = 0
    """Approximate size of its pages on disk."""
    readers: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)


class SparseFiles:
    """Sparse files; the least recently used are removed first. Thread-safe."""

    def __init__(self, root: Path, capacity_bytes: int) -> None:
        self._root = root
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._files: OrderedDict[str, SparseFile] | None = None
        self.size_bytes = 0

    def __reduce__(self) -> tuple[object, ...]:
        return SparseFiles, (self._root, self._capacity_bytes)

    def use(self, pages: Pages, spans: Sequence[Span], fetch: Fetch, read: Callable[[str], T]) -> T:
        """Call `read` with the path of a file that has these spans; raise Corrupt if the object itself is damaged."""
        with self._holding(pages) as file:
            with file.turn:
                try:
                    self._fill(file, pages, spans, fetch)
                except OSError as error:
                    reason = error.strerror
                    raise Unavailable(f"no copy of {pages.name} can be kept: {reason}") from error
            return read(str(file.path))

    def drop(self, name: str) -> None:
        """Remove the file of an object."""
        if not self._root.exists():
            return
        with self._lock:
            files = self._open()
            for key in [key for key in files if key.startswith(f"{quote(name, safe='')}.")]:
                self._remove(files.pop(key))

    @contextmanager
    def _holding(self, pages: Pages) -> Iterator[SparseFile]:
        """Protect a file from eviction."""
        key = f"{quote(pages.name, safe='')}.{pages.start}.{pages.size_bytes}"
        with self._lock:
            files = self._open()
            file = files.setdefault(key, SparseFile(self._root / key))
            files.move_to_end(key)
            file.readers += 1
        try:
            yield file
        finally:
            with self._lock:
                file.readers -= 1
                self._make_room()

    def _fill(self, file: SparseFile, pages: Pages, spans: Sequence[Span], fetch: Fetch) -> None:
        with open_sparse(file.path, pages.size_bytes) as descriptor:
            if read_stamp(descriptor) != file.stamp:
                file.verified = set()
            wanted = [page for page in pages.list_pages(spans) if page not in file.verified]
            missing = [page for page in wanted if not has_page(descriptor, pages, page)]
            file.verified.update(wanted)
            file.verified.difference_update(missing)
            runs = join_pages(missing)
            found = fetch(pages.name, [locate(pages, run) for run in runs]) if runs else []
            for (first, last), data in zip(runs, found, strict=True):
                check_pages(pages, first, last, data)
                self._write(descriptor, data, first * PAGE_BYTES)
                file.verified.update(range(first, last))
            file.stamp = read_stamp(descriptor)
            size_bytes = os.fstat(descriptor).st_blocks * BLOCK_BYTES
        with self._lock:
            self.size_bytes += size_bytes - file.size_bytes
            file.size_bytes = size_bytes

    def _write(self, descriptor: int, data: bytes, at: int) -> None:
        """Write to a file; if the disk is full, remove other files and try again."""
        try:
            os.pwrite(descriptor, data, at)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            with self._lock:
                self._make_room(capacity_bytes=0)
            os.pwrite(descriptor, data, at)

    def _make_room(self, capacity_bytes: int | None = None) -> None:
        """Remove the least recently used files that are not in use; the lock is held."""
        files = self._open()
        limit_bytes = self._capacity_bytes if capacity_bytes is None else capacity_bytes
        if self.size_bytes <= limit_bytes:
            return
        for key, file in list(files.items()):
            if self.size_bytes > limit_bytes and not file.readers:
                self._remove(files.pop(key))

    def _remove(self, file: SparseFile) -> None:
        self.size_bytes -= file.size_bytes
        with suppress(OSError):
            file.path.unlink()

    def _open(self) -> OrderedDict[str, SparseFile]:
        """Return the known files, initially those of an earlier process; the lock is held."""
        if self._files is not None:
            return self._files
        try:
            make_directory(self._root)
            found = sorted((path.stat().st_mtime_ns, path) for path in self._root.iterdir())
            self._files = OrderedDict(
                (
                    path.name,
                    SparseFile(path, size_bytes=path.stat().st_blocks * BLOCK_BYTES),
                )
                for _, path in found
            )
        except OSError as error:
            raise Unavailable(f"{self._root} cannot be used: {error.strerror}") from error
        self.size_bytes = sum(file.size_bytes for file in self._files.values())
        return self._files


@contextmanager
def open_sparse(path: Path, size_bytes: int) -> Iterator[int]:
    """Open a file of this size; a new one consists of a hole."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_size != size_bytes:
            os.ftruncate(descriptor, size_bytes)
        yield descriptor
    finally:
        os.close(descriptor)


def read_stamp(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_ino, found.st_ctime_ns


def has_page(descriptor: int, pages: Pages, page: int) -> bool:
    """Return whether a file has a page, undamaged."""
    data = os.pread(descriptor, PAGE_BYTES, page * PAGE_BYTES)
    return pages.is_whole(page, data)


def locate(pages: Pages, run: Span) -> Span:
    """Return the span of a run of pages in their object."""
    first, last = run
    end = min(last * PAGE_BYTES, pages.size_bytes)
    return pages.start + first * PAGE_BYTES, pages.start + end

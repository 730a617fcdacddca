"""Files on this machine for objects of a bucket."""

import errno
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TypeVar
from urllib.parse import quote, unquote

from msgspec import field

from logboom.base.clock import system_clock
from logboom.base.errors import Unavailable
from logboom.base.files import make_directory, write_synced
from logboom.base.structs import MutableStruct

log = logging.getLogger(__name__)

T = TypeVar("T")


class Hold(MutableStruct):
    """How many readers a file has now; whoever fetches it holds `turn`."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    readers: int = 0


class FileCache:
    """Whole objects as files; the least recently used are removed first. Thread-safe.

    A file's name ends in its size, by which a file that was truncated by a power cut is recognised. Nothing is written
    before the first use: a process that only looks at a bucket leaves no files here.
    """

    def __init__(self, root: Path, capacity_bytes: int) -> None:
        self._root = root
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._held: dict[str, Hold] = {}
        self._is_open = False
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self.size_bytes = 0

    def __reduce__(self) -> tuple[object, ...]:
        return FileCache, (self._root, self._capacity_bytes)

    def use(self, name: str, fetch: Callable[[str], bytes], read: Callable[[str], T]) -> T:
        """Call `read` with the path of the file and return its result; if it fails, fetch the file again, once."""
        with self._holding(name) as turn:
            if path := self._find(name):
                try:
                    return read(path)
                except Exception as error:  # noqa: BLE001 - whatever it is, the bucket has it whole
                    extra = {"object": name, "reason": repr(error)}
                    log.warning("cached file is fetched again", extra=extra)
                    self._forget(name)
            with turn:
                path = self._find(name) or self.keep(name, fetch(name))
            return read(path)

    def has(self, name: str) -> bool:
        """Return whether a complete file is here."""
        return self._find(name) is not None

    def keep(self, name: str, data: bytes) -> str:
        """Write a file, all or nothing, and make room for it; return its path."""
        path = self._place(name, len(data))
        try:
            with self._lock:
                self._open()
            self._write(path, data)
        except OSError as error:
            raise Unavailable(f"no copy of {name} can be kept: {error.strerror}") from error
        self._forget(name)
        with self._lock:
            self._sizes[name] = len(data)
            self.size_bytes += len(data)
            self._make_room(name)
        return str(path)

    @contextmanager
    def borrow_space(self) -> Iterator[IO[bytes]]:
        """Open an unnamed file, which disappears when it is closed."""
        with self._lock:
            self._open()
        with TemporaryFile(dir=self._root) as file:
            yield file

    def _write(self, path: Path, data: bytes) -> None:
        """Write a file; on a full disk, remove other files to make room."""
        try:
            write_whole(path, data)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not self._free(len(data)):
                raise
            write_whole(path, data)

    def _free(self, size_bytes: int) -> bool:
        """Remove this many bytes of the least recently used files that nobody reads; return False if there are none."""
        with self._lock:
            before_bytes = self.size_bytes
            for name in [name for name in self._sizes if name not in self._held]:
                if before_bytes - self.size_bytes < size_bytes:
                    self._remove(name)
            return self.size_bytes < before_bytes

    def drop(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._lock:
            if name in self._sizes:
                self._remove(name)

    @contextmanager
    def _holding(self, name: str) -> Iterator[threading.Lock]:
        """Protect a file from removal."""
        with self._lock:
            hold = self._held.setdefault(name, Hold())
            hold.readers += 1
        try:
            yield hold.turn
        finally:
            with self._lock:
                hold.readers -= 1
                if not hold.readers:
                    del self._held[name]
                    self._make_room(name)

    def _find(self, name: str) -> str | None:
        """Return the path of a complete file, which counts as used now."""
        with self._lock:
            self._open()
            size_bytes = self._sizes.get(name)
            if size_bytes is None:
                return None
            path = self._place(name, size_bytes)
            with suppress(OSError):
                found = path.stat()
                if found.st_size == size_bytes:
                    # Only the time of use changes: the time of writing tells one copy from the next.
                    os.utime(path, ns=(system_clock(), found.st_mtime_ns))
                    self._sizes.move_to_end(name)
                    return str(path)
            self._remove(name)
            return None

    def _forget(self, name: str) -> None:
        """Have a file fetched again. It stays until it is replaced, because other threads may be opening it."""
        with self._lock:
            self.size_bytes -= self._sizes.pop(name, 0)

    def _open(self) -> None:
        """Take over the complete files of an earlier process, in the order of their use; the lock is held."""
        if self._is_open:
            return
        try:
            make_directory(self._root)
            entries = [path for path in self._root.iterdir() if path.is_file()]
            for path in sorted(entries, key=lambda path: path.stat().st_atime_ns):
                name, _, size = path.name.rpartition(".")
                if size.isdecimal() and path.stat().st_size == int(size):
                    self._sizes[unquote(name)] = int(size)
                else:
                    path.unlink()
        except OSError as error:
            raise Unavailable(f"{self._root} cannot be used: {error.strerror}") from error
        self.size_bytes = sum(self._sizes.values())
        self._is_open = True

    def _make_room(self, spared: str) -> None:
        """Remove the least recently used files that are not being read; the lock is held."""
        excess_bytes = self.size_bytes - self._capacity_bytes
        leaving = []
        for name, size_bytes in self._sizes.items():
            if excess_bytes <= 0:
                break
            if name != spared and name not in self._held:
                leaving.append(name)
                excess_bytes -= size_bytes
        for name in leaving:
            self._remove(name)

    def _remove(self, name: str) -> None:
        size_bytes = self._sizes.pop(name)
        self.size_bytes -= size_bytes
        with suppress(OSError):
            self._place(name, size_bytes).unlink()

    def _place(self, name: str, size_bytes: int) -> Path:
        return self._root / f"{quote(name, safe='')}.{size_bytes}"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of a cache, all or nothing."""
    temporary = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        # Synced, because after a power cut a file may have its size but not its content.
        write_synced(temporary, data)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise

"""Which files of this machine may be read: those below the roots, and never the service's own.

Places are compared by device and inode, so that links and second mounts cannot be used to get around this.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from logboom.base.errors import Forbidden, Invalid, NotFound, Unavailable

CLOSED = (Path("/proc"), Path("/sys"), Path("/dev"))
"""Not logs, but the memory and environment of processes, and devices that block or never end."""

FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
FRESH_S = 1.0
"""How long the locations of roots and closed places are cached, for callers that open very many files."""

Identity = tuple[int, int]


class Kind(NamedTuple):
    """What is to be opened: checked by its mode, and named in errors."""

    fits: Callable[[int], bool]
    noun: str


FILE = Kind(stat.S_ISREG, "a file")
DIRECTORY = Kind(stat.S_ISDIR, "a directory")


class Places:
    """The locations of roots and closed places at one moment; for callers with very many paths."""

    def __init__(self, allowed: Iterable[Path], closed: Iterable[Path]) -> None:
        self.looked_s = time.monotonic()
        self._allowed = set(map(identify, allowed)) - {None}
        self._closed = set(map(identify, closed)) - {None}
        self._above: dict[str, set[Identity | None]] = {}

    def admits(self, path: str) -> bool:
        """Return whether the target of a path, through any links, may be read; it need not exist."""
        real = os.path.realpath(path)
        return self.admits_real(real, identify(real))

    def admits_real(self, real: str, identity: Identity | None) -> bool:
        """Return whether a resolved path with this identity may be read."""
        directory = os.path.dirname(real)
        above = self._above.get(directory)
        if above is None:
            found = {identify(directory), *map(identify, Path(directory).parents)}
            above = self._above[directory] = found & (self._allowed | self._closed)
        places = above | {identity}
        return not places.isdisjoint(self._allowed) and places.isdisjoint(self._closed)


class Roots:
    """Which files sources may read. Thread-safe."""

    def __init__(
        self, allowed: Sequence[Path], list_own: Callable[[], Iterable[Path]] = tuple
    ) -> None:
        """`list_own` returns the service's own files and directories, which nobody may read."""
        self.allowed = tuple(allowed)
        self._list_own = list_own
        self._recent: Places | None = None

    def look(self) -> Places:
        """Return the current locations."""
        return Places(self.allowed, (*CLOSED, *self._list_own()))

    def admits(self, path: str) -> bool:
        """Return whether the target of a path, through any links, may be read; it need not exist."""
        return self.look().admits(path)

    def check(self, path: str) -> None:
        """Raise Forbidden unless the path may be read."""
        if not self.admits(path):
            raise refuse(path)

    def open_file(self, path: str) -> FileIO:
        """Return a regular file, unbuffered; raise Forbidden, NotFound, Invalid or Unavailable if it cannot be read.

        It is checked again once it is open, because the target of the path may have been swapped meanwhile.
        """
        if self._recent is None or time.monotonic() - self._recent.looked_s > FRESH_S:
            self._recent = self.look()
        return FileIO(open_admitted(path, FILE, self._recent))

    @contextmanager
    def open_directory(self, path: str) -> Iterator[int]:
        """Open a directory and yield its handle; raises like `open_file`."""
        # Checked first, so that nobody learns whether a forbidden path exists.
        self.check(path)
        handle = open_admitted(path, DIRECTORY, self.look())
        try:
            yield handle
        finally:
            os.close(handle)


def open_admitted(path: str, kind: Kind, places: Places) -> int:
    """Return the handle of something that may be read, closed again if it is of another kind."""

    def check(real: str, status: os.stat_result) -> None:
        if not places.admits_real(real, (status.st_dev, status.st_ino)):
            raise refuse(path)
        if not kind.fits(status.st_mode):
            raise Invalid(f"{path!r} is something else, expected {kind.noun}")

    with translated(path):
        real = os.path.realpath(path)
        # Checked before opening too, because opening a pipe or a device can have effects.
        check(real, os.stat(real))
        handle = os.open(real, FLAGS)
        try:
            check(os.readlink(f"/proc/self/fd/{handle}"), os.fstat(handle))
        except BaseException:
            os.close(handle)
            raise
    return handle


def identify(path: str | Path) -> Identity | None:
    """Return device and inode of a path, or None if it does not exist or cannot be accessed."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def refuse(path: str) -> Forbidden:
    return Forbidden(f"{path!r} may not be read, expected a path below the roots of sources")


@contextmanager
def translated(path: str) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise Forbidden(f"{path!r} may not be read by the service's user") from error
    except OSError as error:
        if error.errno in NOTHING_THERE:
            raise NotFound(f"no file or directory {path!r}") from error
        raise Unavailable(f"{path!r} cannot be read: {error.strerror}") from error

"""Durable file operations on the local disk: publish with a link, fsync, lock a directory."""

import ctypes
import fcntl
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from logboom.base.errors import Conflict, Unavailable

T = TypeVar("T")

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def sync_directory(path: Path) -> None:
    """Make the names in `path` durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(path: Path) -> None:
    """Create `path` and its missing parents, private to this user; its name is durable on return."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    # Needed even if it exists: whoever created it may have died before this.
    with suppress(PermissionError):
        sync_directory(path.parent)


def write_synced(path: Path, data: bytes) -> None:
    """Write a whole file and fsync it; its name is not durable yet."""
    write_and_close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), data)


def append_synced(path: Path, data: bytes) -> None:
    """Append to a file and fsync it; after a failure any part of `data` may have been written."""
    write_and_close(os.open(path, os.O_WRONLY | os.O_APPEND), data)


def write_and_close(handle: int, data: bytes, *, sync: bool = True) -> None:
    """Write all of `data`, fsync unless told otherwise, and always close the handle."""
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)


def publish_new(path: Path, data: bytes) -> None:
    """Create `path` with `data`, all or nothing, durable on return; raise Conflict when it exists."""
    with publishing(path) as temporary:
        write_synced(temporary, data)


def publish_written(path: Path, write: Callable[[IO[bytes]], T]) -> T:
    """Create `path` from what `write` puts into a file, all or nothing, durable on return.

    Raise Conflict if it exists.
    """
    with publishing(path) as temporary, open(os.open(temporary, FLAGS, 0o600), "wb") as file:
        result = write(file)
        file.flush()
        os.fsync(file.fileno())
    return result


def publish_all(files: Mapping[Path, bytes]) -> None:
    """Create files, each entirely or not at all, all durable on return; raise Conflict if one exists.

    All are written before any is synced, so that many cost little more than one. After a failure some may exist.
    """
    temporaries = {path: name_temporary(path) for path in files}
    try:
        for path, data in files.items():
            handle = os.open(temporaries[path], FLAGS, 0o600)
            write_and_close(handle, data, sync=False)
        sync_files(list(temporaries.values()))
        for path, temporary in temporaries.items():
            link_new(temporary, path)
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
    sync_files(list({path.parent for path in files}))


def sync_files(paths: Sequence[Path]) -> None:
    """Make files or directories of one file system durable; if there are many, by syncing the whole file system."""
    if len(paths) > MOST_SYNCED_SINGLY and CAN_SYNC_ALL:
        sync_file_system(paths[0])
        return
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_file_system(path: Path) -> None:
    """Make everything that was written to the file system of `path` durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(handle):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(handle)


def can_sync_all(system: str, release: str) -> bool:
    """Return whether syncing a file system reports write errors: Linux does since 5.8."""
    version = re.match(r"(\d+)\.(\d+)", release)
    return system == "Linux" and version is not None and tuple(map(int, version.groups())) >= (5, 8)


MOST_SYNCED_SINGLY = 32
CAN_SYNC_ALL = can_sync_all(os.uname().sysname, os.uname().release)


def name_temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")


def link_new(temporary: Path, path: Path) -> None:
    """Give a finished file its name; raise Conflict if the name is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise Conflict(f"{path} exists already") from error


@contextmanager
def publishing(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write and sync, and then publish it as `path`; raise Conflict if that exists."""
    temporary = name_temporary(path)
    try:
        yield temporary
        link_new(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Replace `path` with `data`, all or nothing, durable on return."""
    temporary = name_temporary(path)
    try:
        write_synced(temporary, data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def lock_directory(path: Path) -> int:
    """Lock the directory for the life of the process; return the open handle."""
    handle = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise Unavailable(f"the data directory {path} is in use by another process") from error
    return handle

"""Durable file operations on the local disk: publish by link, fsync what must last, lock a directory."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from logboom.base.errors import Conflict, Unavailable

T = TypeVar("T")


def sync_directory(path: Path) -> None:
    """Make the names in `path` durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(path: Path) -> None:
    """Create `path` and what is missing above it, private to this user; its name is durable on return."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    # Also when it is there already: whoever made it may have died before this.
    with suppress(PermissionError):
        sync_directory(path.parent)


def write_synced(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file whole and fsync it; its name is not yet durable."""
    write_and_close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), data)


def append_synced(path: Path, data: bytes) -> None:
    """Append to a file and fsync it; after a failure any part of `data` may be there."""
    write_and_close(os.open(path, os.O_WRONLY | os.O_APPEND), data)


def write_and_close(handle: int, data: bytes) -> None:
    """Write all of `data`, fsync, and close the handle whatever happens."""
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def publish_new(path: Path, data: bytes) -> None:
    """Create `path` with `data`, all or nothing, durable on return; Conflict when it exists."""
    with publishing(path) as temporary:
        write_synced(temporary, data)


def publish_written(path: Path, write: Callable[[IO[bytes]], T]) -> T:
    """Create `path` with what `write` puts into a file, all or nothing, durable on return; Conflict when it exists."""
    with publishing(path) as temporary, temporary.open("wb") as file:
        result = write(file)
        file.flush()
        os.fsync(file.fileno())
    return result


@contextmanager
def publishing(path: Path) -> Iterator[Path]:
    """Where to write, and sync, what then becomes `path`, durably; Conflict when that exists."""
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    try:
        yield temporary
        os.link(temporary, path)
    except FileExistsError as error:
        raise Conflict(f"{path} exists already") from error
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Replace `path` with `data`, all or nothing, durable on return."""
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    try:
        write_synced(temporary, data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def lock_directory(path: Path) -> int:
    """Take the directory's lock for the life of the process; returns the open handle."""
    handle = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise Unavailable(f"the data directory {path} is in use by another process") from error
    return handle

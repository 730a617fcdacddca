"""The store in a bucket, with files on this machine for those objects that are read as files.

Credentials, region and endpoint come from the usual AWS_* variables; they are never part of a message.
"""

import errno
import logging
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, TypeVar
from urllib.parse import quote, unquote

from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, NotFound, Unavailable
from logboom.base.files import make_directory, write_synced
from logboom.base.places import Bucket

log = logging.getLogger(__name__)

T = TypeVar("T")

REQUEST_S = 60
CONNECT_S = 5
RETRIES = 3
RETRY_S = 15
PUT_ATTEMPTS = 5
PARALLEL_PUTS = 8
MAKER = "made-by"
"""Metadata of every object: the put that made it, so that a put whose answer was lost knows its own."""

STATUS = re.compile(r"status code: (\d{3}[ A-Za-z]*)")
CODE = re.compile(r"<Code>(\w+)</Code>")
SYMPTOMS = {
    "ConnectionRefused": "connection refused",
    "dns error": "its host is not known",
    "kind: Timeout": "no answer in time",
    "IncompleteMessage": "the connection was cut",
    "BadScheme": "its address is http, which needs AWS_ALLOW_HTTP=true",
    "/latest/api/token": "AWS_ACCESS_KEY_ID is not set, and this machine has no role",
}
"""What the library's long descriptions of failures come down to."""


@dataclass(slots=True)
class Hold:
    """How many read a file now; who fetches it takes the turn."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    readers: int = 0


class FileCache:
    """Whole objects as files, those used longest ago out first. May be used by any thread.

    A file's name ends in its size, by which one that a power cut has torn is known. Nothing is written
    before the first use: who only looks at a bucket leaves no trace here.
    """

    def __init__(self, root: Path, capacity_bytes: int) -> None:
        self._root = root
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._held: dict[str, Hold] = {}
        self._is_open = False
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._size_bytes = 0

    def __reduce__(self) -> tuple[object, ...]:
        return FileCache, (self._root, self._capacity_bytes)

    def use(self, name: str, fetch: Callable[[str], bytes], read: Callable[[str], T]) -> T:
        """What `read` makes of the file's path; one that cannot be read is fetched again, once."""
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

    def keep(self, name: str, data: bytes) -> str:
        """Write a file, all or nothing, and make room for it; returns its path."""
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
            self._size_bytes += len(data)
            self._make_room(name)
        return str(path)

    @contextmanager
    def borrow_space(self) -> Iterator[IO[bytes]]:
        """A file without a name, which is gone when it is closed."""
        with self._lock:
            self._open()
        with TemporaryFile(dir=self._root) as file:
            yield file

    def _write(self, path: Path, data: bytes) -> None:
        """On a full disk other files give up their room."""
        try:
            write_whole(path, data)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not self._free(len(data)):
                raise
            write_whole(path, data)

    def _free(self, size_bytes: int) -> bool:
        """Remove as many bytes of what was used longest ago and is not being read; False when there is nothing."""
        with self._lock:
            before_bytes = self._size_bytes
            for name in [name for name in self._sizes if name not in self._held]:
                if before_bytes - self._size_bytes < size_bytes:
                    self._remove(name)
            return self._size_bytes < before_bytes

    def drop(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._lock:
            if name in self._sizes:
                self._remove(name)

    @contextmanager
    def _holding(self, name: str) -> Iterator[threading.Lock]:
        """Keep a file from making room for others."""
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
        """The path of a file that is here and whole; it counts as used now."""
        with self._lock:
            self._open()
            size_bytes = self._sizes.get(name)
            if size_bytes is None:
                return None
            path = self._place(name, size_bytes)
            with suppress(OSError):
                found = path.stat()
                if found.st_size == size_bytes:
                    # Only when it was used: when it was written tells one copy from the next.
                    os.utime(path, ns=(system_clock(), found.st_mtime_ns))
                    self._sizes.move_to_end(name)
                    return str(path)
            self._remove(name)
            return None

    def _forget(self, name: str) -> None:
        """Let a file be fetched again. It stays until it is replaced: others may just be opening it."""
        with self._lock:
            self._size_bytes -= self._sizes.pop(name, 0)

    def _open(self) -> None:
        """Take over what an earlier process left whole, in the order of its use; the lock is held."""
        if self._is_open:
            return
        try:
            make_directory(self._root)
            entries = sorted(self._root.iterdir(), key=lambda path: path.stat().st_atime_ns)
            for path in entries:
                name, _, size = path.name.rpartition(".")
                if size.isdecimal() and path.stat().st_size == int(size):
                    self._sizes[unquote(name)] = int(size)
                else:
                    path.unlink()
        except OSError as error:
            raise Unavailable(f"{self._root} cannot be used: {error.strerror}") from error
        self._size_bytes = sum(self._sizes.values())
        self._is_open = True

    def _make_room(self, spared: str) -> None:
        """Remove what was used longest ago and is not being read; the lock is held."""
        excess_bytes = self._size_bytes - self._capacity_bytes
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
        self._size_bytes -= size_bytes
        with suppress(OSError):
            self._place(name, size_bytes).unlink()

    def _place(self, name: str, size_bytes: int) -> Path:
        return self._root / f"{quote(name, safe='')}.{size_bytes}"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of a cache, all or nothing."""
    temporary = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        # Synced, for after a power cut a file may have its size and not its content.
        write_synced(temporary, data)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


class BucketObjects:
    """Objects below a prefix of a bucket. Sent to another process it takes that one's credentials."""

    is_remote = True

    def __init__(self, bucket: Bucket, files: FileCache) -> None:
        self._bucket = bucket
        self._files = files
        with self._blamed(""):
            self._store = S3Store(
                bucket.name,
                prefix=bucket.prefix or None,
                client_options={
                    "timeout": timedelta(seconds=REQUEST_S),
                    "connect_timeout": timedelta(seconds=CONNECT_S),
                    "allow_http": os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true"),
                },
                retry_config={
                    "max_retries": RETRIES,
                    "retry_timeout": timedelta(seconds=RETRY_S),
                },
            )

    def __reduce__(self) -> tuple[object, ...]:
        return BucketObjects, (self._bucket, self._files)

    def check(self) -> None:
        name = f"probe/{os.urandom(8).hex()}"
        self.put_new(name, b"first")
        try:
            self.put_new(name, b"second")
        except Conflict:
            return
        finally:
            self.delete(name)
        raise Unavailable(
            f"{self._bucket.url} made one object twice, expected a store that honours If-None-Match: "
            "without it two nodes lose each other's commits"
        )

    def put_new(self, name: str, data: bytes) -> None:
        maker = os.urandom(16).hex()
        for _ in range(PUT_ATTEMPTS):
            try:
                with self._blamed(name):
                    self._store.put(name, data, mode="create", attributes={MAKER: maker})
            except AlreadyExistsError:
                # Some stores say so also while another put is under way, which may come to nothing.
                with suppress(NotFound):
                    if self._find_maker(name) == maker:
                        return
                    raise Conflict(f"{name} exists already") from None
            else:
                return
        raise Unavailable(f"the bucket {self._bucket.url} keeps refusing {name} without having it")

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        with ThreadPoolExecutor(PARALLEL_PUTS, "puts") as pool:
            list(pool.map(self.put_new, objects.keys(), objects.values()))

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        with self._files.borrow_space() as file:
            result = write(file)
            file.seek(0)
            data = file.read()
        self.put_new(name, data)
        self.keep(name, data)
        return result

    def _find_maker(self, name: str) -> str:
        with self._blamed(name):
            return self._store.get(name).attributes.get(MAKER, "")

    def read(self, name: str) -> bytes:
        with self._blamed(name):
            return self._store.get(name).bytes().to_bytes()

    def list(self, prefix: str) -> list[str]:
        with self._blamed(prefix):
            found = self._store.list_with_delimiter(prefix)
        paths = [*found["common_prefixes"], *(each["path"] for each in found["objects"])]
        # Some stores list the folder itself too, as an empty object.
        names = {path.name for path in map(PurePosixPath, paths) if path != PurePosixPath(prefix)}
        return sorted(names)

    def measure(self, name: str) -> int:
        with self._blamed(name):
            return self._store.head(name)["size"]

    def list_unfinished(self) -> dict[str, int]:
        """A bucket shows only what is whole."""
        return {}

    def delete(self, name: str) -> None:
        self._files.drop(name)
        with suppress(NotFound), self._blamed(name):
            self._store.delete(name)

    def delete_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.delete(name)

    def replace(self, name: str, data: bytes) -> None:
        with self._blamed(name):
            self._store.put(name, data)

    def sync(self, prefix: str) -> None:
        """What a bucket has confirmed is durable."""

    def locate(self, name: str) -> str:
        return f"{self._bucket.url}/{name}" if name else self._bucket.url

    def use(self, name: str, read: Callable[[str], T]) -> T:
        return self._files.use(name, self.read, read)

    def keep(self, name: str, data: bytes) -> None:
        try:
            self._files.keep(name, data)
        except Unavailable as error:
            log.warning("object not cached", extra={"object": name, "reason": error.message})

    @contextmanager
    def _blamed(self, name: str) -> Iterator[None]:
        """The library's errors as ours, without its own words: they may repeat what was signed."""
        try:
            yield
        except AlreadyExistsError:
            raise
        except (BaseError, OSError, ValueError) as error:
            text = str(error)
            if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in text:
                raise NotFound(f"no object {name}") from None
            reason = describe_failure(text)
            raise Unavailable(
                f"the bucket {self._bucket.url} cannot be used: {reason}", retry_after_s=5
            ) from None


def describe_failure(text: str) -> str:
    """Why there was no answer, or the status and code that the bucket answered."""
    for symptom, reason in SYMPTOMS.items():
        if symptom in text:
            return reason
    found = [match[1].strip() for match in (STATUS.search(text), CODE.search(text)) if match]
    return ", ".join(found) or "the request failed"

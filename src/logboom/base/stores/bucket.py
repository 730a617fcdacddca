"""The store in a bucket, with files on this machine for those objects that are read as files.

Credentials, region and endpoint come from the usual variables of each cloud (AWS_*, GOOGLE_*, AZURE_*). They are never
part of a message.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import IO, TypeVar

from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import AzureStore, GCSStore, S3Store
from prometheus_client import Counter

from logboom.base.errors import Conflict, NotFound, Unavailable
from logboom.base.pages import Pages, Span
from logboom.base.stores.files import FileCache
from logboom.base.stores.places import Bucket
from logboom.base.stores.sparse import SparseFiles

log = logging.getLogger(__name__)

requests = Counter("logboom_bucket_requests_total", "Requests to the bucket of the store")
read_bytes = Counter("logboom_bucket_read_bytes_total", "Bytes read from the bucket of the store")

T = TypeVar("T")

REQUEST_S = 60
CONNECT_S = 5
RETRIES = 3
RETRY_S = 15
PUT_ATTEMPTS = 5
PARALLEL_PUTS = 8
PARALLEL_READS = 16
MAKER = "madeby"
"""Metadata of every object: the put that made it, so that a put whose answer was lost knows its own."""

STATUS = re.compile(r"status code: (\d{3}[ A-Za-z]*)")
CODE = re.compile(r"<Code>(\w+)</Code>")
SYMPTOMS = {
    "ConnectionRefused": "connection refused",
    "dns error": "its host is not known",
    "kind: Timeout": "no answer in time",
    "IncompleteMessage": "the connection was cut",
    "BadScheme": "its address is http, which needs AWS_ALLOW_HTTP=true (GOOGLE_…, AZURE_…)",
    "MissingAccount": "AZURE_STORAGE_ACCOUNT_NAME is not set",
    "/latest/api/token": "AWS_ACCESS_KEY_ID is not set, and this machine has no role",
}
"""Short reasons for the long error texts of the library."""


STORES: dict[str, type[S3Store | GCSStore | AzureStore]] = {
    "s3": S3Store,
    "gs": GCSStore,
    "az": AzureStore,
}
"""The library's stores by the scheme of their addresses."""
VARIABLES = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE"}
"""The prefixes of their environment variables."""


class BucketObjects:
    """Objects below a prefix of a bucket. In another process it uses the credentials of that process."""

    is_remote = True

    def __init__(self, bucket: Bucket, files: FileCache, parts: SparseFiles) -> None:
        self._bucket = bucket
        self._files = files
        self._parts = parts
        self._readers = ThreadPoolExecutor(PARALLEL_READS, "bucket")
        with self._blamed():
            self._store = STORES[bucket.scheme](
                bucket.name,
                prefix=bucket.prefix or None,
                client_options={
                    "timeout": timedelta(seconds=REQUEST_S),
                    "connect_timeout": timedelta(seconds=CONNECT_S),
                    "allow_http": is_set(f"{VARIABLES[bucket.scheme]}_ALLOW_HTTP"),
                },
                retry_config={
                    "max_retries": RETRIES,
                    "retry_timeout": timedelta(seconds=RETRY_S),
                },
            )

    def __reduce__(self) -> tuple[object, ...]:
        return BucketObjects, (self._bucket, self._files, self._parts)

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
            f"{self._bucket.url} created the same object twice, expected a store that honours If-None-Match: "
            "without it two nodes would lose each other's commits"
        )

    def put_new(self, name: str, data: bytes) -> None:
        maker = os.urandom(16).hex()
        for _ in range(PUT_ATTEMPTS):
            try:
                with self._asking(name):
                    self._store.put(name, data, mode="create", attributes={MAKER: maker})
            except AlreadyExistsError:
                # Some stores also say this while another put is under way, which may still fail.
                with suppress(NotFound):
                    if self._find_maker(name) == maker:
                        return
                    raise Conflict(f"{name} exists already") from None
            else:
                return
        raise Unavailable(
            f"the bucket {self._bucket.url} keeps refusing to create {name}, which does not exist"
        )

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
        with self._asking(name):
            return self._store.get(name).attributes.get(MAKER, "")

    def read(self, name: str) -> bytes:
        with self._asking(name):
            data = self._store.get(name).bytes().to_bytes()
        read_bytes.inc(len(data))
        return data

    def read_start(self, name: str, size_bytes: int) -> bytes:
        return self._read_span(name, (0, size_bytes))

    def read_pages(self, pages: Pages, start: int, end: int) -> bytes:
        def read(file: str) -> bytes:
            with open(file, "rb", buffering=0) as stream:
                return os.pread(stream.fileno(), end - start, start)

        return self.use_pages(pages, [(start, end)], read)

    def _read_spans(self, name: str, spans: Sequence[Span]) -> "list[bytes]":
        """Return spans of an object, several at the same time."""
        if len(spans) == 1:
            return [self._read_span(name, spans[0])]
        return list(self._readers.map(partial(self._read_span, name), spans))

    def _read_span(self, name: str, span: Span) -> bytes:
        with self._asking(name):
            data = self._store.get_range(name, start=span[0], end=span[1]).to_bytes()
        read_bytes.inc(len(data))
        return data

    def list(self, prefix: str) -> list[str]:
        with self._asking(prefix):
            found = self._store.list_with_delimiter(prefix)
        paths = [*found["common_prefixes"], *(each["path"] for each in found["objects"])]
        # Some stores list the folder itself too, as an empty object.
        names = {path.name for path in map(PurePosixPath, paths) if path != PurePosixPath(prefix)}
        return sorted(names)

    def list_below(self, prefix: str) -> Sequence[str]:
        with self._asking(prefix):
            found = [each["path"] for page in self._store.list(prefix) for each in page]
        return sorted(str(PurePosixPath(path).relative_to(prefix)) for path in found)

    def list_stamps(self, prefix: str, after: str) -> Mapping[str, str]:
        with self._asking(prefix):
            pages = self._store.list(prefix, offset=f"{prefix}/{after}")
            found = [each for page in pages for each in page]
        stamps = {
            PurePosixPath(each["path"]): f"{each['e_tag']} {each['last_modified'].timestamp()}"
            for each in found
        }
        folder = PurePosixPath(prefix)
        return {path.name: stamp for path, stamp in stamps.items() if path.parent == folder}

    def measure(self, name: str) -> int:
        with self._asking(name):
            return self._store.head(name)["size"]

    def list_unfinished(self) -> dict[str, int]:
        """Return nothing: a bucket lists only complete objects."""
        return {}

    def delete(self, name: str) -> None:
        self._files.drop(name)
        self._parts.drop(name)
        with suppress(NotFound), self._asking(name):
            self._store.delete(name)

    def delete_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.delete(name)

    def replace(self, name: str, data: bytes) -> None:
        with self._asking(name):
            self._store.put(name, data)

    def sync(self, prefix: str) -> None:
        """Do nothing: what a bucket has confirmed is durable."""

    def locate(self, name: str) -> str:
        return f"{self._bucket.url}/{name}" if name else self._bucket.url

    def use(self, name: str, read: Callable[[str], T]) -> T:
        return self._files.use(name, self.read, read)

    def is_local(self, name: str) -> bool:
        return self._files.has(name)

    def use_pages(self, pages: Pages, spans: Sequence[Span], read: Callable[[str], T]) -> T:
        return self._parts.use(pages, spans, self._read_spans, read)

    def measure_cache(self) -> int:
        return self._files.size_bytes + self._parts.size_bytes

    def keep(self, name: str, data: bytes) -> None:
        try:
            self._files.keep(name, data)
        except Unavailable as error:
            log.warning("object not cached", extra={"object": name, "reason": error.message})

    @contextmanager
    def _asking(self, name: str) -> Iterator[None]:
        requests.inc()
        with self._blamed(name):
            yield

    @contextmanager
    def _blamed(self, name: str = "") -> Iterator[None]:
        """Raise our own errors for the library's, without its texts: they may repeat what was signed."""
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


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in ("1", "true")


def describe_failure(text: str) -> str:
    """Return a short reason for a failed request: a known symptom, or the HTTP status and error code."""
    for symptom, reason in SYMPTOMS.items():
        if symptom in text:
            return reason
    found = [match[1].strip() for match in (STATUS.search(text), CODE.search(text)) if match]
    return ", ".join(found) or "the request failed"

"""A shared store that fails before or after a call, is slow, or never answers, as a history says."""

import errno
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import IO, TypeVar

from tests.store.disk import fail

from logboom.base.errors import Unavailable
from logboom.base.pages import Pages, Span
from logboom.base.stores.objects import ObjectStore

T = TypeVar("T")


class Trouble(Enum):
    """What happens to one call; a silent store is given up after a while, with or without an effect."""

    NONE = "none"
    BEFORE = "before"
    AFTER = "after"
    SLOW = "slow"
    SILENT_BEFORE = "silent before"
    SILENT_AFTER = "silent after"


FAILS_BEFORE = {Trouble.BEFORE, Trouble.SILENT_BEFORE}
FAILS_AFTER = {Trouble.AFTER, Trouble.SILENT_AFTER}
TAKES_LONG = {Trouble.SLOW, Trouble.SILENT_BEFORE, Trouble.SILENT_AFTER}


class TroubledObjects:
    """One node's access to the shared store; `ahead` is what happens to its next calls."""

    is_remote = True

    def __init__(self, objects: ObjectStore, wait: Callable[[], None]) -> None:
        self._objects = objects
        self._wait = wait
        self.ahead: deque[Trouble] = deque()
        self.is_cut_off = False

    def _call(self, call: Callable[[], T]) -> T:
        if self.is_cut_off:
            raise fail(errno.EIO)
        trouble = self.ahead.popleft() if self.ahead else Trouble.NONE
        if trouble in TAKES_LONG:
            self._wait()
        if trouble in FAILS_BEFORE:
            raise Unavailable("the store does not answer")
        result = call()
        if trouble in FAILS_AFTER:
            raise Unavailable("the store's answer was lost")
        return result

    def check(self) -> None:
        self._call(self._objects.check)

    def put_new(self, name: str, data: bytes) -> None:
        self._call(lambda: self._objects.put_new(name, data))

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        for name, data in objects.items():
            self.put_new(name, data)

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        return self._call(lambda: self._objects.put_written(name, write))

    def read(self, name: str) -> bytes:
        return self._call(lambda: self._objects.read(name))

    def read_start(self, name: str, size_bytes: int) -> bytes:
        return self._call(lambda: self._objects.read_start(name, size_bytes))

    def read_pages(self, pages: Pages, start: int, end: int) -> bytes:
        return self._call(lambda: self._objects.read_pages(pages, start, end))

    def list(self, prefix: str) -> list[str]:
        return self._call(lambda: self._objects.list(prefix))

    def list_below(self, prefix: str) -> Sequence[str]:
        return self._call(lambda: self._objects.list_below(prefix))

    def list_stamps(self, prefix: str, after: str) -> Mapping[str, str]:
        return self._call(lambda: self._objects.list_stamps(prefix, after))

    def measure(self, name: str) -> int:
        return self._call(lambda: self._objects.measure(name))

    def list_unfinished(self) -> dict[str, int]:
        return self._call(self._objects.list_unfinished)

    def delete(self, name: str) -> None:
        self._call(lambda: self._objects.delete(name))

    def delete_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.delete(name)

    def replace(self, name: str, data: bytes) -> None:
        self._call(lambda: self._objects.replace(name, data))

    def sync(self, prefix: str) -> None:
        self._call(lambda: self._objects.sync(prefix))

    def locate(self, name: str) -> str:
        return self._objects.locate(name)

    def use(self, name: str, read: Callable[[str], T]) -> T:
        return self._call(lambda: self._objects.use(name, read))

    def is_local(self, name: str, /) -> bool:
        return self._objects.is_local(name)

    def use_pages(self, pages: Pages, spans: Sequence[Span], /, read: Callable[[str], T]) -> T:
        return self._call(lambda: self._objects.use_pages(pages, spans, read))

    def measure_cache(self) -> int:
        return self._objects.measure_cache()

    def keep(self, name: str, data: bytes) -> None:
        self._objects.keep(name, data)

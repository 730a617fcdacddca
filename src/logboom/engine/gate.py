"""The gate: how many queries run at once, how many may wait for it, and for how long."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.errors import Overloaded

RETRY_AFTER_S = 1


class Gate:
    """Lets `running` queries in; up to `waiting` more queue for `wait_s`, others are turned away at once."""

    def __init__(self, running: int, waiting: int, wait_s: float) -> None:
        self._free = threading.Semaphore(running)
        self._lock = threading.Lock()
        self._places = waiting
        self._wait_s = wait_s
        self._limit = running

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Overloaded when there is no room."""
        if not self._free.acquire(blocking=False):
            self._queue()
        try:
            yield
        finally:
            self._free.release()

    def _queue(self) -> None:
        with self._lock:
            if self._places == 0:
                raise self._refuse()
            self._places -= 1
        try:
            if not self._free.acquire(timeout=self._wait_s):
                raise self._refuse()
        finally:
            with self._lock:
                self._places += 1

    def _refuse(self) -> Overloaded:
        return Overloaded(
            f"{self._limit} queries are running and more are waiting, try again soon",
            retry_after_s=RETRY_AFTER_S,
        )

"""The gate: limits how many queries run at once, how many wait, and for how long."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from prometheus_client import Counter

from logboom.base.errors import Overloaded, Unavailable
from logboom.base.process.deadline import Deadline

RETRY_AFTER_S = 1
LOOK_S = 0.1
"""How often a waiting query checks whether its client has gone."""

queries = Counter("logboom_queries", "Queries that were admitted")


class Gate:
    """Admits `running` queries; up to `waiting` more wait for `wait_s`, all others are refused at once."""

    def __init__(self, running: int, waiting: int, wait_s: float) -> None:
        self._free = threading.Semaphore(running)
        self._lock = threading.Lock()
        self._queue_cap = waiting
        self._wait_s = wait_s
        self._limit = running
        self.running = 0
        self.waiting = 0

    @contextmanager
    def enter(self, deadline: Deadline | None = None) -> Iterator[None]:
        """Let a query run as long as the context lasts; raise Overloaded without a place in time."""
        if not self._free.acquire(blocking=False):
            self._queue(deadline or Deadline())
        queries.inc()
        with self._lock:
            self.running += 1
        try:
            yield
        finally:
            with self._lock:
                self.running -= 1
            self._free.release()

    def _queue(self, deadline: Deadline) -> None:
        with self._lock:
            if self.waiting == self._queue_cap:
                raise self._refuse()
            self.waiting += 1
        try:
            self._wait(deadline)
        finally:
            with self._lock:
                self.waiting -= 1

    def _wait(self, deadline: Deadline) -> None:
        patience = Deadline(min(self._wait_s, deadline.left_s))
        while not deadline.is_set():
            left_s = patience.left_s
            if self._free.acquire(timeout=max(min(left_s, LOOK_S), 0)):
                return
            if left_s <= 0:
                raise self._refuse()
        raise Overloaded("nobody waits for the answer any more")

    def _refuse(self) -> Overloaded:
        return Overloaded(
            f"{self._limit} queries are running and more are waiting, try again soon",
            retry_after_s=RETRY_AFTER_S,
        )


class ClosedGate(Gate):
    """The gate of a node that does not answer queries."""

    def __init__(self) -> None:
        super().__init__(0, 0, 0)

    def enter(self, deadline: Deadline | None = None) -> NoReturn:  # noqa: ARG002
        raise Unavailable("this node does not answer queries, its SERVICE_ROLES lacks query")

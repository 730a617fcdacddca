"""Memory budget of a query, drawn from a pool for all queries, and reserved before it is allocated.

A step of a query (reading a block, a pipe) runs inside `Memory.working`. It reserves what it is about to allocate
with `reserve`, and everything is released when the step ends. A step may have a check that ends it early: when it asks
for memory, and in long loops.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar, Token

from logboom.base.errors import OverBudget

POOL_QUERIES = 2
"""How many queries can use their whole budget at the same time; most need little of it."""
WAIT_S = 5.0
"""How long a query waits for memory that other queries hold."""
MB = 1 << 20
ADVICE = "search a shorter time, keep fewer fields before it, or raise SERVICE_QUERY_MEMORY_MB"


Check = Callable[[], None]
"""Raises an error if nobody waits for a step any more."""


class Pool:
    """The memory of all queries together. Thread-safe."""

    def __init__(self, capacity_bytes: int, wait_s: float = WAIT_S) -> None:
        self._changed = threading.Condition()
        self._capacity_bytes = capacity_bytes
        self._wait_s = wait_s
        self.used_bytes = 0

    @classmethod
    def of_limit(cls, memory_bytes: int) -> "Pool":
        """Return the pool for queries that may use this much each."""
        return cls(POOL_QUERIES * memory_bytes)

    def take(self, size_bytes: int, *, waits: bool) -> bool:
        """Take memory; return whether there was room, possibly after waiting for other queries."""
        with self._changed:
            timeout_s = self._wait_s if waits else 0
            if not self._changed.wait_for(lambda: self._has_room(size_bytes), timeout_s):
                return False
            self.used_bytes += size_bytes
            return True

    def give(self, size_bytes: int) -> None:
        with self._changed:
            self.used_bytes -= size_bytes
            self._changed.notify_all()

    def _has_room(self, size_bytes: int) -> bool:
        return self.used_bytes + size_bytes <= self._capacity_bytes


class Memory:
    """The memory of one query. Thread-safe.

    In another process it becomes a budget of the same size. What is still held when the object is deleted goes back to
    the pool.
    """

    def __init__(self, limit_bytes: int, pool: Pool | None = None) -> None:
        self.limit_bytes = limit_bytes
        self.held_bytes = 0
        self._pool = pool or Pool(limit_bytes)
        self._lock = threading.Lock()

    def take(self, size_bytes: int, what: str) -> None:
        """Take this many bytes; raise OverBudget if `what` cannot have them."""
        if not self._add(size_bytes):
            raise OverBudget(self._describe(size_bytes, what))
        if not self._pool.take(size_bytes, waits=True):
            self._add(-size_bytes)
            raise OverBudget(
                f"{what} needs {write_size(size_bytes)} of memory, which other queries are using: try again soon"
            )

    def try_take(self, size_bytes: int) -> bool:
        """Do what `take` does, but without waiting; return False if there is no room now."""
        if not self._add(size_bytes):
            return False
        if self._pool.take(size_bytes, waits=False):
            return True
        self._add(-size_bytes)
        return False

    def fits(self, size_bytes: int) -> bool:
        """Return whether the query may take this much more, whatever others hold."""
        return size_bytes <= self.spare_bytes

    def give(self, size_bytes: int) -> None:
        self._add(-size_bytes)
        self._pool.give(size_bytes)

    @property
    def spare_bytes(self) -> int:
        return max(self.limit_bytes - self.held_bytes, 0)

    def working(self, what: str, check: Check | None = None) -> "Step":
        """Return a step of the query on this thread; `what` names it in messages."""
        return Step(self, what, check)

    def _add(self, size_bytes: int) -> bool:
        with self._lock:
            if size_bytes > 0 and self.held_bytes + size_bytes > self.limit_bytes:
                return False
            self.held_bytes += size_bytes
            return True

    def _describe(self, size_bytes: int, what: str) -> str:
        wanted, limit = write_size(size_bytes + self.held_bytes), write_size(self.limit_bytes)
        return f"{what} needs {wanted} of memory, expected at most {limit} for one query: {ADVICE}"

    def __reduce__(self) -> tuple[object, ...]:
        return Memory, (self.limit_bytes,)

    def __del__(self) -> None:
        if self.held_bytes:
            self._pool.give(self.held_bytes)


class Step:
    """A step of a query, and what it has reserved so far; for one thread.

    It is the current step between entering and leaving it.
    """

    def __init__(self, memory: Memory, what: str, check: Check | None) -> None:
        self.memory = memory
        self.what = what
        self.check = check
        self.held_bytes = 0

    def __enter__(self) -> "Step":
        self._outer: Token[Step | None] = CURRENT.set(self)
        return self

    def __exit__(self, *_reason: object) -> None:
        CURRENT.reset(self._outer)
        self.release()

    def release(self) -> None:
        if self.held_bytes:
            self.memory.give(self.held_bytes)
            self.held_bytes = 0

    def reserve(self, size_bytes: int) -> None:
        self.check_waiting()
        if size_bytes > 0:
            self.memory.take(size_bytes, self.what)
            self.held_bytes += size_bytes

    def check_waiting(self) -> None:
        if self.check:
            self.check()

    def hold(self, size_bytes: int) -> None:
        """Hold this much from now on, instead of what was held before."""
        self.release()
        self.reserve(size_bytes)


CURRENT: ContextVar[Step | None] = ContextVar("step", default=None)


def reserve(size_bytes: int) -> None:
    """Reserve memory for the current step; raise OverBudget if that is too much.

    Outside of any step nothing is counted.
    """
    step = CURRENT.get()
    if step is not None:
        step.reserve(size_bytes)


def check_waiting() -> None:
    """Raise what ends the current step if nobody waits for it any more; for loops that may take long."""
    step = CURRENT.get()
    if step is not None:
        step.check_waiting()


def working(what: str) -> AbstractContextManager[object]:
    """Return a step inside the current one; its memory is released when it ends."""
    step = CURRENT.get()
    return nullcontext() if step is None else step.memory.working(what, step.check)


def get_spare_bytes() -> int:
    """Return what the current step can still reserve."""
    step = CURRENT.get()
    return sys.maxsize if step is None else step.memory.spare_bytes


def write_size(size_bytes: int) -> str:
    """Return a size for messages."""
    return f"{size_bytes / MB:,.0f} MB" if size_bytes >= MB else f"{size_bytes:,} bytes"

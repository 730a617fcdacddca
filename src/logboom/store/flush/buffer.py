"""The write buffer: batches that are durable in the log but not yet in a block."""

import math
import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import NamedTuple

from msgspec import field
from prometheus_client import Gauge

from logboom.base.errors import Unavailable
from logboom.base.structs import MutableStruct
from logboom.model.batch import Batch
from logboom.store.companions import Companions
from logboom.store.idempotency.memory import IngestAnswer

MAX_WAITING_BYTES = 64 * 1024 * 1024
FLUSH_BYTES = 32 * 1024 * 1024
REFRESH_S = 0.25
"""Callers that wait for a flush share one in this time: each flush writes blocks, however few events there are."""
MAX_FLUSH_BLOCKS = 256
"""Maximum blocks per flush, unless a single batch needs more, so that early batches do not wait for later ones."""

buffered_rows = Gauge("logboom_buffered_events", "Acknowledged events that are not yet in a block")


class Flushed(NamedTuple):
    """What a flush made searchable."""

    blocks: int
    events: int


class Waiting(NamedTuple):
    """What is not yet in a block, and since when; None if there is nothing."""

    events: int
    size_bytes: int
    age_s: float | None


class BufferedBatch(NamedTuple):
    """A batch that is durable as record number `record`."""

    batch: Batch
    companions: Companions
    record: int

    @property
    def size_bytes(self) -> int:
        return self.batch.size_bytes

    @property
    def days(self) -> set[tuple[str, int]]:
        """The environment and the days of its events: each becomes a block."""
        return {(self.batch.target.env, day) for _, day in self.batch.scan.days}


class FlushPortion(MutableStruct):
    """What becomes blocks together: everything up to the record `last_record`."""

    batches: list[Batch] = field(default_factory=list)
    answers: list[IngestAnswer] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)
    last_record: int = 0
    rows: int = 0
    size_bytes: int = 0
    days: set[tuple[str, int]] = field(default_factory=set)

    def has_room_for(self, entry: BufferedBatch) -> bool:
        """Return whether the blocks of another batch still fit into one commit; the first batch always fits."""
        return not self.batches or len(self.days | entry.days) <= MAX_FLUSH_BLOCKS

    def add(self, entry: BufferedBatch) -> None:
        self.batches.append(entry.batch)
        if entry.companions.answer is not None:
            self.answers.append(entry.companions.answer)
        self.marks |= entry.companions.marks
        self.last_record = entry.record
        self.rows += len(entry.batch)
        self.size_bytes += entry.size_bytes
        self.days |= entry.days


class Buffer:
    """Collects batches; the flusher takes them, oldest first. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: deque[BufferedBatch] = deque()
        self._rows = 0
        self._size_bytes = 0
        self._oldest_s = 0.0
        self._flushing_bytes = 0
        self._flushing: list[Batch] = []
        self._flushing_oldest_s = 0.0
        self._marks: dict[str, int] = {}
        self._taken_s = -math.inf
        self._asked: list[Future[Flushed]] = []
        self._awaited: list[Future[Flushed]] = []
        self._closed = False
        self._failure: str | None = None
        self._due_rows = 0
        """This many rows make a flush due."""

    def add(self, batch: Batch, companions: Companions, record: int) -> None:
        """Add a batch that is durable as record number `record`."""
        with self._changed:
            is_first = not self._entries
            if is_first:
                self._oldest_s = time.monotonic()
            entry = BufferedBatch(batch, companions, record)
            self._entries.append(entry)
            self._marks |= companions.marks
            self._rows += len(batch)
            self._size_bytes += entry.size_bytes
            buffered_rows.inc(len(batch))
            if is_first or self.is_full(self._due_rows):
                # Nobody waits for any other batch, and waking up costs more than adding one.
                self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Block while more is waiting for blocks than should be held in memory.

        Raises Unavailable if that is because blocks cannot be written.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._failure or self.has_room)
            if self._failure and not self.has_room:
                raise Unavailable(f"blocks cannot be written: {self._failure}", retry_after_s=5)

    @property
    def has_room(self) -> bool:
        """Whether there is room for more in memory."""
        return self._size_bytes + self._flushing_bytes < MAX_WAITING_BYTES

    def wait_until_due(self, flush_secs: float, flush_rows: int) -> None:
        """Sleep until enough is collected, has waited long enough, or a flush was requested."""
        with self._changed:
            self._due_rows = flush_rows
            while not (self._asked or self._closed or self.is_full(flush_rows)):
                due_s = self._find_due_s(flush_secs)
                left_s = None if due_s is None else due_s - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return
                self._changed.wait(left_s)

    def _find_due_s(self, flush_secs: float) -> float | None:
        """Return when a flush is due by time; None if nobody waits for one."""
        by_age = self._oldest_s + flush_secs
        if not self._awaited:
            return by_age if self._entries else None
        return min(by_age, self._taken_s + REFRESH_S) if self._entries else 0.0

    def wait_while_open(self, seconds: float) -> None:
        """Pause, but not after the buffer is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def is_full(self, flush_rows: int) -> bool:
        """Return whether a flush is due by size."""
        return self._rows >= flush_rows or self._size_bytes >= FLUSH_BYTES

    @property
    def is_empty(self) -> bool:
        """Whether every batch ever added is in a block."""
        return not self._entries and not self._flushing_bytes

    @property
    def failure(self) -> str | None:
        """Why the last flush failed, while that is so."""
        return self._failure

    @failure.setter
    def failure(self, failure: str | None) -> None:
        with self._changed:
            self._failure = failure
            self._changed.notify_all()

    def ask(self) -> "Future[Flushed]":
        """Make a flush due now; return a future that resolves when everything that is here now is searchable."""
        return self._request(self._asked)

    def await_soon(self) -> "Future[Flushed]":
        """Make a flush due soon; return a future that resolves when everything that is here now is searchable."""
        return self._request(self._awaited)

    def _request(self, requests: "list[Future[Flushed]]") -> "Future[Flushed]":
        done: Future[Flushed] = Future()
        done.set_running_or_notify_cancel()  # so that a caller that stops waiting cannot cancel it
        with self._changed:
            if self._closed:
                done.set_exception(Unavailable("the store is closed"))
            else:
                requests.append(done)
            self._changed.notify_all()
        return done

    def take_requests(self) -> "list[Future[Flushed]]":
        """Return the pending requests; resolve them when what `take` returns next is searchable."""
        with self._changed:
            requests = [*self._asked, *self._awaited]
            self._asked.clear()
            self._awaited.clear()
            return requests

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def last_record(self) -> int:
        """The newest waiting record; 0 if there is none."""
        with self._changed:
            return self._entries[-1].record if self._entries else 0

    def count_events(self, env: str) -> int:
        """Return the events of an environment that are not yet in a block."""
        with self._changed:
            waiting = [*self._flushing, *(entry.batch for entry in self._entries)]
        return sum(len(batch) for batch in waiting if batch.target.env == env)

    def measure(self) -> Waiting:
        """Return everything that waits, for a flush or for the end of one."""
        with self._changed:
            age_s = None
            if not self.is_empty:
                oldest_s = self._flushing_oldest_s if self._flushing_bytes else self._oldest_s
                age_s = time.monotonic() - oldest_s
            events = self._rows + sum(map(len, self._flushing))
            return Waiting(events, self._size_bytes + self._flushing_bytes, age_s)

    def find_mark(self, name: str) -> int | None:
        """Return a mark that is durable in the log but not yet in the catalog."""
        with self._changed:
            return self._marks.get(name)

    def list_marks(self) -> set[str]:
        """Return the names of the marks that are durable in the log but not yet in the catalog."""
        with self._changed:
            return set(self._marks)

    def take(self, flush_rows: int) -> FlushPortion:
        """Take the oldest batches, as many as one flush should hold, at least one."""
        taken = FlushPortion()
        with self._changed:
            while self._entries and taken.has_room_for(self._entries[0]):
                taken.add(self._entries.popleft())
                if taken.rows >= flush_rows or taken.size_bytes >= FLUSH_BYTES:
                    break
            self._rows -= taken.rows
            self._size_bytes -= taken.size_bytes
            self._flushing_bytes = taken.size_bytes
            self._flushing = taken.batches
            self._flushing_oldest_s = self._oldest_s
            self._taken_s = time.monotonic()
        return taken

    def release(self, taken: FlushPortion) -> None:
        """Forget the taken batches, which are in blocks now."""
        with self._changed:
            self._flushing_bytes = 0
            self._flushing = []
            for name, mark in taken.marks.items():
                if self._marks.get(name) == mark:
                    del self._marks[name]
            buffered_rows.dec(taken.rows)
            self._changed.notify_all()

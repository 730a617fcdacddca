"""The log writer: one thread that appends the waiting batches, syncs once for all, then acknowledges them."""

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

from prometheus_client import Histogram

from logboom.base.errors import Unavailable
from logboom.model.batch import Batch
from logboom.store.companions import ALONE, Companions
from logboom.store.flush.buffer import Buffer
from logboom.store.idempotency.answers import Answers
from logboom.store.wal.log import Wal
from logboom.store.wal.records import SEQ_SHIFT, encode_record

log = logging.getLogger(__name__)

GROUP_BYTES = 32 * 1024 * 1024

group_seconds = Histogram(
    "logboom_wal_group_seconds", "Time to append and sync one group of batches"
)


Done = Callable[[int | Unavailable], None]
"""Called with the number of a record, or the reason why there is none."""


class Pending:
    """A batch on its way to the log, or (without a batch) a request for a record number."""

    __slots__ = ("_done", "batch", "companions")

    def __init__(self, batch: Batch | None, companions: Companions, done: Done) -> None:
        self.batch = batch
        self.companions = companions
        self._done: Done | None = done

    def resolve(self, outcome: int | Unavailable) -> None:
        """Pass on the outcome; only the first one counts."""
        done, self._done = self._done, None
        if done is not None:
            done(outcome)


class LogWriter:
    """Group commit. Batches may be submitted from any thread; `done` is called on the writer's, and must be quick."""

    def __init__(self, wal: Wal, buffer: Buffer, answers: Answers) -> None:
        self._wal = wal
        self._buffer = buffer
        self._answers = answers
        self._queue: queue.SimpleQueue[Pending | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running = False
        self._thread = threading.Thread(target=self._run, name="wal-writer", daemon=True)

    def start(self) -> None:
        self._running = True
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, then end; later batches are refused."""
        with self._lock:
            was_running, self._running = self._running, False
            self._queue.put(None)
        if was_running:
            self._thread.join()

    def write(self, batch: Batch, companions: Companions, done: Done) -> None:
        """Call `done` with the record's number once the batch is on disk, else with Unavailable."""
        self._put(Pending(batch, companions, done))

    def submit(self, batch: Batch, companions: Companions) -> "Future[int]":
        """Do what `write` does, for a caller that waits."""
        return self._wait_for(batch, companions)

    def reserve(self) -> "Future[int]":
        """Return a future of a record number that no record will have."""
        return self._wait_for(None, ALONE)

    def _wait_for(self, batch: Batch | None, companions: Companions) -> "Future[int]":
        future: Future[int] = Future()
        future.set_running_or_notify_cancel()  # so that a caller that stops waiting cannot cancel it

        def done(outcome: int | Unavailable) -> None:
            if isinstance(outcome, Unavailable):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        self._put(Pending(batch, companions, done))
        return future

    def _put(self, pending: Pending) -> None:
        with self._lock:
            if self._running:
                self._queue.put(pending)
                return
        pending.resolve(Unavailable("the store is closed"))

    def _run(self) -> None:
        running = True
        while running:
            group: list[Pending] = []
            try:
                running = self._gather(group)
                self._acknowledge(group)
            except BaseException as error:
                # Whatever happens, this thread continues: without it every sender would wait forever.
                log.exception("batches refused", extra={"batches": len(group)})
                refuse(group, error)

    def _gather(self, group: list[Pending]) -> bool:
        """Return everything that waits, up to a size, at least one; False if it is the last."""
        size_bytes = 0
        while (pending := self._queue.get()) is not None:
            group.append(pending)
            size_bytes += len(pending.batch.data) if pending.batch else 0
            if size_bytes >= GROUP_BYTES or self._queue.empty():
                return True
        return False

    def _acknowledge(self, group: list[Pending]) -> None:
        for pending in group:
            if pending.batch is None:
                pending.resolve(self._wal.reserve())
        waiting = [pending for pending in group if pending.batch is not None]
        if waiting:
            self._buffer.wait_for_room()
            with group_seconds.time():
                self._write(waiting)

    def _write(self, group: list[Pending]) -> None:
        records = [
            encode_record(pending.batch, pending.companions) for pending in group if pending.batch
        ]
        first = self._wal.write(records)
        for number, pending in enumerate(group, first):
            assert pending.batch is not None
            pending.batch.first_seq = number << SEQ_SHIFT
            self._buffer.add(pending.batch, pending.companions, number)
            if pending.companions.answer is not None:
                self._answers.remember(pending.companions.answer)
            pending.resolve(number)


def refuse(group: list[Pending], error: BaseException) -> None:
    """Tell the waiting senders that nothing was stored."""
    if not isinstance(error, Unavailable):
        error = Unavailable(f"the batch cannot be written: {error!r}")
    for pending in group:
        pending.resolve(error)

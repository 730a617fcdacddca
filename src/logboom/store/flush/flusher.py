"""The flusher: one thread that turns the buffer into blocks and commits them with their log position."""

import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

from prometheus_client import Counter, Histogram

from logboom.base.errors import Unavailable
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.flush.buffer import Buffer, Flushed, FlushPortion
from logboom.store.flush.digest import Digester
from logboom.store.idempotency.answers import Answers
from logboom.store.wal.log import Wal

log = logging.getLogger(__name__)

RETRY_S = 1.0

committed_events = Counter("logboom_committed_events", "Events in committed blocks")
committed_blocks = Counter("logboom_committed_blocks", "Blocks committed")
flush_failures = Counter("logboom_flush_failures", "Flushes that failed and are tried again")
flush_seconds = Histogram(
    "logboom_flush_seconds", "Time to write and commit the blocks of one flush"
)


class Flusher:
    """Flushes when due by time, by rows, or on request. Failed batches are kept and retried separately."""

    def __init__(
        self,
        buffer: Buffer,
        digester: Digester,
        catalog: Catalog,
        answers: Answers,
        wal: Wal,
        node: str,
    ) -> None:
        self._buffer = buffer
        self._digester = digester
        self._catalog = catalog
        self._answers = answers
        self._wal = wal
        self._node = node
        self._taken: FlushPortion | None = None
        self._written: list[BlockInfo] | None = None
        self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
        self.flush_secs = 5.0
        self.flush_rows = 50_000

    @property
    def failure(self) -> str | None:
        """Why the last flush failed, until one succeeds."""
        return self._buffer.failure

    @property
    def is_flushing(self) -> bool:
        return self._taken is not None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Flush once more, then end."""
        self._buffer.close()
        if self._thread.is_alive():
            self._thread.join()

    def tune(self, flush_secs: float, flush_rows: int) -> None:
        """Change the limits; what is due by the old ones is flushed at once."""
        if (flush_secs, flush_rows) != (self.flush_secs, self.flush_rows):
            self.flush_secs, self.flush_rows = flush_secs, flush_rows
            self._buffer.ask()

    def ask(self) -> "Future[Flushed]":
        """Return a future that resolves when everything that is in the buffer now is searchable."""
        return self._buffer.ask()

    def await_soon(self) -> "Future[Flushed]":
        """Return a future like that of `ask`, for callers that may come often: they share a few flushes a second."""
        return self._buffer.await_soon()

    def _run(self) -> None:
        is_last = False
        while not is_last:
            # Checked before the flush: what arrived during the previous one needs another.
            is_last = self._buffer.is_closed
            if self.failure:
                self._buffer.wait_while_open(RETRY_S)
            else:
                self._buffer.wait_until_due(self.flush_secs, self.flush_rows)
            self.flush()

    def flush(self) -> Flushed:
        """Flush now; a failure is logged, kept in `failure` and retried later."""
        asked = self._buffer.take_requests()
        try:
            flushed = list(self._flush_waiting())
        except BaseException as error:
            # Whatever happens, this thread continues: without it ingest would stop silently.
            flush_failures.inc()
            log.exception("flush failed")
            self._buffer.failure = str(error) or repr(error)
            for done in asked:
                done.set_exception(Unavailable(f"blocks cannot be written: {self.failure}"))
            return Flushed(0, 0)
        self._buffer.failure = None
        result = Flushed(len(flushed), sum(block.rows for block in flushed))
        for done in asked:
            done.set_result(result)
        return result

    def _flush_waiting(self) -> Iterator[BlockInfo]:
        """Flush everything that waits, in portions that fit in memory; what failed before comes first."""
        last_record = self._buffer.last_record
        if self._taken:
            last_record = max(last_record, self._taken.last_record)
        done = 0
        while done < last_record:
            self._taken = self._taken or self._buffer.take(self.flush_rows)
            done = self._taken.last_record
            yield from self._commit_taken()

    def _commit_taken(self) -> list[BlockInfo]:
        """Write blocks, save answers, commit with marks, and only then delete the log's segments."""
        taken = self._taken
        assert taken is not None
        started = time.monotonic()
        if self._written and self._catalog.are_stale(self._written):
            # Written again, because their files may be gone. If they were committed after all, the commit detects it.
            self._written = None
        if self._written is None:
            if self.failure:
                # An unreachable store shows here, before the work is repeated.
                self._catalog.refresh()
            self._written = self._digester.write(taken.batches)
        written = self._written
        self._answers.journal(taken.answers)
        self._catalog.commit(
            Change(
                adds=tuple(written),
                transaction=(self._node, taken.last_record),
                marks=taken.marks,
            )
        )
        self._taken = self._written = None
        self._buffer.release(taken)
        committed_events.inc(sum(block.rows for block in written))
        committed_blocks.inc(len(written))
        flush_seconds.observe(time.monotonic() - started)
        self._delete_segments(taken.last_record)
        return written

    def _delete_segments(self, last_record: int) -> None:
        try:
            self._wal.delete_through(last_record)
        except OSError:
            # The events are safe; the segments are deleted after a later flush.
            log.exception("write-ahead log segments were not deleted")

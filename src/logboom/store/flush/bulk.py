"""Bulk loads: a request too large for memory goes straight to blocks, which one commit makes live.

No log record is needed: before the commit nothing of the request counts, after it everything is durable.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec

from logboom.base.errors import Unavailable
from logboom.model.batch import Batch
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.companions import Companions
from logboom.store.idempotency.answers import Answers
from logboom.store.idempotency.memory import IngestAnswer
from logboom.store.wal.records import SEQ_SHIFT

PIECE_BYTES = 32 * 1024 * 1024


class BulkLoad:
    """One large request. Concurrent calls, as after a cancelled one, run one after the other."""

    def __init__(
        self,
        blocks: BlockWriter,
        catalog: Catalog,
        answers: Answers,
        reserve_number: Callable[[], int],
        flush_rows: int,
    ) -> None:
        self._blocks = blocks
        self._catalog = catalog
        self._answers = answers
        self._reserve_number = reserve_number
        self._flush_rows = flush_rows
        self._lock = threading.Lock()
        self._is_over = False
        self._written: list[BlockInfo] = []
        self._gathered: list[Batch] = []
        self._rows = 0
        self._size_bytes = 0

    def add(self, batch: Batch) -> None:
        """Add a piece of the request; writes a block when enough is collected."""
        with self._turn():
            batch.first_seq = self._reserve_number() << SEQ_SHIFT
            self._gathered.append(batch)
            self._rows += len(batch)
            self._size_bytes += batch.size_bytes
            if self._rows >= self._flush_rows or self._size_bytes >= PIECE_BYTES:
                self._write()

    def _write(self) -> None:
        if self._rows:
            self._written += self._blocks.write(self._gathered)
        self._gathered, self._rows, self._size_bytes = [], 0, 0

    def commit(self, companions: Companions) -> None:
        """Make the whole request live and durable; if that fails, the outcome is unknown."""
        answer, marks = companions
        with self._turn():
            self._prepare(answer)
            if not self._written:
                return
            self._catalog.commit(Change(adds=tuple(self._written), marks=marks))
            if answer is not None:
                # From here on the answer counts, whatever happens to the block.
                with suppress(OSError):
                    self._answers.journal([answer])

    def _prepare(self, answer: IngestAnswer | None) -> None:
        """Do everything that can fail while certainly nothing is committed."""
        try:
            self._write()
            if answer is not None and self._written:
                block = self._written[0].path
                self._answers.journal([msgspec.structs.replace(answer, block=block)])
        except BaseException:
            self._blocks.discard(block.path for block in self._written)
            raise
        finally:
            self._is_over = True

    def abort(self) -> None:
        """Remove everything that was written; must not be called after a commit was tried."""
        with self._lock:
            self._is_over = True
            self._blocks.discard(block.path for block in self._written)
            self._written, self._gathered = [], []

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            if self._is_over:
                raise Unavailable("the bulk load was ended")
            try:
                yield
            except OSError as error:
                raise Unavailable(f"blocks cannot be written: {error.strerror or error}") from error

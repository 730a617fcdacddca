"""Recovery at start: claims the node's name, and replays the write-ahead log of the last run.

A full disk does not prevent the start: what is in blocks can be searched, new events are refused, and recovery
continues where it stopped as soon as there is room. Meanwhile memory holds at most what a flush takes.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from logboom.base.errors import Corrupt, Unavailable
from logboom.model.shredder import ThreadShredders
from logboom.store.flush.buffer import Buffer
from logboom.store.flush.flusher import RETRY_S, Flusher
from logboom.store.integrity.set_aside import SetAside
from logboom.store.wal.log import Wal
from logboom.store.wal.records import Replayed, decode_record
from logboom.store.wal.segment import WalRecord

log = logging.getLogger(__name__)


class Recovery:
    """Nothing may be written to the log before it is done.

    `claim` claims the node's name and returns the last record of the log that is in blocks; `finish` is called once,
    when everything is recovered.
    """

    def __init__(
        self,
        claim: Callable[[], int],
        wal: Wal,
        buffer: Buffer,
        flusher: Flusher,
        reader: "RecordReader",
        finish: Callable[[], None],
    ) -> None:
        self._claim = claim
        self._wal = wal
        self._buffer = buffer
        self._flusher = flusher
        self._reader = reader
        self._finish = finish
        self._recovered_seq: int | None = None
        """The last record that is in blocks or in the buffer; None while the node is not claimed."""
        self._records: Iterator[WalRecord] | None = None
        self._record: WalRecord | None = None
        """Read, but not yet in the buffer."""
        self._events = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._retry, name="recovery", daemon=True)
        self.problem: str | None = "the service is starting"
        """Why recovery is not done, until it is."""

    def start(self) -> None:
        """Recover now, or in the background if the disk is full."""
        if not self._attempt():
            self._thread.start()

    def stop(self) -> None:
        """Stop retrying."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def check(self) -> None:
        """Raise Unavailable until recovery is done."""
        if self.problem:
            raise Unavailable(
                f"the write-ahead log cannot be replayed: {self.problem}", retry_after_s=5
            )

    def _retry(self) -> None:
        while not self._stopping.wait(RETRY_S):
            try:
                if self._attempt():
                    return
            except Corrupt as error:
                self._report(error.message)
                return

    def _attempt(self) -> bool:
        try:
            self._recover()
        except Corrupt:
            raise
        except (OSError, Unavailable) as error:
            self._report(str(error))
            return False
        self._finish()
        self.problem = None
        if self._events:
            log.info("write-ahead log replayed", extra={"events": self._events})
        return True

    def _report(self, problem: str) -> None:
        if problem != self.problem:
            log.error("the write-ahead log cannot be replayed", extra={"reason": problem})
        self.problem = problem

    def _recover(self) -> None:
        if self._recovered_seq is None:
            self._recovered_seq = self._claim()
        # What an earlier attempt could not write comes first.
        self._flush()
        self._wal.check_format()
        for record in self._read_records():
            if record.seq <= self._recovered_seq:
                continue
            self._buffer_record(record)
            if self._buffer.is_full(self._flusher.flush_rows):
                self._flush()
        self._flush()
        self._wal.delete_through(self._wal.next_seq)

    def _read_records(self) -> Iterator[WalRecord]:
        """Yield the remaining records; all of them again after reading failed."""
        while record := self._record or self._read_record():
            self._record = record
            yield record
            self._record = None

    def _read_record(self) -> WalRecord | None:
        self._records = self._records or self._wal.replay()
        try:
            return next(self._records, None)
        except OSError:
            self._records = None
            raise

    def _buffer_record(self, record: WalRecord) -> None:
        replayed = self._reader.read(record)
        if replayed:
            self._buffer.add(replayed.batch, replayed.companions, record.seq)
            self._events += len(replayed.batch)
        self._recovered_seq = record.seq

    def _flush(self) -> None:
        self._flusher.flush()
        if self._flusher.failure:
            raise Unavailable(self._flusher.failure)


class RecordReader(NamedTuple):
    """Turns records back into batches."""

    shredders: ThreadShredders
    set_aside: SetAside

    def read(self, record: WalRecord) -> Replayed | None:
        """Read a record as a batch; set it aside and return None if that fails."""
        try:
            return decode_record(record, self.shredders)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other records count
            self.set_aside.keep_record(record, error)
            return None

"""The write-ahead log: an event is acknowledged if and only if it is in the log.

Records are only appended to a segment that this process opened itself. A segment that failed to sync is never written
again: the next one starts with the first sequence number that was not acknowledged, which voids everything that the
failed one has from there on.
"""

import logging
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from prometheus_client import Counter

from logboom.base.errors import Unavailable
from logboom.base.files import make_directory, publish_new, sync_directory
from logboom.base.structs import MutableStruct
from logboom.store.wal.segment import (
    HEADER_BYTES,
    MARK_BYTES,
    Header,
    WalRecord,
    describe_lost_header,
    encode_header,
    encode_record_head,
    read_header,
    read_records,
    report_damage,
)

log = logging.getLogger(__name__)

SEGMENT_BYTES = 64 * 1024 * 1024
KEPT_BYTES = 64 * 1024
"""An active segment whose records are all in blocks is kept while it is this small."""
MAX_IOVECS = 512
SUFFIX = ".wal"
PROBE_SUFFIX = ".probe"
PROBE_BYTES = 64 * 1024

write_failures = Counter(
    "logboom_wal_failures", "Writes or syncs of the write-ahead log that failed"
)


class Segment(MutableStruct):
    """A file of the log; `last_seq` is the newest valid record in it."""

    path: Path
    first_seq: int
    last_seq: int


class Wal:
    """Appends records durably, reads them back at start. One thread writes; any thread may delete."""

    def __init__(self, folder: Path) -> None:
        make_directory(folder)
        self._folder = folder
        self._lock = threading.Lock()
        self._appending = threading.Lock()
        """Held while the active segment is used; always taken before the other lock."""
        self._sealed: list[Segment] = []
        self._active: Segment | None = None
        self._handle = -1
        self._mark = b""
        self._size_bytes = 0
        self._void_from: int | None = None
        self._failure = ""
        self.next_seq = 1

    def check_format(self) -> None:
        """Raise TooNew if a newer build wrote a segment in a format that this one cannot read."""
        for path in list_segments(self._folder):
            read_header(path)

    def replay(self) -> Iterator[WalRecord]:
        """Yield every valid record, oldest first; must be exhausted before the first write.

        After a failure it may be called again, and starts over.
        """
        with self._lock:
            self._sealed.clear()
        segments = self._open_segments()
        for place, segment in enumerate(segments):
            void_from = min((later.first_seq for later in segments[place + 1 :]), default=None)
            for record in read_records(segment.path):
                if void_from is not None and record.seq >= void_from:
                    break
                segment.last_seq = record.seq
                self.next_seq = max(self.next_seq, record.seq + 1)
                yield record
            self._keep_sealed(segment)

    def _open_segments(self) -> list[Segment]:
        """Return the segments on disk whose header can be read; report all others."""
        segments: list[Segment] = []
        # A damaged segment stays when those after it are deleted.
        before: Path | None = None
        for path in list_segments(self._folder):
            if before and not is_next(path, before):
                report_damage(path, 0, 0, f"the segment after {before.name} is missing")
            header = read_header(path)
            before = None if header is None else path
            if header is not None:
                segments.append(Segment(path, header.first_seq, header.first_seq - 1))
                continue
            size_bytes = path.stat().st_size
            report_damage(path, 0, size_bytes, describe_lost_header(size_bytes))
            if size_bytes <= HEADER_BYTES:
                # Nobody can read anything from it later either.
                self._keep_sealed(Segment(path, 0, 0))
        return segments

    def write(self, payloads: Sequence[Sequence[bytes]]) -> int:
        """Append records (each given in pieces) and sync; return the first one's number.

        Raises Unavailable if any of it may not have reached the disk; then nothing of it counts.
        """
        with self._appending:
            try:
                if self._active is None or self._size_bytes >= SEGMENT_BYTES:
                    self._roll()
                self._append(payloads)
            except OSError as error:
                write_failures.inc()
                self._failure = error.strerror or str(error)
                raise refuse_writing(self._failure) from error
            assert self._active is not None
            self._failure = ""
            first = self.next_seq
            self.next_seq += len(payloads)
            self._active.last_seq = self.next_seq - 1
            return first

    def check_writable(self) -> None:
        """Raise Unavailable while the last append failed and a small file cannot be written either.

        Cheap unless an append failed; thread-safe.
        """
        if not self._failure:
            return
        try:
            self._probe()
        except OSError as error:
            raise refuse_writing(error.strerror or str(error)) from error

    def _probe(self) -> None:
        handle, path = tempfile.mkstemp(suffix=PROBE_SUFFIX, dir=self._folder)
        try:
            os.write(handle, bytes(PROBE_BYTES))
            os.fsync(handle)
        finally:
            os.close(handle)
            os.unlink(path)

    def reserve(self) -> int:
        """Return a number that no record will have; only for the writer."""
        self.next_seq += 1
        return self.next_seq - 1

    def _append(self, payloads: Sequence[Sequence[bytes]]) -> None:
        pieces: list[bytes] = []
        for seq, payload in enumerate(payloads, self.next_seq):
            pieces += [encode_record_head(self._mark, seq, payload), *payload]
        try:
            written = write_all(self._handle, pieces)
        except BaseException:
            self._cut()
            raise
        try:
            os.fdatasync(self._handle)
        except OSError:
            # The kernel may have dropped the pages, so this segment is never trusted again.
            self._abandon()
            raise
        self._size_bytes += written

    def _cut(self) -> None:
        """Undo a half-written append."""
        try:
            os.ftruncate(self._handle, self._size_bytes)
            os.fdatasync(self._handle)
        except OSError:
            self._abandon()

    def _abandon(self) -> None:
        log.error("write-ahead log segment abandoned", extra={"segment": str(self._active)})
        self._void_from = self.next_seq
        self._seal()

    def _seal(self) -> None:
        if self._active is None:
            return
        self._keep_sealed(self._active)
        handle = self._handle
        self._active, self._handle = None, -1
        with suppress(OSError):
            os.close(handle)

    def _keep_sealed(self, segment: Segment) -> None:
        with self._lock:
            self._sealed.append(segment)

    def _roll(self) -> None:
        self._seal()
        number = max((int(path.stem) for path in list_segments(self._folder)), default=0) + 1
        path = self._folder / name_segment(number)
        # Numbers reserved since a segment was abandoned do not revive its records.
        first_seq = self.next_seq if self._void_from is None else self._void_from
        self._mark = os.urandom(MARK_BYTES)
        try:
            publish_new(path, encode_header(Header(self._mark, first_seq)))
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self._size_bytes = HEADER_BYTES
        self._active = Segment(path, first_seq, first_seq - 1)
        self._void_from = None

    def delete_through(self, seq: int) -> None:
        """Delete segments whose records are all covered by a durable commit."""
        with self._appending:
            active = self._active
            if active and active.last_seq <= seq and self._size_bytes > KEPT_BYTES:
                self._seal()
        with self._lock:
            done = [segment for segment in self._sealed if segment.last_seq <= seq]
            for segment in done:
                segment.path.unlink(missing_ok=True)
                self._sealed.remove(segment)
        if done:
            sync_directory(self._folder)

    @property
    def size_bytes(self) -> int:
        return sum(self.measure_segments())

    def measure_segments(self) -> list[int]:
        """Return the size of each segment in bytes."""
        sizes_bytes = []
        for path in list_segments(self._folder):
            with suppress(FileNotFoundError):
                sizes_bytes.append(path.stat().st_size)
        return sizes_bytes

    def close(self) -> None:
        with self._appending:
            self._seal()


def refuse_writing(reason: str) -> Unavailable:
    return Unavailable(f"the write-ahead log cannot be written: {reason}")


def name_segment(number: int) -> str:
    return f"{number:012d}{SUFFIX}"


def list_segments(folder: Path) -> list[Path]:
    """Return the segments' files, oldest first."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.stem.isdigit())


def is_next(path: Path, before: Path) -> bool:
    """Return whether no segment is missing between two segments; numbers follow each other."""
    return int(path.stem) == int(before.stem) + 1


def write_all(handle: int, pieces: Sequence[bytes]) -> int:
    """Write every piece, even if the kernel takes less at a time; return the number of bytes."""
    total = 0
    views = [memoryview(piece) for piece in pieces if piece]
    while views:
        written = os.writev(handle, views[:MAX_IOVECS])
        total += written
        while views and written >= len(views[0]):
            written -= len(views.pop(0))
        if written:
            views[0] = views[0][written:]
    return total

"""Batches that cannot be written to blocks: kept in files and reported, so that they block nothing.

A batch becomes one file of lines for each index and source of its events, `<record>.ndjson`, `<record>-2.ndjson` and
so on, each with a JSON document that says where the lines belong and why they are here.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from prometheus_client import Counter

from logboom.base.clock import format_time
from logboom.base.files import make_directory, replace_file
from logboom.base.structs import InternalStruct
from logboom.model.batch import Batch
from logboom.store.wal.records import SEQ_SHIFT
from logboom.store.wal.segment import WalRecord

log = logging.getLogger(__name__)

set_aside_batches = Counter(
    "logboom_set_aside_batches", "Batches that could not be made into blocks and were set aside"
)
set_aside_events = Counter("logboom_set_aside_events", "Events in batches that were set aside")


class Note(msgspec.Struct, frozen=True):
    """Where the lines of a file belong, and why they were set aside."""

    env: str
    index: str
    source: str | None
    events: int
    arrival: str
    reason: str


class SetAsideContents(NamedTuple):
    """The current contents of the folder."""

    batches: int
    events: int


class Part(InternalStruct, frozen=True):
    """Lines of one index and one source."""

    index_name: str
    source: str | None
    lines: list[bytes]


class SetAside:
    """The folder of such batches. One thread writes; any thread may measure."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, batch: Batch, error: BaseException) -> None:
        """Write a batch to files, durable on return; repeating it for the same batch changes nothing."""
        make_directory(self.folder)
        record = batch.first_seq >> SEQ_SHIFT
        for number, part in enumerate(split(batch), start=1):
            name = f"{record}" if number == 1 else f"{record}-{number}"
            note = Note(
                env=batch.target.env,
                index=part.index_name,
                source=part.source,
                events=len(part.lines),
                arrival=format_time(batch.arrival_ns),
                reason=repr(error),
            )
            self._write(name, b"\n".join(part.lines) + b"\n", note)
        self._report(record, batch.target.env, len(batch), error)

    def keep_record(self, record: WalRecord, error: BaseException) -> None:
        """Write a record of the write-ahead log that cannot be read as a batch, unchanged."""
        make_directory(self.folder)
        replace_file(self.folder / f"{record.seq}.record", record.payload)
        self._report(record.seq, "", 0, error)

    def _write(self, name: str, lines: bytes, note: Note) -> None:
        replace_file(self.folder / f"{name}.ndjson", lines)
        replace_file(self.folder / f"{name}.json", msgspec.json.format(msgspec.json.encode(note)))

    def _report(self, record: int, env: str, events: int, error: BaseException) -> None:
        set_aside_batches.inc()
        set_aside_events.inc(events)
        log.error(
            "a batch cannot be made into blocks and was set aside",
            extra={
                "record": record,
                "env": env,
                "events": events,
                "folder": str(self.folder),
                "reason": repr(error),
            },
        )

    def measure(self) -> SetAsideContents:
        """Return how many batches are here, and how many events they have, if known."""
        if not self.folder.is_dir():
            return SetAsideContents(0, 0)
        files = [path for path in self.folder.iterdir() if path.suffix in (".ndjson", ".record")]
        records = {path.stem.partition("-")[0] for path in files}
        notes = map(read_note, self.folder.glob("*.json"))
        return SetAsideContents(len(records), sum(note.events for note in notes if note))


def read_note(path: Path) -> Note | None:
    """Read a note; return None if it is gone or not a note."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Note)
    except (OSError, ValueError):
        return None


def split(batch: Batch) -> Iterator[Part]:
    """Yield the lines of a batch by destination, in order."""
    parts: dict[tuple[str, str | None], Part] = {}
    for piece in batch.split():
        scan, source = piece.scan, piece.target.source
        for start, end, index_id in zip(scan.starts, scan.ends, scan.index_ids, strict=True):
            index = scan.index_names[index_id]
            part = parts.setdefault((index, source), Part(index, source, []))
            part.lines.append(piece.data[start:end])
    yield from parts.values()

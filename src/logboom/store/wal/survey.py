"""Inspects a write-ahead log without changing it, also that of a running service."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import field

from logboom.base.errors import Corrupt
from logboom.base.structs import MutableStruct
from logboom.model.shredder import ThreadShredders
from logboom.store.wal.log import list_segments
from logboom.store.wal.records import decode_record
from logboom.store.wal.segment import (
    Header,
    WalRecord,
    describe_lost_header,
    is_torn,
    read_header,
    scan_records,
)


class Survey(MutableStruct):
    """The contents of a log; `events` are those that are in no block yet.

    `torn_bytes` belong to unfinished appends: a running service is writing them, or a crash interrupted it. `damaged`
    says what is wrong with a segment, by its file.
    """

    segments: int = 0
    records: int = 0
    events: int = 0
    size_bytes: int = 0
    torn_bytes: int = 0
    damaged_bytes: int = 0
    damaged: dict[str, str] = field(default_factory=dict)

    def note_damage(self, path: Path, size_bytes: int, reason: str) -> None:
        self.damaged_bytes += size_bytes
        self.damaged[path.name] = reason


class Content(NamedTuple):
    """A segment as it was read."""

    path: Path
    data: bytes
    mark: bytes


def survey_log(folder: Path, committed: int, shredders: ThreadShredders) -> Survey:
    """Inspect a log; `committed` is the last record that is in blocks."""
    survey = Survey()
    headers = dict(read_headers(folder, survey))
    firsts = [header.first_seq for header in headers.values()]
    for place, (path, header) in enumerate(headers.items()):
        # As in a replay: a later segment voids what older ones have from its first number on.
        void_from = min(firsts[place + 1 :], default=None)
        # A running service deletes segments that it no longer needs.
        with suppress(FileNotFoundError):
            content = Content(path, path.read_bytes(), header.mark)
            for record in read_whole(content, survey):
                if void_from is None or record.seq < void_from:
                    survey.records += 1
                    if record.seq > committed:
                        survey.events += count_events(survey, path, record, shredders)
    return survey


def read_headers(folder: Path, survey: Survey) -> Iterator[tuple[Path, Header]]:
    """Yield the segments with a header; others are noted."""
    for path in list_segments(folder):
        with suppress(FileNotFoundError):
            header, size_bytes = read_header(path), path.stat().st_size
            survey.segments += 1
            survey.size_bytes += size_bytes
            if header is not None:
                yield path, header
            else:
                survey.note_damage(path, size_bytes, describe_lost_header(size_bytes))


def read_whole(content: Content, survey: Survey) -> Iterator[WalRecord]:
    """Yield the records of a segment; anything else is noted."""
    for found in scan_records(content.data, content.mark):
        if isinstance(found, WalRecord):
            yield found
        elif is_torn(content.data, found, content.mark):
            survey.torn_bytes += found.length
        else:
            reason = f"{found.length} bytes at byte {found.offset} are damaged"
            survey.note_damage(content.path, found.length, reason)


def count_events(survey: Survey, path: Path, record: WalRecord, shredders: ThreadShredders) -> int:
    try:
        return len(decode_record(record, shredders).batch)
    except Corrupt as error:
        survey.note_damage(path, len(record.payload), error.message)
        return 0

"""A segment of the write-ahead log: its encoding, and how to read it despite damage.

A segment starts with its header, twice, so that one damaged copy costs nothing; then come records. Every record
starts with the segment's random mark, so that nothing a client sends can be mistaken for one (docs/format/wal.md).
"""

import logging
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import google_crc32c
from prometheus_client import Counter

from logboom.base.versions import LOG_SEGMENT, Version, check_version

log = logging.getLogger(__name__)

MAGIC = b"LBWAL\x00"
MARK_BYTES = 8
HEADER = struct.Struct("<6sBB8sQ")
"""The same in every version: the magic, the minor and the major version, and the fields of `Header`."""
RECORD_HEAD = struct.Struct("<8sIQ")
CHECKSUM = struct.Struct("<I")
HEADER_COPY_BYTES = HEADER.size + CHECKSUM.size
HEADER_BYTES = 2 * HEADER_COPY_BYTES
RECORD_HEAD_BYTES = RECORD_HEAD.size + CHECKSUM.size
DAMAGED_HEADER = "its header is damaged"
CUT_HEADER = "it is cut off in its header"
LOST_HEADERS = (DAMAGED_HEADER, CUT_HEADER)

damaged_bytes = Counter(
    "logboom_wal_damaged_bytes", "Bytes of the write-ahead log skipped as damaged"
)


class Header(NamedTuple):
    """The mark of the segment's records, and the number from which on it voids older segments."""

    mark: bytes
    first_seq: int
    version: Version = LOG_SEGMENT


class WalRecord(NamedTuple):
    """One batch as it was written."""

    seq: int
    payload: bytes


class Gap(NamedTuple):
    """Bytes of a segment that are not a complete record."""

    offset: int
    length: int


def encode_header(header: Header) -> bytes:
    major, minor = header.version
    fields = HEADER.pack(MAGIC, minor, major, header.mark, header.first_seq)
    return 2 * (fields + CHECKSUM.pack(google_crc32c.value(fields)))


def encode_record_head(mark: bytes, seq: int, payload: Sequence[bytes]) -> bytes:
    """Return the head of a record, whose payload is given in pieces."""
    fields = RECORD_HEAD.pack(mark, sum(map(len, payload)), seq)
    checksum = google_crc32c.value(fields)
    for piece in payload:
        checksum = google_crc32c.extend(checksum, piece)
    return fields + CHECKSUM.pack(checksum)


def decode_header(data: bytes | memoryview) -> Header | None:
    """Return the header at the start of a segment, or None if both of its copies are damaged."""
    for start in (0, HEADER_COPY_BYTES):
        copy = bytes(data[start : start + HEADER_COPY_BYTES])
        if len(copy) < HEADER_COPY_BYTES:
            return None
        magic, minor, major, mark, first_seq = HEADER.unpack_from(copy)
        (expected,) = CHECKSUM.unpack_from(copy, HEADER.size)
        if magic == MAGIC and google_crc32c.value(copy[: HEADER.size]) == expected:
            return Header(mark, first_seq, Version(major, minor))
    return None


def read_header(path: Path) -> Header | None:
    """Read the header of a segment; return None if it is damaged.

    Raise TooNew if a newer build wrote the segment in a format that this one cannot read.
    """
    with path.open("rb") as file:
        header = decode_header(file.read(HEADER_BYTES))
    if header is not None:
        check_version(str(path), header.version, LOG_SEGMENT)
    return header


def describe_lost_header(size_bytes: int) -> str:
    """Say why a segment of this size has no readable header: it gets its name only when its header is complete."""
    return DAMAGED_HEADER if size_bytes >= HEADER_BYTES else CUT_HEADER


def read_records(path: Path) -> Iterator[WalRecord]:
    """Yield the intact records of a segment; a damaged one is reported and skipped, a torn tail is cut."""
    data = path.read_bytes()
    header = decode_header(data)
    assert header is not None, "only segments whose header can be read are read"
    for found in scan_records(data, header.mark):
        if isinstance(found, WalRecord):
            yield found
        elif found.offset + found.length == len(data):
            cut_tail(path, found.offset, len(data))
        else:
            report_damage(path, found.offset, found.length, "a record is damaged")


def scan_records(data: bytes, mark: bytes) -> Iterator[WalRecord | Gap]:
    """Yield the intact records of a segment, and the gaps between and after them."""
    view = memoryview(data)
    offset, last_seq = HEADER_BYTES, -1
    while offset < len(data):
        end = find_end(view, offset, mark, last_seq)
        if end is not None:
            last_seq = RECORD_HEAD.unpack_from(data, offset)[2]
            yield WalRecord(last_seq, data[offset + RECORD_HEAD_BYTES : end])
            offset = end
            continue
        resumed = find_record(data, offset + 1, mark, last_seq)
        yield Gap(offset, (len(data) if resumed is None else resumed) - offset)
        if resumed is None:
            return
        offset = resumed


def is_torn(data: bytes, gap: Gap, mark: bytes) -> bool:
    """Return whether a gap was left by an unfinished append, none of whose records was acknowledged."""
    if gap.offset + gap.length < len(data):
        return False
    if gap.length < RECORD_HEAD_BYTES:
        return True
    found, length, _seq = RECORD_HEAD.unpack_from(data, gap.offset)
    end: int = gap.offset + RECORD_HEAD_BYTES + length
    return bool(found != mark) or end > len(data)


def find_end(data: memoryview, offset: int, mark: bytes, last_seq: int) -> int | None:
    """Return where the record at `offset` ends, or None if there is no intact record."""
    start = offset + RECORD_HEAD_BYTES
    if start > len(data):
        return None
    found, length, seq = RECORD_HEAD.unpack_from(data, offset)
    end: int = start + length
    if found != mark or end > len(data) or seq <= last_seq:
        return None
    checksum = google_crc32c.value(bytes(data[offset : offset + RECORD_HEAD.size]))
    checksum = google_crc32c.extend(checksum, bytes(data[start:end]))
    (expected,) = CHECKSUM.unpack_from(data, offset + RECORD_HEAD.size)
    return end if checksum == expected else None


def find_record(data: bytes, offset: int, mark: bytes, last_seq: int) -> int | None:
    """Return the next position of an intact record."""
    view = memoryview(data)
    offset = data.find(mark, offset)
    while offset >= 0:
        if find_end(view, offset, mark, last_seq) is not None:
            return offset
        offset = data.find(mark, offset + 1)
    return None


def cut_tail(path: Path, offset: int, size: int) -> None:
    report_damage(path, offset, size - offset, "its tail is torn")
    with path.open("r+b") as file:
        file.truncate(offset)
        os.fsync(file.fileno())


def report_damage(path: Path, offset: int, length: int, reason: str) -> None:
    damaged_bytes.inc(length)
    log.warning(
        "write-ahead log damage skipped",
        extra={"segment": path.name, "offset": offset, "bytes": length, "reason": reason},
    )

"""Segments: torn, flipped and littered in every place, and read for what they still hold."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.logged import list_said_by

from logboom.store.wal.segment import (
    HEADER_BYTES,
    Header,
    WalRecord,
    decode_header,
    encode_header,
    encode_record_head,
    read_header,
    read_records,
)

MARK = bytes(range(8))
PAYLOADS = [b"first", b"", b"\x00" * 40, b"LBWAL" * 9, b"last"]
SMALL = [b"ab", b"", b"xyz"]
DAMAGE = "write-ahead log damage skipped"


def encode_record(seq: int, payload: bytes, mark: bytes = MARK) -> bytes:
    return encode_record_head(mark, seq, [payload]) + payload


def encode_segment(payloads: list[bytes]) -> tuple[bytes, list[int]]:
    """A segment of records numbered from 1, and where its header and each record end."""
    data = encode_header(Header(MARK, 1))
    ends = [len(data)]
    for seq, payload in enumerate(payloads, 1):
        data += encode_record(seq, payload)
        ends.append(len(data))
    return data, ends


def list_records(payloads: list[bytes]) -> list[WalRecord]:
    return [WalRecord(seq, payload) for seq, payload in enumerate(payloads, 1)]


@pytest.fixture
def read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Callable[[bytes], list[WalRecord]]:
    """Reads a segment of these bytes; `caplog` then holds what was said of its damage."""
    path = tmp_path / "000000000001.wal"

    def read_bytes(data: bytes) -> list[WalRecord]:
        path.write_bytes(data)
        caplog.clear()
        return list(read_records(path)) if read_header(path) else []

    return read_bytes


def test_what_is_written_is_read(read: Callable[[bytes], list[WalRecord]]) -> None:
    data, _ = encode_segment(PAYLOADS)
    assert read(data) == list_records(PAYLOADS)


def test_a_payload_in_pieces_is_the_same_record() -> None:
    whole = encode_record_head(MARK, 7, [b"one two"])
    assert encode_record_head(MARK, 7, [b"one", b"", b" two"]) == whole


def test_a_cut_at_any_byte_leaves_exactly_the_whole_records(
    read: Callable[[bytes], list[WalRecord]], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    data, ends = encode_segment(PAYLOADS)
    for size in range(len(data) + 1):
        whole = sum(end <= size for end in ends[1:])
        assert read(data[:size]) == list_records(PAYLOADS)[:whole]
        said = list_said_by("logboom.store.wal.segment", caplog)
        reported = [each.bytes for each in said if each.msg == DAMAGE]
        torn = size - max((end for end in ends if end <= size), default=size)
        assert reported == ([torn] if torn else [])
        assert (tmp_path / "000000000001.wal").stat().st_size == size - torn


@pytest.mark.parametrize("size", [1, 19, 64, 5000])
@pytest.mark.parametrize("filler", [b"\x00", b"\xff", MARK[:1], MARK])
def test_litter_after_a_record_is_no_record(
    read: Callable[[bytes], list[WalRecord]], filler: bytes, size: int
) -> None:
    data, ends = encode_segment(PAYLOADS)
    litter = (filler * size)[:size]
    for whole, end in enumerate(ends):
        assert read(data[:end] + litter) == list_records(PAYLOADS)[:whole]
        assert read(data[:end] + litter + data[end:]) == list_records(PAYLOADS)


def test_old_records_and_those_of_other_segments_are_no_records(
    read: Callable[[bytes], list[WalRecord]],
) -> None:
    data, ends = encode_segment(PAYLOADS)
    foreign = encode_record(len(PAYLOADS) + 1, b"foreign", mark=b"\x01" * 8)
    for whole, end in enumerate(ends):
        stale = data[HEADER_BYTES:end]
        assert read(data[:end] + foreign) == list_records(PAYLOADS)[:whole]
        assert read(data[:end] + stale) == list_records(PAYLOADS)[:whole]
        assert read(data[:end] + stale + data[end:]) == list_records(PAYLOADS)


def test_a_flipped_bit_costs_at_most_the_record_it_is_in(
    read: Callable[[bytes], list[WalRecord]], caplog: pytest.LogCaptureFixture
) -> None:
    data, ends = encode_segment(SMALL)
    expected = list_records(SMALL)
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        found = read(bytes(flipped))
        if bit // 8 < HEADER_BYTES:
            assert found == expected
            continue
        hit = sum(end <= bit // 8 for end in ends)
        assert found == [record for record in expected if record.seq != hit]
        said = list_said_by("logboom.store.wal.segment", caplog)
        assert [each.msg for each in said] == [DAMAGE]


def test_damage_at_random_never_gives_a_record_that_was_not_written(
    read: Callable[[bytes], list[WalRecord]], caplog: pytest.LogCaptureFixture
) -> None:
    data, _ = encode_segment(PAYLOADS)
    dice = random.Random(11)
    for _ in range(500):
        damaged = bytearray(data)
        start = dice.randrange(HEADER_BYTES, len(data))
        damaged[start : start + dice.randrange(1, 60)] = dice.randbytes(dice.randrange(60))
        found = read(bytes(damaged))
        lost = [record for record in list_records(PAYLOADS) if record not in found]
        assert found == [record for record in list_records(PAYLOADS) if record not in lost]
        assert not lost or list_said_by("logboom.store.wal.segment", caplog)


def test_a_damaged_middle_record_is_reported_and_the_later_ones_kept(
    read: Callable[[bytes], list[WalRecord]], caplog: pytest.LogCaptureFixture
) -> None:
    data, ends = encode_segment(PAYLOADS)
    damaged = data[: ends[2]] + bytes(ends[3] - ends[2]) + data[ends[3] :]
    assert [record.seq for record in read(damaged)] == [1, 2, 4, 5]
    (report,) = list_said_by("logboom.store.wal.segment", caplog)
    assert (report.offset, report.bytes) == (ends[2], ends[3] - ends[2])


def test_either_copy_of_the_header_will_do() -> None:
    header = Header(MARK, 2**40)
    data = encode_header(header)
    half = len(data) // 2
    assert decode_header(data) == header
    assert decode_header(bytes(half) + data[half:]) == header
    assert decode_header(data[:half] + bytes(half)) == header
    assert decode_header(bytes(len(data))) is None


def test_a_client_cannot_write_a_record_into_its_lines(
    read: Callable[[bytes], list[WalRecord]],
) -> None:
    forged = b"".join(encode_record(seq, b"forged", mark=b"guessed!") for seq in range(2, 50))
    data, ends = encode_segment([b"first", forged, b"third"])
    flipped = bytearray(data)
    flipped[ends[1] + 10] ^= 1
    assert read(bytes(flipped)) == [WalRecord(1, b"first"), WalRecord(3, b"third")]

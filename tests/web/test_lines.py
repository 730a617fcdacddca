"""Chunks of whole lines: nothing lost, no line cut but the one that is too long."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.web.lines import BOM, CHUNK_BYTES, MAX_LINE_BYTES, LineChunker

LONG = MAX_LINE_BYTES


def chunk(pieces: Sequence[bytes]) -> list[bytes]:
    """Every chunk of a stream, the last one being what was left at its end."""
    chunker = LineChunker()
    chunks = [each for piece in pieces for each in chunker.feed(piece)]
    return [*chunks, chunker.finish()]


def split_at(data: bytes, places: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(
    lengths=st.lists(st.sampled_from([0, 1, 2, 300_000, 1_200_000]), max_size=8),
    ends=st.booleans(),
    places=st.lists(st.integers(0, 10**7), max_size=12),
)
def test_chunks_are_the_stream_and_each_ends_with_a_line(
    lengths: list[int], ends: bool, places: list[int]
) -> None:
    data = b"\n".join(b"x" * length for length in lengths) + b"\n" * ends
    *chunks, rest = chunk(split_at(data, places))
    assert b"".join(chunks) + rest == data
    assert all(each.endswith(b"\n") for each in chunks)
    assert all(len(each) <= 3 * CHUNK_BYTES for each in chunks)
    assert len(rest) <= 3 * CHUNK_BYTES


@given(
    start=st.sampled_from([b"", BOM, BOM + BOM, b"\xef", b"\xef\xbb", b"\xbb\xbf"]),
    rest=st.sampled_from([b"", b"\n", b'{"a":1}\n', b"text" + BOM]),
    places=st.lists(st.integers(0, 12), max_size=6),
)
def test_one_byte_order_mark_at_the_beginning_is_left_out_however_it_is_split(
    start: bytes, rest: bytes, places: list[int]
) -> None:
    data = start + rest
    assert b"".join(chunk(split_at(data, places))) == data.removeprefix(BOM)


@given(
    charset=st.sampled_from(["utf-16-le", "utf-16-be"]),
    text=st.text(st.sampled_from("a\nü𝄞\ud834\udd1e\ufeff"), max_size=12),
    rest=st.sampled_from([b"", b"\n"]),
    places=st.lists(st.integers(0, 40), max_size=6),
)
def test_utf_16_becomes_utf_8_however_it_is_split(
    charset: str, text: str, rest: bytes, places: list[int]
) -> None:
    data = f"\ufeff{text}".encode(charset, "surrogatepass")
    expected = data.decode(charset, "surrogatepass").removeprefix("\ufeff")
    found = b"".join(chunk(split_at(data + rest, places)))
    assert found == expected.encode("utf-8", "surrogatepass") + rest


@pytest.mark.parametrize("piece", [60_000, 5 * CHUNK_BYTES + 3, 50 * CHUNK_BYTES])
@pytest.mark.parametrize("excess", [0, 1, CHUNK_BYTES])
def test_an_overlong_line_is_cut_at_the_limit_and_its_neighbours_stay(
    piece: int, excess: int
) -> None:
    data = b"before\n" + b"x" * (LONG + excess) + b"\nafter\n" + b"y" * (LONG + excess)
    pieces = [data[start : start + piece] for start in range(0, len(data), piece)]
    found = b"".join(chunk(pieces)).split(b"\n")
    assert found == [b"before", b"x" * LONG, b"after", b"y" * LONG]


def test_an_endless_line_is_held_only_up_to_the_limit() -> None:
    chunker = LineChunker()
    for _ in range(3 * LONG // CHUNK_BYTES):
        assert list(chunker.feed(b"x" * CHUNK_BYTES)) == []
    assert len(chunker.finish()) == LONG


def test_an_empty_stream_has_no_lines() -> None:
    assert chunk([]) == [b""]
    assert chunk([b"", b""]) == [b""]

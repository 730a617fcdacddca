"""Content encodings: whole bodies come out as they went in, broken ones are refused, bombs stay small."""

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache

import brotli
import cramjam
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.errors import Invalid, TooLarge, UnsupportedEncoding
from logboom.web.encodings import (
    PIECE_BYTES,
    RATIO_FREE_BYTES,
    RATIO_LIMIT,
    BodyDecoder,
)
from logboom.web.snappy import MAX_BLOCK_BYTES, SNAPPY_STREAM

TEXT = b"".join(b'{"message":"line %d","level":"info"}\n' % number for number in range(2_000))
MIB = 1024 * 1024
LARGEST_PIECE_BYTES = 64 * MIB


def deflate_raw(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def skip_frame(data: bytes) -> bytes:
    """A zstd frame that decoders pass over."""
    return struct.pack("<II", 0x184D2A50, len(data)) + data


def compress_block(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def compress_stream(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress(data))


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("identity", bytes),
    "absent": ("", bytes),
    "none": ("none", bytes),
    "gzip": ("gzip", gzip.compress),
    "gzip members": ("gzip", lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:])),
    "old gzip name": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", deflate_raw),
    "zlib": ("zlib", zlib.compress),
    "zstd": ("zstd", zstandard.compress),
    "zstd frames": (
        "zstd",
        lambda data: (
            zstandard.compress(data[:99]) + skip_frame(b"xyz") + zstandard.compress(data[99:])
        ),
    ),
    "br": ("br", lambda data: brotli.compress(data, quality=4)),
    "snappy": ("snappy", compress_block),
    "snappy stream": ("snappy", compress_stream),
    "snappy streams": (
        "snappy",
        lambda data: (
            SNAPPY_STREAM
            + compress_stream(data[:99])
            + b"\x80\x03\0\0xyz"
            + compress_stream(data[99:])
        ),
    ),
}
COMPRESSED = {name: pair for name, pair in ENCODERS.items() if pair[1] is not bytes}
BOMBS = {name: COMPRESSED[name] for name in ("gzip", "raw deflate", "zstd", "br")}

each_encoding = pytest.mark.parametrize(("encoding", "encode"), ENCODERS.values(), ids=ENCODERS)
each_compression = pytest.mark.parametrize(
    ("encoding", "encode"), COMPRESSED.values(), ids=COMPRESSED
)
each_bomb = pytest.mark.parametrize(("encoding", "encode"), BOMBS.values(), ids=BOMBS)


def split(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def decode(encoding: str, data: bytes, size: int) -> bytes:
    """What a body fed in pieces of `size` bytes decodes to."""
    decoder = BodyDecoder(encoding)
    decoded = b"".join(piece for part in split(data, size) for piece in decoder.feed(part))
    return decoded + b"".join(decoder.finish())


@each_encoding
@pytest.mark.parametrize("size", [1, 7, 1024, 1025, 1 << 20])
def test_a_body_comes_out_as_it_went_in_however_it_is_cut(
    encoding: str, encode: Callable[[bytes], bytes], size: int
) -> None:
    assert decode(encoding, encode(TEXT), size) == TEXT


@given(data=st.binary(max_size=300), size=st.integers(1, 50), encoder=st.sampled_from([*ENCODERS]))
def test_any_bytes_come_out_as_they_went_in(data: bytes, size: int, encoder: str) -> None:
    encoding, encode = ENCODERS[encoder]
    assert decode(encoding, encode(data), size) == data


@each_encoding
def test_an_empty_body_needs_no_header_nor_trailer(
    encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    assert decode(encoding, b"", 1) == b""
    assert decode(encoding, encode(b""), 1) == b""


@each_compression
@pytest.mark.parametrize("excess", [-1, 0, 1, 37, 100, 258])
def test_a_body_that_ends_where_a_piece_is_full_is_whole(
    encoding: str, encode: Callable[[bytes], bytes], excess: int
) -> None:
    length = PIECE_BYTES + excess
    assert decode(encoding, encode(bytes(length)), 1 << 20) == bytes(length)


@each_compression
def test_a_body_cut_anywhere_is_refused(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    text = TEXT[:300]
    encoded = encode(text)
    for length in range(1, len(encoded)):
        try:
            decoded = decode(encoding, encoded[:length], 50)
        except Invalid:
            continue
        assert decoded in (text[:99], b""), "only between two members a cut cannot be seen"


@each_compression
@pytest.mark.parametrize(
    "garbage", [b"\x01", b"plain text, no more", b'{"message":"plain"}\n', b"\xff" * 5_000]
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_garbage_is_refused(
    encoding: str, encode: Callable[[bytes], bytes], garbage: bytes, size: int
) -> None:
    with pytest.raises(Invalid, match=r"not valid|truncated"):
        decode(encoding, garbage, size)


@each_compression
def test_garbage_after_the_end_is_refused(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Invalid, match=r"not valid|truncated"):
        decode(encoding, encode(TEXT) + b"garbage", 1 << 20)


@each_compression
def test_a_damaged_body_is_refused_or_still_text_but_never_a_crash(
    encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    encoded = bytearray(encode(TEXT[:2_000]))
    for place in range(0, len(encoded), 5):
        damaged = bytes(encoded[:place]) + bytes([encoded[place] ^ 0x55]) + encoded[place + 1 :]
        try:
            decode(encoding, bytes(damaged), 1 << 20)
        except (Invalid, TooLarge):
            continue


@each_bomb
@pytest.mark.parametrize("size", [100, 1 << 20])
def test_a_bomb_is_refused_before_it_fills_the_memory(
    encoding: str, encode: Callable[[bytes], bytes], size: int
) -> None:
    bomb = make_bomb(encode)
    sizes: list[int] = []
    with pytest.raises(TooLarge, match="inflates more than"):
        decode_sizes(encoding, bomb, size, sizes)
    assert sum(sizes) <= max(RATIO_FREE_BYTES, RATIO_LIMIT * len(bomb))
    assert max(sizes) <= LARGEST_PIECE_BYTES


@cache
def make_bomb(encode: Callable[[bytes], bytes]) -> bytes:
    return encode(bytes((256 if encode is zstandard.compress else 128) * MIB))


def decode_sizes(encoding: str, data: bytes, size: int, sizes: list[int]) -> None:
    """Decode and keep nothing but how large the pieces were."""
    decoder = BodyDecoder(encoding)
    for part in split(data, size):
        sizes.extend(len(piece) for piece in decoder.feed(part))


@each_bomb
def test_what_compresses_well_is_no_bomb(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    assert len(decode(encoding, encode(bytes(16 * MIB)), 1 << 20)) == 16 * MIB


def test_a_zstd_frame_that_asks_for_too_large_a_window_is_refused() -> None:
    magic, no_size_any_window, empty_block = b"\x28\xb5\x2f\xfd", b"\x00", b"\x01\x00\x00"
    window_of_8_mib, window_of_9_mib = b"\x68", b"\x69"
    assert decode("zstd", magic + no_size_any_window + window_of_8_mib + empty_block, MIB) == b""
    with pytest.raises(Invalid, match="not valid zstd"):
        decode("zstd", magic + no_size_any_window + window_of_9_mib + empty_block, MIB)


def test_a_snappy_block_that_announces_too_much_is_refused_before_it_is_whole() -> None:
    head = b"\x81\x80\x80\x40"  # one byte more than allowed
    assert int(cramjam.snappy.decompress_raw_len(head)) == MAX_BLOCK_BYTES + 1
    decoder = BodyDecoder("snappy")
    with pytest.raises(TooLarge, match="announces"):
        list(decoder.feed(head + b"\x00" * 10))


def test_a_snappy_block_longer_than_it_can_be_is_refused_before_it_is_whole() -> None:
    decoder = BodyDecoder("snappy")
    assert list(decoder.feed(compress_block(b"x" * 60))) == []
    with pytest.raises(Invalid, match="longer than it announces"):
        list(decoder.feed(bytes(200)))


@pytest.mark.parametrize("chunk", [b"\x02\x01\0\0x", b"\x01\x05\0\0wrong", b"\x00\0\0\0"])
def test_a_wrong_chunk_of_a_snappy_stream_is_refused(chunk: bytes) -> None:
    with pytest.raises(Invalid, match="not valid snappy"):
        decode("snappy", SNAPPY_STREAM + chunk, 1 << 20)


@pytest.mark.parametrize("encoding", ["GZIP", " gzip ", "Gzip"])
def test_an_encoding_may_be_written_in_any_case(encoding: str) -> None:
    assert decode(encoding, gzip.compress(TEXT), 1 << 20) == TEXT


@together(
    "encoding", ["x-snappy", "compress", "gzip, gzip", "gzip,br", "identity, gzip", "*", "utf-8"]
)
def test_an_unknown_or_a_double_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(UnsupportedEncoding, match="expected one of identity, none, gzip"):
        BodyDecoder(encoding)

"""Block indexes: what goes in comes out, and damage is never taken for an answer."""

import msgspec
import pytest
import zstandard

from logboom.base.errors import Corrupt, TooNew
from logboom.base.versions import INDEX as KNOWN
from logboom.model.summary import ColumnSummary
from logboom.store.block.encoding import decode_index, encode_index
from logboom.store.block.index import BlockIndex, IndexPart

INDEX = BlockIndex(
    rows=5,
    first_ns=-1,
    last_ns=2**62,
    indexes={"default": IndexPart(3, -1, 10), "web": IndexPart(2, 0, 2**62)},
    columns={
        "message": ColumnSummary(5, trigrams=bytes(range(64))),
        "level": ColumnSummary(4, values=[("info", 3), ("Error", 1)]),
        "n:int": ColumnSummary(5, bloom=bytes(range(40)), low=-3, high=2**40),
        "f:float": ColumnSummary(1, values=[(0.5, 1)], low=0.5, high=0.5),
    },
    overflow_rows=1,
)


def test_an_index_is_read_as_it_was_written() -> None:
    assert decode_index(encode_index(INDEX), "a.index") == INDEX


def test_a_flipped_bit_gives_the_same_index_or_is_refused() -> None:
    data = encode_index(INDEX)
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            found = decode_index(bytes(flipped), "a.index")
        except Corrupt:
            continue
        assert found == INDEX


def test_a_cut_index_is_refused_by_name() -> None:
    data = encode_index(INDEX)
    for size in range(len(data)):
        with pytest.raises(Corrupt, match=r"a\.index is damaged"):
            decode_index(data[:size], "a.index")


@pytest.mark.parametrize("content", [b"", b"not msgpack \xc1", msgspec.msgpack.encode({"rows": 1})])
def test_what_is_no_index_is_refused(content: bytes) -> None:
    with pytest.raises(Corrupt, match="not a block index"):
        decode_index(zstandard.compress(content), "a.index")


def test_an_index_of_a_newer_major_version_is_refused() -> None:
    alike = msgspec.to_builtins(INDEX) | {"format": KNOWN.major + 1}
    other = {"format": KNOWN.major + 1, "rows": "in other words"}
    for members in (alike, other):
        data = zstandard.compress(msgspec.msgpack.encode(members))
        with pytest.raises(
            TooNew, match=r"a\.index has format version 3\.[01], .* reads up to 2\.1"
        ):
            decode_index(data, "a.index")


def test_an_index_of_a_newer_minor_version_is_read() -> None:
    packed = msgspec.msgpack.decode(msgspec.msgpack.encode(INDEX))
    members = packed | {"minor": KNOWN.minor + 1, "invented": ["later"]}
    data = zstandard.compress(msgspec.msgpack.encode(members))
    assert decode_index(data, "a.index").columns == INDEX.columns

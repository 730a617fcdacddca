from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from logboom.base.pages import Pages, check_pages
from logboom.model.filters.bits import Bits
from logboom.model.filters.bloom import (
    PART_BYTES,
    WholeBloom,
    choose_part,
    count_parts,
    has_bits,
    read_part,
)
from logboom.model.summary import PROBES, ColumnSummary, hash_value, make_bloom
from logboom.store.block.encoding import INLINE_BYTES, ShortHeader, decode_index, encode_index
from logboom.store.block.index import BlockIndex

ReadPages = Callable[[Pages, int, int], bytes]


def make_index(
    columns: dict[str, ColumnSummary], zones: list[BlockIndex] | None = None
) -> BlockIndex:
    return BlockIndex(10, 1, 2, {}, columns, 0, zones=zones or [])


class Stored:
    """An index as a file, and which bytes were read of it."""

    def __init__(self, index: BlockIndex) -> None:
        self.data = encode_index(index)
        self.reads: list[tuple[int, int]] = []

    def read(self, pages: Pages, start: int, end: int) -> bytes:
        self.reads.append((start, end))
        body = self.data[pages.start : pages.start + pages.size_bytes]
        check_pages(pages, 0, -(-len(body) // 16384), body)
        return body[start:end]

    def decode(self) -> BlockIndex:
        return decode_index(self.data, "a.index", self.read)


def list_bits(index: BlockIndex) -> list[bytes | None]:
    return [
        None if bits is None else bits[:]
        for zone in index.zones or [index]
        for summary in zone.columns.values()
        for bits in (summary.bloom, summary.trigrams, summary.long_words)
    ]


SIZES = st.one_of(st.integers(8, 767), st.integers(2, 60).map(lambda parts: parts * PART_BYTES))
FILTERS = st.builds(
    lambda count, bloom, trigrams, words: ColumnSummary(
        count, bloom=bloom, trigrams=trigrams, long_words=words
    ),
    st.integers(1, 9),
    st.none() | SIZES.map(lambda size: bytes(range(256)) * (size // 256) + bytes(size % 256)),
    st.none() | st.integers(6, 15).map(lambda power: b"t" * 2**power),
    st.none() | st.integers(0, 5000).map(lambda size: b"w" * size),
)
ZONES = st.lists(st.dictionaries(st.sampled_from("abcd"), FILTERS).map(make_index), max_size=8)


@given(ZONES)
@settings(max_examples=60)
def test_filters_come_back_as_they_were(zones: list[BlockIndex]) -> None:
    index = make_index({"a": ColumnSummary(3)}, zones)
    assert list_bits(Stored(index).decode()) == list_bits(index)


def fill_zones(count: int, values: int) -> list[BlockIndex]:
    return [
        make_index(
            {"id": ColumnSummary(values, bloom=make_bloom([f"{zone}-{n}" for n in range(values)]))}
        )
        for zone in range(count)
    ]


def test_small_filters_are_part_of_the_header() -> None:
    stored = Stored(make_index({}, fill_zones(3, 200)))
    assert stored.decode().sections == []
    assert stored.decode().zones[0].columns["id"].may_hold("0-7")
    assert stored.reads == []


def test_a_value_is_looked_up_in_all_zones_by_one_read() -> None:
    zones = fill_zones(20, 4000)
    stored = Stored(make_index({}, zones))
    assert len(stored.data) > INLINE_BYTES
    index = stored.decode()
    found = [zone.columns["id"].may_hold("7-123") for zone in index.zones]
    assert found == [zone.columns["id"].may_hold("7-123") for zone in zones]
    assert found[7]
    ((start, end),) = stored.reads
    assert end - start <= 2 * len(zones) * PART_BYTES


def test_zones_of_different_sizes_are_looked_up_by_one_read_too() -> None:
    zones = [zone for count in (4000, 900, 3000, 50) for zone in fill_zones(4, count)]
    stored = Stored(make_index({}, zones))
    index = stored.decode()
    for value in ("1-17", "3-2999", "absent"):
        stored.reads.clear()
        wanted = [zone.columns["id"].may_hold(value) for zone in zones]
        assert [zone.columns["id"].may_hold(value) for zone in index.zones] == wanted
        assert len(stored.reads) <= 2


def test_a_block_without_zones_has_its_filters_behind_it_too() -> None:
    (zone,) = fill_zones(1, 40_000)
    stored = Stored(zone)
    summary = stored.decode().columns["id"]
    assert summary.may_hold("0-39999")
    assert not summary.may_hold("absent") or not summary.may_hold("nowhere")
    assert sum(end - start for start, end in stored.reads) <= 2 * PART_BYTES


def test_filters_that_cannot_be_read_deny_nothing() -> None:
    stored = Stored(make_index({}, fill_zones(20, 4000)))
    data = bytearray(stored.data)
    data[-1] ^= 1
    stored.data = bytes(data)
    index = stored.decode()
    assert all(zone.columns["id"].may_hold("absent") for zone in index.zones)


def test_a_header_can_be_read_before_the_rest_and_says_when_it_is_short() -> None:
    stored = Stored(make_index({}, fill_zones(20, 4000)))
    header_bytes = next(
        size for size in range(1, len(stored.data)) if is_complete(stored.data[:size])
    )
    assert header_bytes < len(stored.data) // 4
    index = decode_index(stored.data[:header_bytes], "a.index", stored.read)
    assert index.zones[3].columns["id"].may_hold("3-3999")


def is_complete(data: bytes) -> bool:
    try:
        decode_index(data, "a.index")
    except ShortHeader:
        return False
    return True


def test_an_index_whose_filters_are_not_read_denies_nothing() -> None:
    index = decode_index(Stored(make_index({}, fill_zones(20, 4000))).data, "a.index")
    assert index.zones[0].columns["id"].may_hold("absent")


@given(st.integers(1, 30_000), st.integers(0, 10))
@settings(max_examples=30)
def test_all_bits_of_a_value_are_in_one_part(count: int, pick: int) -> None:
    value = str(pick % count)
    bloom = make_bloom([str(number) for number in range(count)])
    part, parts = read_part(bloom, hash_value(value)), count_parts(len(bloom))
    assert len(part) * parts == len(bloom)
    at = choose_part(parts, hash_value(value)) * len(part)
    assert bloom[at : at + len(part)] == part
    assert has_bits(part, hash_value(value), PROBES)


def test_filters_of_the_first_version_have_one_part() -> None:
    bloom = bytearray(4096)
    hash = hash_value("value")
    for probe in range(PROBES):
        bit = ((hash & 0xFFFFFFFF) + probe * (hash >> 32 | 1)) % (4096 * 8)
        bloom[bit >> 3] |= 1 << (bit & 7)
    found: Bits = WholeBloom(bloom)
    assert ColumnSummary(1, bloom=found).may_hold("value")
    assert not ColumnSummary(1, bloom=found).may_hold("another")


def test_on_a_local_disk_a_section_is_read_at_once() -> None:
    stored = Stored(make_index({}, fill_zones(20, 4000)))
    index = decode_index(stored.data, "a.index", stored.read, is_local=True)
    for value in ("7-123", "absent", "3-3999"):
        found = [zone.columns["id"].may_hold(value) for zone in index.zones]
        assert found == [zone.columns["id"].may_hold(value) for zone in fill_zones(20, 4000)]
    assert len(stored.reads) == 1

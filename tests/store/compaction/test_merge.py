"""Merging: the same events in fewer blocks, in bounded memory, and nothing left behind by a merge that ends early."""

import errno
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import IO, Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.model.strategies import lines
from tests.properties import examples
from tests.store.stores import NOW_NS, make_batch
from tests.store.test_block_writer import (
    CORE,
    Workplace,
    check_index,
    encode_lines,
)

from logboom.base.errors import Corrupt
from logboom.base.stores.local import LocalObjects
from logboom.base.versions import BLOCK, PRECISE_BLOCK, Version
from logboom.model.columns import parse_column
from logboom.model.summary import summarise
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import STORED_TIMES, measure_memory
from logboom.store.compaction import groups, merge, rows
from logboom.store.compaction.merge import Merger
from logboom.store.compaction.rows import Cursor, RowMerger, WaitingRows
from logboom.store.integrity.rebuild import rebuild_index

SMALL_ZONE_ROWS = 7
ORDER = ("_time", "_node", "_seq")


@pytest.fixture
def small_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make zones and batches small, so that a few rows are enough to fill several."""
    monkeypatch.setattr(rows, "ZONE_ROWS", SMALL_ZONE_ROWS)
    monkeypatch.setattr(rows, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(rows, "BATCH_ROWS", 3)
    monkeypatch.setattr(rows, "MAX_PIECES", 4)


def merge_all(place: Workplace, inputs: list[BlockInfo]) -> list[BlockInfo]:
    return Merger(place.objects, place.writer).merge(inputs, lambda: None)


def read_all(place: Workplace, blocks: list[BlockInfo]) -> pl.DataFrame:
    frame = pl.concat([place.read(block) for block in blocks], how="diagonal")
    return frame.select(sorted(frame.columns)).sort(*ORDER)


def read_events(place: Workplace, blocks: list[BlockInfo]) -> dict[tuple[Any, ...], str]:
    """Every event as it came in, by what its id is made of."""
    events: dict[tuple[Any, ...], str] = {}
    for block in blocks:
        keys = place.read(block).select(*ORDER).rows()
        for key, raw in zip(keys, place.read_raw(block), strict=True):
            assert key not in events, "no event is there twice"
            events[key] = raw
    return events


def check_merged(place: Workplace, inputs: list[BlockInfo], merged: list[BlockInfo]) -> None:
    before, after = read_all(place, inputs), read_all(place, merged)
    assert after.equals(before)
    assert read_events(place, merged) == read_events(place, inputs)
    for block in merged:
        frame = place.read(block)
        assert frame.equals(frame.sort(*ORDER))
        index = place.read_index(block)
        assert (block.rows, block.first_ns, block.last_ns) == (
            index.rows,
            index.first_ns,
            index.last_ns,
        )
        if not index.zones:
            check_index(frame, index)
            continue
        assert sum(zone.rows for zone in index.zones) == frame.height
        start = 0
        for zone in index.zones:
            part = frame.slice(start, zone.rows)
            absent = set(frame.columns) - set(zone.columns) - set(CORE)
            assert all(part[name].null_count() == zone.rows for name in absent)
            check_index(part.drop(absent), zone)
            start += zone.rows
        for name, summary in index.columns.items():
            whole = summarise(parse_column(name), frame[name].drop_nulls().to_list())
            counted = whole.values and dict(whole.values)
            assert (summary.count, summary.low, summary.high) == (
                whole.count,
                whole.low,
                whole.high,
            )
            assert (summary.values and dict(summary.values)) == counted


def group_by_day(blocks: list[BlockInfo]) -> list[list[BlockInfo]]:
    by_day: defaultdict[int, list[BlockInfo]] = defaultdict(list)
    for block in blocks:
        by_day[block.day].append(block)
    return list(by_day.values())


@settings(
    max_examples=examples(20),
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    batches=st.lists(
        st.tuples(st.lists(lines, min_size=1, max_size=12), st.integers(0, 3)),
        min_size=1,
        max_size=6,
    ),
    max_fields=st.sampled_from([2, 4, 2000]),
)
@pytest.mark.usefixtures("small_zones")
def test_any_events_in_any_blocks_are_the_same_when_merged(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[tuple[list[bytes], int]],
    max_fields: int,
) -> None:
    place = Workplace(tmp_path_factory.mktemp("merge"), max_fields)
    inputs = []
    for number, (texts, later) in enumerate(batches):
        batch = make_batch(b"\n".join(texts), arrival_ns=NOW_NS + later, index=f"i{number % 2}")
        if len(batch):
            batch.first_seq = (number + 1) << 24
            inputs += place.writer.write([batch])
    for of_day in group_by_day(inputs):
        merged = merge_all(place, of_day)
        check_merged(place, of_day, merged)
        assert {block.level for block in merged} == {1}
        assert {block.last_seq for block in merged} == {max(block.last_seq for block in of_day)}
        again = merge_all(place, merged)
        check_merged(place, of_day, again)
        assert {block.level for block in again} == {2}


def write_blocks(place: Workplace, *lots: list[dict[str, Any]]) -> list[BlockInfo]:
    inputs = []
    for number, events in enumerate(lots):
        batch = make_batch(encode_lines(*events))
        batch.first_seq = (number + 1) << 24
        inputs += place.writer.write([batch])
    return inputs


@pytest.mark.usefixtures("small_zones")
def test_blocks_that_overlap_in_time_are_interleaved(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(
        place,
        *([{"ts": NOW_NS + 10 * at + lot, "lot": lot} for at in range(20)] for lot in range(6)),
    )
    (merged,) = merge_all(place, inputs)
    check_merged(place, inputs, [merged])
    assert len(place.read_index(merged).zones) > 10


@pytest.mark.usefixtures("small_zones")
def test_blocks_that_do_not_fit_beside_each_other_make_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_OPEN_COLUMNS", 30)
    place = Workplace(tmp_path)
    inputs = write_blocks(
        place,
        *([{"ts": NOW_NS + 10 * at + lot, "lot": lot} for at in range(20)] for lot in range(7)),
    )
    merged = merge_all(place, inputs)
    assert 1 < len(merged) < 7
    check_merged(place, inputs, merged)


def test_events_without_a_common_field_do_not_make_blocks_of_endless_columns(
    tmp_path: Path,
) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(
        place, *([{f"lot{lot}_{name}": 1 for name in range(900)}] for lot in range(5))
    )
    merged = merge_all(place, inputs)
    assert len(merged) == 3
    assert max(len(place.read_index(block).columns) for block in merged) <= 2000
    check_merged(place, inputs, merged)


def test_blocks_with_values_beyond_their_columns_do_not_spoil_the_others(tmp_path: Path) -> None:
    place = Workplace(tmp_path, max_fields=4)
    inputs = write_blocks(place, [{"a": 1}], [{"a": 1, "b": 2, "c": 3, "d": 4}], [{"b": 2}])
    merged = merge_all(place, inputs)
    assert sorted(place.read_index(block).overflow_rows for block in merged) == [0, 1]
    check_merged(place, inputs, merged)


def test_blocks_are_no_larger_than_they_should_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "ZONE_ROWS", 10)
    for module in (groups, merge):
        monkeypatch.setattr(module, "MAX_ROWS", 25)
    place = Workplace(tmp_path)
    inputs = write_blocks(
        place,
        *([{"ts": NOW_NS + 100 * lot + at, "x": at} for at in range(12)] for lot in range(5)),
    )
    merged = merge_all(place, inputs)
    assert [block.rows for block in merged] == [24, 24, 12]
    check_merged(place, inputs, merged)


def test_rows_much_larger_than_those_before_begin_a_block_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (rows, merge):
        monkeypatch.setattr(module, "ZONE_BYTES", 100_000)
    place = Workplace(tmp_path)
    small = [{"ts": NOW_NS + at, "message": "x" * 30} for at in range(3000)]
    large = [{"ts": NOW_NS + 5000 + at, "message": f"{at}" * 30_000} for at in range(20)]
    inputs = write_blocks(place, small, large)
    merged = merge_all(place, inputs)
    assert len(merged) > 1
    check_merged(place, inputs, merged)


@pytest.mark.parametrize(
    ("one_ns", "other_ns", "version"),
    [(0, 5_000_000, BLOCK), (0, 5, PRECISE_BLOCK), (7, 5_000_000, PRECISE_BLOCK)],
)
def test_a_merged_block_has_times_as_precise_as_all_of_its_events(
    tmp_path: Path, one_ns: int, other_ns: int, version: Version
) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(place, [{"ts": NOW_NS + one_ns}], [{"ts": NOW_NS + other_ns}])
    [merged] = merge_all(place, inputs)
    assert merged.version == version
    assert pl.read_parquet_schema(tmp_path / merged.path)["_time"] == STORED_TIMES[version]
    assert place.read(merged)["_time"].to_list() == sorted([NOW_NS + one_ns, NOW_NS + other_ns])


def test_the_time_may_be_stored_as_a_timestamp(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(place, [{"ts": NOW_NS + 1}], [{"ts": NOW_NS}])
    before = read_all(place, inputs)
    path = tmp_path / inputs[0].path
    cast = pl.read_parquet(path).with_columns(pl.col("_time").cast(pl.Datetime("ns", "UTC")))
    cast.write_parquet(path)
    merged = merge_all(place, [inputs[0]._replace(checksum=None), inputs[1]])
    assert read_all(place, merged).equals(before)


def test_shapes_that_hardly_repeat_are_stored_in_parts_and_others_whole(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    many: list[dict[str, Any]] = [
        {f"a,{number % 7}": number, f"b{number % 11}": {"": 1, "c,d": [2]}, "e": None}
        for number in range(60)
    ]
    few: list[dict[str, Any]] = [{"f": number} for number in range(60)]
    for lot, expected in ((many, [None]), (few, ['{"f":i}'])):
        inputs = write_blocks(place, lot[:30], lot[30:])
        merged = merge_all(place, inputs)
        check_merged(place, inputs, merged)
        check_merged(place, inputs, merge_all(place, merged))
        (block,) = merged
        stored = place.objects.use(block.path, pl.read_parquet)
        assert stored["_shape"].unique().to_list() == expected
        assert ("_shape_parts" in stored.columns) == (expected == [None])
        assert rebuild_index(place.objects, block).columns == place.read_index(block).columns


class Ended(Exception):
    """Somebody else needs the machine."""


@pytest.mark.usefixtures("small_zones")
def test_a_merge_that_is_ended_at_any_moment_leaves_nothing_behind(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(
        place, *([{"ts": NOW_NS + 9 * at + lot} for at in range(9)] for lot in range(3))
    )
    files = place.list_files()
    calls = 0
    while True:
        left = calls

        def give_way() -> None:
            nonlocal left
            if not left:
                raise Ended
            left -= 1

        try:
            merged = Merger(place.objects, place.writer).merge(inputs, give_way)
        except Ended:
            assert place.list_files() == files
            calls += 1
            continue
        break
    assert calls > 15, "it was asked often"
    check_merged(place, inputs, merged)


class FullDisk(LocalObjects):
    """Takes so many bytes of a file, and no more."""

    room_bytes = 0

    def put_written(self, name: str, write: Any) -> Any:
        room = self.room_bytes

        class Limited:
            def __init__(self, file: IO[bytes]) -> None:
                self.file = file

            def write(self, data: bytes) -> int:
                nonlocal room
                room -= len(data)
                if room < 0:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return self.file.write(data)

        return super().put_written(name, lambda file: write(Limited(file)))


@pytest.mark.parametrize("room_bytes", [0, 4, 100, 1000])
def test_a_full_disk_ends_a_merge_and_leaves_nothing_behind(
    tmp_path: Path, room_bytes: int
) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(place, [{"a": 1}], [{"b": 2}])
    files = place.list_files()
    objects = FullDisk(tmp_path)
    objects.room_bytes = room_bytes
    place.writer._objects = objects
    with pytest.raises(OSError, match="No space left"):
        Merger(objects, place.writer).merge(inputs, lambda: None)
    assert place.list_files() == files


def test_damage_is_not_merged_into_a_block_that_looks_sound(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    inputs = write_blocks(place, [{"message": "abc"}], [{"message": "def"}])
    path = tmp_path / inputs[1].path
    data = bytearray(path.read_bytes())
    data[30] ^= 1
    path.write_bytes(data)
    files = place.list_files()
    with pytest.raises(Corrupt, match="checksum"):
        merge_all(place, inputs)
    assert place.list_files() == files


MEASURE = """
import json, sys, threading
from pathlib import Path
import msgspec
from tests.store.test_block_writer import Workplace
from logboom.store.block.info import BlockInfo
from logboom.store.compaction.merge import Merger

def read_rss():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

place = Workplace(Path(sys.argv[1]))
inputs = msgspec.json.decode(sys.stdin.read(), type=list[BlockInfo])
before = peak = read_rss()
def look():
    global peak
    peak = max(peak, read_rss())
merged = Merger(place.objects, place.writer).merge(inputs, look)
print(json.dumps([peak - before, sum(block.rows for block in merged), len(merged)]))
"""


def make_huge_messages() -> list[list[dict[str, Any]]]:
    """Much text that compresses to nothing, all of it at the same time of day."""
    return [
        [{"ts": NOW_NS + 100 * at + lot, "message": f"{lot}{at}" * 250_000} for at in range(10)]
        for lot in range(24)
    ]


def make_wide_events() -> list[list[dict[str, Any]]]:
    return [
        [
            {"ts": NOW_NS + 2000 * lot + at} | {f"f{at % 50}_{name}": "x" * 9 for name in range(20)}
            for at in range(2000)
        ]
        for lot in range(6)
    ]


@pytest.mark.parametrize("make", [make_huge_messages, make_wide_events])
def test_a_merge_takes_less_than_300_mb_whatever_blocks_hold(tmp_path: Path, make: Any) -> None:
    place = Workplace(tmp_path)
    inputs: list[BlockInfo] = []
    for lot in make():
        batch = make_batch(encode_lines(*lot))
        batch.first_seq = (len(inputs) + 1) << 24
        inputs += place.writer.write([batch])
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path)],
        input=json.dumps(inputs),
        capture_output=True,
        text=True,
        check=True,
    )
    grown_bytes, merged_rows, blocks = json.loads(run.stdout)
    assert merged_rows == sum(block.rows for block in inputs)
    assert blocks < len(inputs)
    assert grown_bytes < 300 << 20


def test_blocks_of_the_same_time_are_not_all_held_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As several late shippers make them; rows that wait and zones stay within their bounds."""
    monkeypatch.setattr(rows, "ROW_GROUP_ROWS", 200)
    monkeypatch.setattr(rows, "ZONE_BYTES", 300_000)
    monkeypatch.setattr(rows, "OPEN_BYTES", 800_000)
    place = Workplace(tmp_path)
    lots = [
        [
            {"ts": NOW_NS + 1000 * at + lot, "message": f"{lot} {at} " + "m" * 500}
            for at in range(600)
        ]
        for lot in range(16)
    ]
    inputs = write_blocks(place, *lots)
    held: list[float] = []
    zones: list[int] = []
    read, join = RowMerger._read, RowMerger._join

    def look_and_read(merger: RowMerger, cursor: Cursor) -> None:
        read(merger, cursor)
        held.append(merger._measure(merger._waiting))

    def look_and_join(merger: RowMerger, pieces: list[WaitingRows]) -> pl.DataFrame:
        frame = join(merger, pieces)
        zones.append(measure_memory(frame))
        return frame

    monkeypatch.setattr(RowMerger, "_read", look_and_read)
    monkeypatch.setattr(RowMerger, "_join", look_and_join)
    merged = merge_all(place, inputs)
    assert sum(block.rows for block in merged) == 16 * 600
    assert max(held) < 1_200_000
    assert max(zones) < 400_000

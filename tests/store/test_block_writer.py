"""Blocks: how events are split over files, and that the files and their indexes hold them exactly."""

import errno
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import google_crc32c
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.store.disk import failing
from tests.store.stores import NOW_NS, HandClock, make_batch

from logboom.base.clock import NS_PER_DAY, format_day
from logboom.base.stores.local import LocalObjects
from logboom.base.versions import BLOCK, PRECISE_BLOCK
from logboom.engine.answers.events import RowReader
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.columns import ColumnCache
from logboom.engine.blocks.events import EventCache
from logboom.model import rows as rows_module
from logboom.model.batch import Batch
from logboom.model.columns import Column, parse_column
from logboom.model.event import decode_line
from logboom.model.shredder import PythonShredder, open_shredder
from logboom.model.summary import ColumnSummary, needs_bloom
from logboom.store.block.encoding import decode_index
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import STORED_TIMES, read_block
from logboom.store.block.writer import BlockWriter, name_index
from logboom.store.wal.records import SEQ_SHIFT

CORE = ("_time", "_seq", "_index", "_shape", "_raw", "_rest", "_node", "_env", "_day")
DAY = NOW_NS // NS_PER_DAY
TIMES_NS = st.integers(10**17, 2**62) | st.integers(-(2**62), -(10**17))


class Workplace:
    """A writer and the directory it writes to."""

    def __init__(self, root: Path, max_fields: int = 2000) -> None:
        self.root = root
        self.objects = LocalObjects(root)
        self.shredders = open_shredder()
        self.writer = BlockWriter(self.objects, self.shredders, "node", HandClock(), max_fields)

    def write(self, *batches: Batch) -> list[BlockInfo]:
        for number, batch in enumerate(batches, 1):
            batch.first_seq = number << SEQ_SHIFT
        return self.writer.write(batches)

    def read(self, block: BlockInfo) -> pl.DataFrame:
        return read_block(self.objects.locate(block.path))

    def read_index(self, block: BlockInfo) -> BlockIndex:
        name = name_index(block.path)
        return decode_index(self.objects.read(name), name)

    def read_raw(self, block: BlockInfo) -> list[str]:
        """The events of a block as texts, in the order of its rows."""
        location = self.objects.locate(block.path)
        index = self.read_index(block)
        opened = Block(
            block,
            index,
            ColumnCache(0),
            EventCache(0),
            lambda _part, read: read(location),
            lambda: True,
        )
        rows = list(range(block.rows))
        reader = RowReader(opened, rows)
        return [reader.read_raw(row) for row in rows]

    def list_files(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*.*"))


def encode_lines(*events: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(event).encode() for event in events)


def test_a_flush_makes_one_file_for_each_environment_and_day(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    events = [
        {"ts": NOW_NS + day * NS_PER_DAY, "app": f"a{number}", "message": f"{day}/{number}"}
        for day in (0, -1, 1)
        for number in range(4)
    ]
    batches = [
        make_batch(encode_lines(*events), env=env, index="{{app}}")
        for env in ("default", "prod", "default")
    ]
    blocks = place.write(*batches)
    assert sorted((block.env, block.day) for block in blocks) == sorted(
        (env, DAY + day) for env in ("default", "prod") for day in (-1, 0, 1)
    )
    assert place.list_files() == sorted(
        name for block in blocks for name in (block.path, name_index(block.path))
    )
    for block in blocks:
        frame = place.read(block)
        assert block.path.startswith(f"blocks/{format_day(block.day)}/")
        assert set(frame["_index"]) == {"a0", "a1", "a2", "a3"}
        assert set(frame["_env"]) == {block.env}
        assert set(frame["_time"] // NS_PER_DAY) == {block.day}
        assert frame.height == block.rows == (8 if block.env == "default" else 4)


def test_the_rows_of_a_block_are_in_the_order_of_time_then_of_arrival(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    first = make_batch(encode_lines(*({"ts": NOW_NS + at, "message": "x"} for at in (5, 1, 5, 3))))
    second = make_batch(encode_lines(*({"ts": NOW_NS + at, "message": "y"} for at in (5, 2))))
    (block,) = place.write(first, second)
    frame = place.read(block)
    one, two = 1 << SEQ_SHIFT, 2 << SEQ_SHIFT
    assert frame.select("_time", "_seq").rows() == [
        (NOW_NS + 1, one + 1),
        (NOW_NS + 2, two + 1),
        (NOW_NS + 3, one + 3),
        (NOW_NS + 5, one),
        (NOW_NS + 5, one + 2),
        (NOW_NS + 5, two),
    ]


def test_the_days_before_1970_are_days_too(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    times = [-1, 0, -NS_PER_DAY, -NS_PER_DAY - 1, -(2**63), 2**63 - 1]
    blocks = place.write(*(make_batch(b'{"a":1}', arrival_ns=time_ns) for time_ns in times))
    assert [block.day for block in blocks] == [-106752, -2, -1, 0, 106751]
    assert sorted(time_ns for block in blocks for time_ns in place.read(block)["_time"]) == sorted(
        times
    )


def test_what_the_catalog_keeps_of_a_block_is_true(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    events = ({"ts": NOW_NS + at, "message": f"m{at}"} for at in (9, 4, 7))
    (block,) = place.write(make_batch(encode_lines(*events)))
    frame = place.read(block)
    assert block == BlockInfo(
        path=block.path,
        env="default",
        day=DAY,
        rows=frame.height,
        size_bytes=(tmp_path / block.path).stat().st_size,
        first_ns=NOW_NS + 4,
        last_ns=NOW_NS + 9,
        last_seq=(1 << SEQ_SHIFT) + 2,
        node="node",
        level=0,
        checksum=google_crc32c.value((tmp_path / block.path).read_bytes()),
        index_checksum=google_crc32c.value((tmp_path / name_index(block.path)).read_bytes()),
        version=PRECISE_BLOCK,
    )


def check_index(frame: pl.DataFrame, index: BlockIndex) -> None:
    """Count everything in the index again, row by row."""
    rows = frame.to_dicts()
    assert index.rows == len(rows)
    assert index.first_ns == min(row["_time"] for row in rows)
    assert index.last_ns == max(row["_time"] for row in rows)
    assert index.overflow_rows == sum(row["_rest"] is not None for row in rows)
    assert {name: part.events for name, part in index.indexes.items()} == Counter(
        row["_index"] for row in rows
    )
    for name, part in index.indexes.items():
        times = [row["_time"] for row in rows if row["_index"] == name]
        assert (part.first_ns, part.last_ns) == (min(times), max(times))
    assert set(index.columns) == set(frame.columns) - set(CORE)
    for name, summary in index.columns.items():
        cells = [row[name] for row in rows if row[name] is not None]
        check_summary(parse_column(name), cells, summary)


def check_summary(column: Column, cells: list[Any], summary: ColumnSummary) -> None:
    values = [value for cell in cells for value in (cell if isinstance(cell, list) else [cell])]
    assert summary.count == len(cells)
    if column.field == "message":
        return
    assert all(summary.may_hold(value) for value in values)
    if summary.values is not None:
        assert dict(summary.values) == Counter(values)
    else:
        needs_filter = needs_bloom(len(values), summary.low, summary.high)
        assert (summary.bloom is not None) == needs_filter
    numbers = [value for value in values if isinstance(value, int | float) and value is not True]
    numbers = [value for value in numbers if value is not False]
    assert summary.low == (min(numbers) if numbers else None)
    assert summary.high == (max(numbers) if numbers else None)


def test_the_index_of_a_block_is_what_a_recount_gives(tmp_path: Path) -> None:
    place = Workplace(tmp_path, max_fields=8)
    events = [
        {
            "ts": NOW_NS + 7 * at % 1000,
            "message": f"event {at}",
            "level": ("info", "WARN", "error")[at % 3],
            "id": f"{at:032x}",
            "n": at - 300,
            "ratio": at / 8,
            "ok": at % 2 == 0,
            "tags": [f"t{at % 5}", "all"],
            **({"late": at} if at > 500 else {}),
            "app": f"app-{at % 7}",
        }
        for at in range(600)
    ]
    (block,) = place.write(make_batch(encode_lines(*events), index="{{app}}"))
    index = place.read_index(block)
    check_index(place.read(block), index)
    assert index.columns["level"].values is not None
    assert index.columns["id"].values is None
    assert index.overflow_rows == 600


def test_one_field_of_many_types_is_many_columns(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    values: list[Any] = [
        1,
        "1",
        1.5,
        True,
        [1, 2],
        ["a"],
        [1.5],
        [True],
        None,
        {"deep": 1},
        [],
        "x",
    ]
    events = [{"v": value, "message": str(at)} for at, value in enumerate(values)]
    (block,) = place.write(make_batch(encode_lines(*events)))
    frame = place.read(block)
    names = {"v", "v:int", "v:float", "v:bool", "v:str[]", "v:int[]", "v:float[]", "v:bool[]"}
    assert names <= set(frame.columns)
    assert [json.loads(raw) for raw in place.read_raw(block)] == events
    check_index(frame, place.read_index(block))


@pytest.mark.parametrize("max_fields", [3, 10, 50])
def test_fields_beyond_the_limit_overflow_and_nothing_is_lost(
    tmp_path: Path, max_fields: int
) -> None:
    place = Workplace(tmp_path, max_fields)
    events = [
        {"ts": NOW_NS + at, "message": f"m{at}", f"field{at}": at, f"other{at % 40}": [f"v{at}"]}
        for at in range(100)
    ]
    (block,) = place.write(make_batch(encode_lines(*events)))
    index = place.read_index(block)
    assert len({parse_column(name).field for name in index.columns}) <= max_fields
    assert index.overflow_rows > 0
    assert [json.loads(raw) for raw in place.read_raw(block)] == events
    check_index(place.read(block), index)


def spread(count: int, width: int) -> list[dict[str, Any]]:
    """Events that have one of `width` fields each."""
    return [
        {"ts": NOW_NS + at, "message": f"m{at}", f"field{at % width}": at} for at in range(count)
    ]


def test_events_too_wide_for_one_block_make_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "MAX_CELLS_PER_BLOCK", 200)
    place = Workplace(tmp_path)
    place.shredders.shredder = PythonShredder()
    events = spread(100, 20)
    blocks = place.write(make_batch(encode_lines(*events)))
    assert len(blocks) > 5
    assert [json.loads(raw) for block in blocks for raw in place.read_raw(block)] == events
    assert all(first.last_ns < second.first_ns for first, second in pairwise(blocks))


def test_the_shredder_in_use_splits_what_is_really_too_wide(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    events = spread(9000, 1990)
    blocks = place.write(make_batch(encode_lines(*events)))
    assert len(blocks) == 2
    frame = pl.concat([place.read(block).select("_time", "_seq", "message") for block in blocks])
    assert frame["message"].to_list() == [event["message"] for event in events]
    assert frame["_seq"].n_unique() == len(events)


Names = st.sampled_from(["a", "B", "b", "level", "http", "_x", "a.b", "a:int", "", "é", "source"])
Scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8)
)
Values = st.recursive(
    Scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(Names, inner, max_size=3),
    max_leaves=6,
)
Events = st.fixed_dictionaries(
    {"ts": st.integers(NOW_NS - 2 * NS_PER_DAY, NOW_NS)},
    optional={"message": Scalars, "a": Values, "http": Values, "level": Scalars},
).map(lambda event: json.dumps(event).encode())
Lines = st.lists(
    Events | st.dictionaries(Names, Values, max_size=4).map(lambda e: json.dumps(e).encode())
    | st.sampled_from([b"no json", b"[1,2]", b"\xff\xfe", b'{"a":1,"a":2}', b'{"a":NaN}']),
    min_size=1,
    max_size=12,
)  # fmt: skip


def understand(text: str) -> object:
    """An event with its keys in order and repeated ones kept; what is none as it is."""
    try:
        value = json.loads(text, object_pairs_hook=lambda pairs: ("object", pairs))
    except ValueError:
        return text
    return value


@given(st.lists(Lines, min_size=1, max_size=3), st.sampled_from([4, 2000]))
@settings(max_examples=examples(60), deadline=None)
def test_every_event_comes_back_from_its_block(
    tmp_path_factory: pytest.TempPathFactory, requests: list[list[bytes]], max_fields: int
) -> None:
    place = Workplace(tmp_path_factory.mktemp("blocks"), max_fields)
    batches = [make_batch(b"\n".join(lines)) for lines in requests]
    sent = {
        (number << SEQ_SHIFT) + at: decode_line(line)
        for number, lines in enumerate(requests, 1)
        for at, line in enumerate(lines)
    }
    found: dict[int, str] = {}
    for block in place.write(*batches):
        frame = place.read(block)
        assert frame["_time"].is_sorted()
        found |= dict(zip(frame["_seq"], place.read_raw(block), strict=True))
        check_index(frame, place.read_index(block))
    assert {seq: understand(text) for seq, text in found.items()} == {
        seq: understand(text) for seq, text in sent.items()
    }


@pytest.mark.parametrize("failed", range(6))
def test_a_write_that_fails_leaves_no_files(tmp_path: Path, failed: int) -> None:
    place = Workplace(tmp_path)
    times = [NOW_NS + day * NS_PER_DAY for day in range(3)]
    batch = make_batch(encode_lines(*({"ts": time_ns} for time_ns in times)))
    calls = iter(range(100))
    with (
        failing("link", errno.ENOSPC, when=lambda *_paths: next(calls) == failed),
        pytest.raises(OSError, match="No space left"),
    ):
        place.write(batch)
    assert place.list_files() == []
    assert len(place.write(batch)) == 3


@settings(max_examples=examples(30))
@given(st.lists(TIMES_NS | TIMES_NS.map(lambda time_ns: time_ns // 10**6 * 10**6), min_size=1))
def test_times_are_stored_in_milliseconds_unless_one_is_more_precise(
    tmp_path_factory: pytest.TempPathFactory, times_ns: list[int]
) -> None:
    place = Workplace(tmp_path_factory.mktemp("times"))
    blocks = place.write(make_batch(encode_lines(*({"ts": time_ns} for time_ns in times_ns))))
    found = []
    for block in blocks:
        times = place.read(block)["_time"].to_list()
        is_precise = any(time_ns % 10**6 for time_ns in times)
        assert block.version == (PRECISE_BLOCK if is_precise else BLOCK)
        file = place.root / block.path
        assert pl.read_parquet_schema(file)["_time"] == STORED_TIMES[block.version]
        assert pl.read_parquet_metadata(file)["logboom.format"] == str(block.version)
        found += times
    assert sorted(found) == sorted(times_ns)

"""Rows: many events as one frame, whatever types their fields have."""

from array import array

import msgspec
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.model.strategies import plain_events
from tests.properties import examples

from logboom.model import rows
from logboom.model.batch import Batch, Target
from logboom.model.columns import Cell, Column
from logboom.model.names import parse_template
from logboom.model.rows import Rows, shred_rows
from logboom.model.scanning import scan_lines
from logboom.model.shape import parse_shape, rebuild_text

ARRIVAL_NS = 1_700_000_000_000_000_000


def make_batch(data: bytes, *, first_seq: int = 0, source: str | None = None) -> Batch:
    scan = scan_lines(data, ARRIVAL_NS, parse_template("{{index}}"))
    return Batch(Target("default", "{{index}}", source), ARRIVAL_NS, data, scan, first_seq)


def shred(data: bytes, *, max_fields: int = 2000) -> Rows:
    batch = make_batch(data)
    return shred_rows([batch], array("q", range(len(batch))), max_fields)


def test_a_field_has_a_column_for_each_of_its_types() -> None:
    frame = shred(b'{"a":1}\n{"a":"x"}\n{"A":1.5}\n{"a":true}\n{"a":[1,2]}').frame
    assert frame.select(pl.col("^a.*$")).to_dict(as_series=False) == {
        "a:int": [1, None, None, None, None],
        "a": [None, "x", None, None, None],
        "a:float": [None, None, 1.5, None, None],
        "a:bool": [None, None, None, True, None],
        "a:int[]": [None, None, None, None, [1, 2]],
    }


def test_core_columns() -> None:
    batches = [
        make_batch(b'{"ts":5,"index":"X"}\nno event', first_seq=10, source="here"),
        make_batch(b'{"a":[1,null],"source":"there"}', first_seq=20),
    ]
    frame = shred_rows(batches, array("q", [1 << 32, 1, 0]), 2000).frame
    assert frame.select("_time", "_seq", "_index", "_shape", "_raw", "_rest", "message", "source").rows() == [
        (ARRIVAL_NS, 20, "unknown", None, '{"a":[1,null],"source":"there"}', None, None, "there"),
        (ARRIVAL_NS, 11, "unknown", "w", None, None, "no event", "here"),
        (5_000_000_000, 10, "x", '{"ts":t(es0),"index":s}', None, None, None, "here"),
    ]  # fmt: skip


def test_fields_without_room_go_into_one_text() -> None:
    frame, summaries = shred(
        b'{"a":1,"b":"x","c":[1],"message":"m"}\n{"b":2,"a":"y"}\n{"d":true}', max_fields=3
    )
    assert set(summaries) == {"message", "source", "a:int", "a"}
    rest = [None if text is None else msgspec.json.decode(text) for text in frame["_rest"]]
    assert rest == [{"b": "x", "c": [1]}, {"b": 2}, {"d": True}]
    assert frame["_raw"].null_count() == 3


def rebuild(frame: pl.DataFrame, row: int) -> str:
    """The text of one event, from nothing but the frame."""
    values = frame.row(row, named=True)
    rest = msgspec.json.decode(values["_rest"] or "{}")

    def look_up(column: Column) -> Cell | None:
        cell: Cell | None = values.get(column.name)
        return rest.get(column.field) if cell is None else cell

    if values["_shape"] is None:
        return str(values["_raw"])
    return rebuild_text(parse_shape(values["_shape"]), look_up, values["_time"])


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(plain_events, min_size=1, max_size=5), st.sampled_from([2, 4, 2000]))
def test_events_come_back_from_a_frame(events: list[str], max_fields: int) -> None:
    frame = shred("\n".join(events).encode(), max_fields=max_fields).frame
    assert [rebuild(frame, row) for row in range(frame.height)] == events


def test_blocks_end_where_they_would_be_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_CELLS_PER_BLOCK", 30)
    frame = shred(b"\n".join(b'{"k%d":1}' % number for number in range(9))).frame
    assert frame.height == 5
    assert frame.width == 6 + 2 + 5


def test_no_rows_are_an_empty_frame() -> None:
    frame, summaries = shred(b"")
    assert frame.height == 0
    assert set(summaries) == {"message", "source"}


def test_summaries_belong_to_their_columns() -> None:
    frame, summaries = shred(b'{"a":1,"message":"m"}\n{"a":3}\n{"a":1,"source":"s"}')
    assert set(frame.columns) - set(rows.CORE_SCHEMA) == set(summaries)
    assert summaries["a:int"].values == [(1, 2), (3, 1)]
    assert (summaries["a:int"].low, summaries["a:int"].high) == (1, 3)
    assert (summaries["message"].count, summaries["source"].count) == (1, 1)

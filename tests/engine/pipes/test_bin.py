"""`bin`: a field rounded down."""

import math
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, make_table, read, run

from logboom.base.errors import Invalid
from logboom.engine.grouping.buckets import floor_value
from logboom.engine.pipes.compute.bin import choose_size, make_bin
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.rewrite.binned_time import spread_bins
from logboom.lang import ast
from logboom.lang.parse import parse

MINUTE_NS = 60 * 10**9


def bin_rows(text: str, rows: list[Row], *, events: bool = False) -> list[Row]:
    (pipe,) = parse(f"* | bin {text}").pipes
    assert isinstance(pipe, ast.Bin)
    return read(run(make_bin(pipe, Conditions()), make_table(rows, events=events)))


def test_numbers_are_rounded_down_and_the_rest_stays() -> None:
    rows: list[Row] = [
        {"a": 7},
        {"a": -1},
        {"a": "12"},
        {"a": 2.5},
        {"a": "x"},
        {"a": True},
        {"b": 1},
    ]
    found = bin_rows("a span=5", rows)
    assert [row.get("a") for row in found] == [5, -5, 10, 0, "x", True, None]


def test_times_are_rounded_to_spans_under_another_name() -> None:
    rows: list[Row] = [{"_time": 7 * MINUTE_NS}, {"_time": 4 * MINUTE_NS}]
    found = bin_rows("_time span=5m as t", rows, events=True)
    assert [row["t"] for row in found] == [5 * MINUTE_NS, 0]
    with pytest.raises(Invalid, match="bin _time as bucket"):
        bin_rows("_time span=5m", rows, events=True)
    assert [row["_time"] for row in bin_rows("_time span=5m", rows)] == [5 * MINUTE_NS, 0]


def test_so_many_bins_are_made_of_all_rows() -> None:
    rows = [{"a": number} for number in range(100)]
    assert {row["a"] for row in bin_rows("a bins=5", rows)} == {0, 20, 40, 60, 80}
    assert bin_rows("zz bins=5", [{"a": 1}]) == [{"a": 1}]
    assert bin_rows("a bins=5", []) == []
    times: list[Row] = [{"_time": minute * MINUTE_NS} for minute in range(60)]
    assert len({row["t"] for row in bin_rows("_time bins=6 as t", times)}) == 6


NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9)


@given(NUMBERS, NUMBERS, st.integers(1, 100))
def test_the_size_makes_no_more_bins_than_wanted(one: float, other: float, most: int) -> None:
    low, high = min(one, other), max(one, other)
    size = choose_size(low, high, most)
    assert size > 0
    if high > low and most > 1:
        assert math.floor(high / size) - math.floor(low / size) <= most


@pytest.mark.parametrize(
    "query",
    [
        "* | bin _time span=5m",
        "* | bin _time span=5m | table _time, host",
        "* | bin _time span=5m | dedup _time",
        "* | bin _time span=5m | top _time",
    ],
)
def test_the_time_of_events_is_not_shown_as_if_it_were_rounded(query: str) -> None:
    with pytest.raises(Invalid, match="bin _time span=5m as bucket"):
        spread_bins(parse(query))


def test_texts_are_read_once_however_often_rounding_refers_to_their_numbers() -> None:
    table = make_table([{"f": value} for value in ("12.5", 7, 0.3, "a", True, [1.5])])
    value = Value.of_field(table, "f").first()
    floored = floor_value(value, ast.Quantity(5), UTC, table.frame)
    assert floored.parts
    assert not any(part.meta.root_names() for part in floored.parts.values())

"""Few groups are merged and ordered in Python, with the result that Polars gives."""

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.engine.grouping.few import MOST_ROWS, merge_counts
from logboom.engine.rows.ordering import FEW_KEYS, FEW_ROWS, order_few, sort_descending
from logboom.engine.rows.table import Table
from logboom.lang import ast

KEYS = ["text", "number", "flag"]
rows = st.tuples(
    st.none() | st.sampled_from(["a", "A", "", "1"]),
    st.none() | st.sampled_from([0, 1, -1]),
    st.none() | st.booleans(),
    st.integers(0, 5),
)


def make_frame(found: list[tuple[Any, ...]]) -> pl.DataFrame:
    schema = {"text": pl.String, "number": pl.Int64, "flag": pl.Boolean, "n": pl.Int64}
    return pl.DataFrame(found, schema, orient="row")


@given(st.lists(rows, max_size=20))
def test_counts_of_a_group_are_added_up(found: list[tuple[Any, ...]]) -> None:
    frame = make_frame(found)
    merged = merge_counts(frame, KEYS, ["n"])
    assert merged is not None
    assert merged.schema == frame.schema
    expected = frame.group_by(KEYS).agg(pl.col("n").sum())
    assert Counter(merged.rows()) == Counter(expected.rows())


def test_floats_and_many_rows_are_left_to_polars() -> None:
    numbers = pl.DataFrame({"x": [1.0, float("nan")], "n": [1, 2]})
    assert merge_counts(numbers, ["x"], ["n"]) is None
    many = pl.DataFrame({"x": list(range(MOST_ROWS + 1))}).with_columns(n=1)
    assert merge_counts(many, ["x"], ["n"]) is None


@pytest.mark.parametrize("descending", [False, True])
def test_distinct_whole_numbers_order_rows(descending: bool) -> None:
    table = Table(pl.DataFrame({"n:int": [2, -3, 7], "a:str": ["x", "y", "z"]}), ("n", "a"))
    ordered = order_few(table, ast.SortKey("N", descending))
    assert ordered is not None
    expected = [("y", -3), ("x", 2), ("z", 7)]
    found = list(zip(ordered.frame["a:str"], ordered.frame["n:int"], strict=True))
    assert found == (expected[::-1] if descending else expected)


@pytest.mark.parametrize(
    "values",
    [
        {"n:int": [1, 1]},
        {"n:int": [1, None]},
        {"n:float": [1.5, 2.5]},
        {"n:int": [1, None], "n:str": [None, "a"]},
        {"m:int": [1, 2]},
        {"n:int": list(range(FEW_ROWS + 1))},
    ],
)
def test_other_rows_are_left_to_polars(values: dict[str, list[Any]]) -> None:
    assert order_few(Table(pl.DataFrame(values)), ast.SortKey("n")) is None


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "\U0001f600", "\uffff"])),
        max_size=20,
        unique=True,
    )
)
def test_few_rows_are_sorted_as_many_are(found: list[tuple[int, str]]) -> None:
    frame = pl.DataFrame(found, {"time": pl.Int64, "node": pl.String}, orient="row")
    expected = frame.sort(["time", "node"], descending=True)
    assert sort_descending(frame, ["time", "node"]).equals(expected)


def test_many_rows_are_sorted() -> None:
    frame = pl.DataFrame({"time": list(range(FEW_KEYS + 1))})
    assert sort_descending(frame, ["time"])["time"].to_list() == list(range(FEW_KEYS, -1, -1))

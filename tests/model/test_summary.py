"""Summaries: exact counts, honest ranges, and filters that never deny what is there."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples

from logboom.model.columns import DTYPES, Cell, Column, Kind, Scalar
from logboom.model.filters.bloom import has_bits
from logboom.model.filters.trigrams import make_trigrams
from logboom.model.shredder import open_shredder
from logboom.model.summary import (
    MAX_COUNTED_BYTES,
    MAX_COUNTED_VALUES,
    PROBES,
    SPREAD,
    ColumnSummary,
    hash_value,
    make_bloom,
    summarise,
    summarise_series,
)

TEXT, INTEGER, FLOAT = Column("a", Kind.STR), Column("a", Kind.INT), Column("a", Kind.FLOAT)

texts = st.text(max_size=10)
integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(texts) | st.lists(integers) | st.lists(floats) | st.lists(st.booleans()))
def test_filters_hold_all_their_values(values: list[Scalar]) -> None:
    bloom = make_bloom(values)
    assert all(has_bits(bloom, hash_value(value), PROBES) for value in values)
    assert all(
        has_bits(bloom, hash_value(case), PROBES)
        for value in values
        if isinstance(value, str)
        for case in (value.lower(), value.upper().lower())
        if case.lower() == value.lower()
    )


def test_filters_deny_most_of_what_they_do_not_hold() -> None:
    bloom = make_bloom([f"trace {number}" for number in range(5000)])
    wrong = sum(has_bits(bloom, hash_value(f"other {number}"), PROBES) for number in range(5000))
    assert wrong < 150


@given(st.lists(texts, min_size=1))
def test_counted_texts(values: list[str]) -> None:
    summary = summarise(TEXT, values)
    assert summary.count == len(values)
    assert summary.values is not None
    assert dict(summary.values) == {value: values.count(value) for value in values}
    assert [value for value, _ in summary.values] == list(dict.fromkeys(values))
    assert all(summary.may_hold(value) and summary.may_hold(value.lower()) for value in values)
    assert (summary.low, summary.high) == (None, None)


@given(st.lists(integers, min_size=1) | st.lists(floats, min_size=1))
def test_ranges(values: list[int] | list[float]) -> None:
    summary = summarise(INTEGER if isinstance(values[0], int) else FLOAT, list(values))
    assert (summary.low, summary.high) == (min(values), max(values))


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(texts, min_size=MAX_COUNTED_VALUES + 1, max_size=MAX_COUNTED_VALUES + 20, unique=True)
)
def test_many_values_are_filtered(values: list[str]) -> None:
    assert summarise(TEXT, values[:MAX_COUNTED_VALUES]).bloom is None
    summary = summarise(TEXT, [*values, values[0]])
    assert summary.values is None
    assert summary.bloom is not None
    assert summary.count == len(values) + 1
    assert all(summary.may_hold(value) for value in values)


def test_numbers_whose_range_says_enough_have_no_filter() -> None:
    count = MAX_COUNTED_VALUES + 1
    dense = summarise(INTEGER, list(range(count)))
    assert dense.bloom is None
    assert summarise(INTEGER, [number * SPREAD for number in range(count)]).bloom is None
    assert summarise(INTEGER, [number * (SPREAD + 1) for number in range(count)]).bloom is not None
    reals = summarise(FLOAT, [number * 1000.5 for number in range(count)])
    assert reals.bloom is None
    for summary in (dense, reals):
        assert summary.may_hold(7)
        assert not summary.may_hold(-1)
        assert not summary.may_hold(10**9)


def test_long_values_are_filtered() -> None:
    half = "x" * (MAX_COUNTED_BYTES // 2)
    assert summarise(TEXT, [half, half[1:], half]).values is not None
    summary = summarise(TEXT, [half, half[1:], "é"])
    assert summary.values is None
    assert summary.may_hold(half)


def test_lists_are_filtered_by_their_elements() -> None:
    cells: list[Cell] = [["A", "b"], ["c"], []]
    summary = summarise(Column("a", Kind.STRS), cells)
    assert summary.count == 3
    assert summary.values is None
    assert all(summary.may_hold(value) for value in "AaBbCc")
    assert not summary.may_hold("some other value")


def test_the_range_of_lists_is_that_of_their_elements() -> None:
    summary = summarise(Column("a", Kind.INTS), [[5, -1], [9]])
    assert (summary.low, summary.high) == (-1, 9)


@pytest.mark.parametrize("kind", [Kind.STR, Kind.STRS])
def test_messages_have_trigrams_and_long_words(kind: Kind) -> None:
    cells: list[Cell] = [["Disk full"], ["y"]] if kind.is_list else ["Disk full", "y"]
    summary = summarise(Column("message", kind), cells)
    assert summary == ColumnSummary(2, trigrams=make_trigrams(["Disk full", "y"]), long_words=b"")
    assert summary.may_hold("anything")
    assert summary.may_contain("DISK")
    assert not summary.may_contain("disc")


def test_filtered_texts_have_trigrams() -> None:
    texts = [f"Request {number}" for number in range(MAX_COUNTED_VALUES + 1)]
    for summary in (
        summarise(TEXT, texts),
        summarise(Column("a", Kind.STRS), [[text] for text in texts]),
    ):
        assert summary.trigrams == make_trigrams(texts)
        assert summary.may_contain("quest 12")
        assert not summary.may_contain("response")


@pytest.mark.parametrize("column", [INTEGER, FLOAT, Column("a", Kind.INTS)])
def test_numbers_have_no_trigrams_and_may_contain_anything(column: Column) -> None:
    numbers = range(MAX_COUNTED_VALUES + 1)
    many: list[Cell] = [[number] if column.kind.is_list else number for number in numbers]
    for cells in (many[:1], many):
        summary = summarise(column, cells)
        assert summary.trigrams is None
        assert summary.may_contain("anything")


@given(st.lists(texts, min_size=1), st.data())
def test_counted_texts_may_contain_their_parts(values: list[str], data: st.DataObject) -> None:
    summary = summarise(TEXT, values)
    value = data.draw(st.sampled_from(values))
    part = value[data.draw(st.integers(0, len(value))) :]
    assert summary.may_contain(part)
    assert summary.may_contain(part.lower())


def test_counted_texts_are_searched_exactly() -> None:
    summary = summarise(TEXT, ["GET", "Größe", "\u212aelvin"])
    assert all(summary.may_contain(text) for text in ("", "et", "GRÖ", "öße", "kel"))
    assert not any(summary.may_contain(text) for text in ("te", "post", "groesse", "get größe"))
    assert not summarise(TEXT, []).may_contain("x")


def test_zeros_are_equal() -> None:
    assert summarise(FLOAT, [0.0, -0.0, 0.0]).values == [(0.0, 3)]
    assert hash_value(0.0) == hash_value(-0.0)


def test_booleans_are_counted() -> None:
    summary = summarise(Column("a", Kind.BOOL), [True, False, True])
    assert summary == ColumnSummary(3, [(True, 2), (False, 1)])


CELLS: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.STR: texts | st.text("aK\u017f\u0130", min_size=10, max_size=20),
    Kind.INT: integers,
    Kind.FLOAT: floats,
    Kind.BOOL: st.booleans(),
}


@st.composite
def stored_columns(draw: st.DrawFn) -> tuple[Column, pl.Series]:
    """A column as blocks have it: with gaps, in several chunks, cut out of a longer one."""
    kind = draw(st.sampled_from([*CELLS, *(each.listed for each in CELLS)]))
    cells = CELLS[kind.element]
    cells = st.none() | (st.lists(cells, max_size=4) if kind.is_list else cells)
    chunks = draw(st.lists(st.lists(cells, max_size=300 if draw(st.booleans()) else 5), min_size=1))
    series = pl.concat([pl.Series(chunk, dtype=DTYPES[kind]) for chunk in chunks], rechunk=False)
    first, length = draw(st.integers(0, 3)), draw(st.integers(0, 400))
    column = Column(draw(st.sampled_from(["a", "message", "n\0l"])), kind)
    return column, series.slice(first, length).alias(column.name)


@settings(max_examples=examples(100), deadline=None)
@given(stored_columns())
def test_stored_columns_are_summarised_like_their_cells(stored: tuple[Column, pl.Series]) -> None:
    column, series = stored
    expected = summarise_series(column, series)
    assert expected == summarise(column, series.drop_nulls().to_list())
    assert open_shredder().shredder.summarise_series(column, series) == expected

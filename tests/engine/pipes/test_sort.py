"""`sort`: by value, stable, however the rows are split."""

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_first,
    find_ids,
    make_table,
    mixed_rows,
    run,
    run_split,
    sort_newest,
)

from logboom.base.texts import NUMBER
from logboom.engine.pipes.choose.sort import Sort, make_sort
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

sort_keys = st.lists(
    st.builds(ast.SortKey, st.sampled_from(["a", "B", "id", "nothing"]), st.booleans()),
    min_size=1,
    max_size=3,
).map(tuple)
limits = st.one_of(st.none(), st.integers(0, 5))


def rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 2, value
    if isinstance(value, str) and not re.fullmatch(NUMBER, value):
        return 1, value.lower()
    return 0, Fraction(float(value) if isinstance(value, str) else value)


def sort_rows(rows: list[Row], keys: tuple[ast.SortKey, ...]) -> list[Row]:
    for key in reversed(keys):
        values = {id(row): find_first(row.get(key.field.lower())) for row in rows}
        present = [row for row in rows if values[id(row)] is not None]
        absent = [row for row in rows if values[id(row)] is None]
        present.sort(key=lambda row: rank(values[id(row)]), reverse=key.descending)
        rows = present + absent
    return rows


def sort(*keys: ast.SortKey, limit: int | None = None) -> Sort:
    return make_sort(ast.Sort(keys, limit), Conditions())


def test_numbers_come_before_texts_before_booleans_before_nothing() -> None:
    values = [None, True, "b", "A", 10, "9", 2.5, False]
    table = make_table([{"id": place, "x": value} for place, value in enumerate(values)])
    ascending = find_ids(run(sort(ast.SortKey("x")), table))
    assert [values[place] for place in ascending] == [2.5, "9", 10, "A", "b", False, True, None]
    descending = find_ids(run(sort(ast.SortKey("X", descending=True)), table))
    assert [values[place] for place in descending] == [True, False, "b", "A", 10, "9", 2.5, None]


def test_a_later_key_decides_where_an_earlier_is_equal() -> None:
    table = make_table([{"id": 0, "x": 1, "y": 1}, {"id": 1, "x": 1, "y": 2}, {"id": 2, "x": 0}])
    keys = ast.SortKey("x"), ast.SortKey("y", descending=True)
    assert find_ids(run(sort(*keys), table)) == [2, 1, 0]


def test_texts_that_differ_in_case_are_equal() -> None:
    levels = ["error", "Error", "ERROR", "debug"]
    rows = [{"id": place, "x": level, "y": place % 2} for place, level in enumerate(levels)]
    keys = ast.SortKey("x"), ast.SortKey("y", descending=True)
    assert find_ids(run(sort(keys[0]), make_table(rows))) == [3, 0, 1, 2]
    assert find_ids(run(sort(*keys), make_table(rows))) == [3, 1, 0, 2]


def test_great_whole_numbers_are_not_rounded() -> None:
    values = [2**53 + 1, 2.0**53, 2**53 + 2, 2**63 - 1, 2**63 - 2]
    table = make_table([{"id": place, "x": value} for place, value in enumerate(values)])
    assert find_ids(run(sort(ast.SortKey("x")), table)) == [1, 0, 2, 4, 3]


@pytest.mark.parametrize("values", [[True, False, None], [2, 1, None], ["b", "a", None]])
def test_values_of_one_type_sort_with_a_limit(values: list[Any]) -> None:
    table = make_table([{"id": place, "x": value} for place, value in enumerate(values)])
    assert find_ids(run(sort(ast.SortKey("x"), limit=1), table)) == [1]
    assert find_ids(run(sort(ast.SortKey("x", descending=True), limit=1), table)) == [0]


def test_times_sort_to_the_nanosecond() -> None:
    now_ns = 1_700_000_000_000_000_000
    table = make_table([{"id": 0, "_time": now_ns + 1}, {"id": 1, "_time": now_ns}])
    assert find_ids(run(sort(ast.SortKey("_time")), table)) == [1, 0]


@given(mixed_rows, sort_keys, limits, cut_lists)
def test_events_are_sorted_however_they_are_split(
    rows: list[Row], keys: tuple[ast.SortKey, ...], limit: int | None, cuts: list[int]
) -> None:
    expected = [row["id"] for row in sort_rows(sort_newest(rows), keys)][:limit]
    found = run_split(sort(*keys, limit=limit), make_table(rows, events=True), cuts)
    assert found.has_events
    assert find_ids(found) == expected


@given(mixed_rows, sort_keys, limits, cut_lists)
def test_equal_rows_of_a_table_stay_in_order(
    rows: list[Row], keys: tuple[ast.SortKey, ...], limit: int | None, cuts: list[int]
) -> None:
    expected = [row["id"] for row in sort_rows(rows, keys)][:limit]
    assert find_ids(run_split(sort(*keys, limit=limit), make_table(rows), cuts)) == expected


def test_a_second_sort_keeps_the_order_of_the_first_in_ties() -> None:
    rows = [{"id": 0, "x": 1, "y": 2}, {"id": 1, "x": 1, "y": 1}, {"id": 2, "x": 0, "y": 3}]
    table = run(sort(ast.SortKey("y")), make_table(rows, events=True))
    assert find_ids(run(sort(ast.SortKey("x")), table)) == [2, 1, 0]


def test_nothing_is_sorted_to_nothing() -> None:
    assert run(sort(ast.SortKey("x"), limit=3), make_table([], events=True)).height == 0
    assert find_ids(run(sort(ast.SortKey("x")), make_table([{"id": 0}, {"id": 1}]))) == [0, 1]


def test_it_reads_its_keys_only() -> None:
    assert sort(ast.SortKey("Level"), ast.SortKey("b")).needs().fields == {"level", "b"}

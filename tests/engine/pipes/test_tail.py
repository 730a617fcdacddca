"""`tail`: the last rows, in the order they had."""

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_ids,
    make_table,
    mixed_rows,
    run,
    run_split,
    sort_newest,
)

from logboom.engine.pipes.choose.sort import make_sort
from logboom.engine.pipes.choose.tail import Tail, make_tail
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def tail(count: int) -> Tail:
    return make_tail(ast.Tail(count), Conditions())


def test_of_events_it_is_the_oldest_still_newest_first() -> None:
    rows = [{"id": 0, "_time": 10}, {"id": 1, "_time": 30}, {"id": 2, "_time": 20}]
    assert find_ids(run_split(tail(2), make_table(rows, events=True), [1])) == [2, 0]


@given(mixed_rows, st.integers(0, 15), cut_lists)
def test_it_is_the_same_however_rows_are_split(
    rows: list[Row], count: int, cuts: list[int]
) -> None:
    ids = [row["id"] for row in rows]
    newest_first = [row["id"] for row in sort_newest(rows)]
    last = slice(max(0, len(rows) - count), None)
    assert find_ids(run_split(tail(count), make_table(rows), cuts)) == ids[last]
    assert (
        find_ids(run_split(tail(count), make_table(rows, events=True), cuts)) == newest_first[last]
    )


def test_after_a_sort_it_is_the_last_of_these() -> None:
    rows = [{"id": 0, "x": 5}, {"id": 1, "x": 7}, {"id": 2, "x": 6}]
    by_x = make_sort(ast.Sort((ast.SortKey("x"),)), Conditions())
    assert find_ids(run(tail(1), run(by_x, make_table(rows, events=True)))) == [1]


def test_of_nothing_it_is_nothing() -> None:
    assert run(tail(3), make_table([])).height == 0
    assert tail(3).needs().fields == frozenset()

"""`limit`: the first rows; of events the newest."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import cut_lists, make_table, read, run_split
from tests.properties import examples

from logboom.engine.pipes.choose.page import Page, make_limit
from logboom.engine.pipes.choose.sort import make_sort
from logboom.engine.pipes.kinds import reduce_locally
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

rows_of_time = st.lists(st.integers(0, 5).map(lambda time: {"_time": time}), max_size=12)


def limit(count: int) -> Page:
    return make_limit(ast.Limit(count), Conditions())


def number(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "id": place} for place, row in enumerate(rows)]


def test_the_first_rows_of_a_table_are_kept() -> None:
    table = make_table([{"n": 3}, {"n": 1}, {"n": 2}])
    assert read(run_split(limit(2), table, [])) == [{"n": 3}, {"n": 1}]


def test_the_newest_events_are_kept() -> None:
    table = make_table(
        [{"_time": 1, "n": 1}, {"_time": 3, "n": 3}, {"_time": 2, "n": 2}], events=True
    )
    assert [row["n"] for row in read(run_split(limit(2), table, []))] == [3, 2]


@settings(deadline=None, max_examples=examples(60))
@given(rows=rows_of_time, cuts=cut_lists, count=st.integers(0, 6))
def test_it_agrees_with_sorting_and_cutting_however_events_are_split(
    rows: list[dict[str, Any]], cuts: list[int], count: int
) -> None:
    table = make_table(number(rows), events=True)
    whole = read(
        reduce_locally(
            make_sort(ast.Sort((ast.SortKey("_time", descending=True),)), Conditions()), table
        )
    )
    found = read(run_split(limit(count), table, cuts))
    assert [row["_time"] for row in found] == [row["_time"] for row in whole][:count]
    assert len({row["id"] for row in found}) == min(count, len(rows))


def test_no_rows_and_no_limit_give_nothing() -> None:
    assert read(run_split(limit(5), make_table([], events=True), [])) == []
    assert read(run_split(limit(0), make_table([{"n": 1}]), [])) == []


def test_the_order_that_an_earlier_pipe_made_counts() -> None:
    table = make_table([{"_time": time, "n": -time} for time in range(5)], events=True)
    by_n = make_sort(ast.Sort((ast.SortKey("n"),)), Conditions())
    ordered = reduce_locally(by_n, table)
    assert [row["n"] for row in read(reduce_locally(limit(2), ordered))] == [-4, -3]

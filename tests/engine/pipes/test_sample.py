"""`sample`: some of the rows, always the same ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, cut_lists, find_ids, make_table, mixed_rows, split
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.choose.sample import make_sample
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.table import NODE, SEQ
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(one_in: int, part: int = 0) -> RowPipe:
    return make_sample(ast.Sample(one_in, part), Conditions())


def test_about_one_in_so_many_events_stays() -> None:
    table = make_table([{"id": place} for place in range(20_000)], events=True)
    for one_in in (2, 7, 10, 100):
        assert abs(make(one_in).apply(table).height * one_in / 20_000 - 1) < 0.2
    assert make(1).apply(table).height == 20_000


@pytest.mark.parametrize("events", [True, False])
def test_parts_together_are_all_rows(*, events: bool) -> None:
    table = make_table([{"id": place} for place in range(500)], events=events)
    parts = [find_ids(make(7, part).apply(table)) for part in range(7)]
    assert sorted(place for part in parts for place in part) == list(range(500))
    assert all(parts)
    with pytest.raises(Invalid, match="expected 0 to 6"):
        make(7, 7)


def test_it_is_the_same_events_everywhere() -> None:
    table = make_table([{"id": place} for place in range(60)], events=True)
    assert find_ids(make(10).apply(table)) == [1, 3, 15, 29, 40, 47, 55]


@settings(max_examples=examples(50), deadline=None)
@given(mixed_rows, cut_lists, st.integers(1, 4))
def test_events_are_chosen_one_by_one(rows: list[Row], cuts: list[int], one_in: int) -> None:
    table = make_table(rows, events=True)
    pieces = [find_ids(make(one_in).apply(piece)) for piece in split(table, cuts)]
    assert [place for piece in pieces for place in piece] == find_ids(make(one_in).apply(table))


def test_of_a_table_every_so_many_th_row_stays() -> None:
    table = make_table([{"id": place} for place in range(7)])
    assert find_ids(make(3).apply(table)) == [0, 3, 6]


def test_nothing_and_needs() -> None:
    assert make(3).apply(make_table([])).height == 0
    assert make(3).apply(make_table([], events=True)).height == 0
    assert make(3).needs().fields == {NODE, SEQ}


def test_one_in_none_is_refused() -> None:
    with pytest.raises(Invalid, match="expected at least 1"):
        make(0)

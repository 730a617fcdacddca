"""`rename`: fields under other names."""

import pytest
from hypothesis import given, settings
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, mixed_rows, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.columns.rename import make_rename
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.table import IDENTITY
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(*pairs: tuple[str, str]) -> RowPipe:
    return make_rename(ast.Rename(pairs), Conditions())


def test_columns_keep_their_place() -> None:
    table = make(("B", "x"), ("c", "C2")).apply(make_table([{"a": 1, "b": 2, "c": 3}]))
    assert table.columns == ("a", "x", "C2")
    assert read(table) == [{"a": 1, "x": 2, "C2": 3}]


def test_a_star_stands_for_the_rest_of_the_name() -> None:
    table = make(("http.*", "web.*.old")).apply(make_table([{"http.a": 1, "b": 2, "http.c": 3}]))
    assert read(table) == [{"web.a.old": 1, "b": 2, "web.c.old": 3}]


def test_a_name_may_change_its_case() -> None:
    assert read(make(("level", "Level")).apply(make_table([{"level": 1}]))) == [{"Level": 1}]


def test_what_had_the_name_before_is_gone() -> None:
    table = make(("a", "b")).apply(make_table([{"a": 1, "b": "x"}, {"b": "y"}]))
    assert read(table) == [{"b": 1}, {}]
    assert table.columns == ("b",)


@settings(max_examples=examples(100), deadline=None)
@given(mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    pipe = make(("A", "b"), ("message", "text"))
    names = {"a": "b", "message": "text"}
    expected = [
        {names.get(k, k): cell for k, cell in row.items() if k != "b" and cell is not None}
        for row in rows
    ]
    assert apply_split(pipe, make_table(rows, events=True), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert make(("a", "b")).apply(make_table([])).height == 0
    assert read(make(("a", "b")).apply(make_table([{"b": 1}]))) == [{"b": 1}]
    assert make(("a", "b")).needs().fields == {"a"}
    assert make(("a*", "b*")).needs().everything


def test_events_show_the_new_name_only() -> None:
    table = make_table([{"a.x": 1, "b": 2}], events=True)
    renamed = make(("_time", "when"), ("a.*", "z.*"), ("b", "c")).apply(table)
    assert read(renamed) == [{"when": 1, "z.x": 1, "c": 2}]
    assert renamed.own is not None
    assert not any(renamed.own.shows(name) for name in ("_time", "a.x", "a.elsewhere", "b", "c"))
    assert set(IDENTITY) <= set(renamed.frame.columns)


@pytest.mark.parametrize("pair", [("a*", "b"), ("a", "b*"), ("a**", "b**")])
def test_stars_must_pair(pair: tuple[str, str]) -> None:
    with pytest.raises(Invalid, match=r"the same number of \*"):
        make(pair)


def test_what_says_which_event_it_is_stays() -> None:
    with pytest.raises(Invalid, match="_index identifies the event"):
        make(("a", "_index")).apply(make_table([{"a": 1}], events=True))

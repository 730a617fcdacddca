"""`fields`: only some columns, in the order asked for."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, mixed_rows, read
from tests.properties import examples

from logboom.engine.pipes.columns.fields import make_fields
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.table import IDENTITY
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(*names: str) -> RowPipe:
    return make_fields(ast.Fields(names), Conditions())


def test_columns_come_in_the_order_asked_for() -> None:
    table = make_table([{"a": 1, "b.x": "2", "b.y": 3.0, "c": 4}])
    kept = make("C", "b.*", "nothing").apply(table)
    assert kept.columns == ("c", "b.x", "b.y")
    assert read(kept) == [{"c": 4, "b.x": "2", "b.y": 3.0}]


patterns = st.lists(st.sampled_from(["a", "B", "*", "m*e", "i*", "_time", "zz"]), min_size=1)


@settings(max_examples=examples(100), deadline=None)
@given(patterns, mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(
    names: list[str], rows: list[Row], cuts: list[int]
) -> None:
    chosen = {
        name
        for name in ("a", "b", "message", "id", "_time")
        for pattern in names
        if pattern.lower() in (name, "*")
        or (pattern == "m*e" and name == "message")
        or (pattern == "i*" and name == "id")
    }
    expected = [
        {name: cell for name, cell in row.items() if name in chosen and cell is not None}
        for row in rows
    ]
    assert apply_split(make(*names), make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert make("a").apply(make_table([])).height == 0
    assert read(make("a").apply(make_table([{"b": 1}, {"b": 2}]))) == [{}, {}]
    assert not make("a").needs().fields


def test_a_name_with_brackets_is_no_pattern() -> None:
    assert read(make("a[0]").apply(make_table([{"a[0]": 1, "a0": 2}]))) == [{"a[0]": 1}]


def test_of_events_other_fields_are_hidden_and_gone() -> None:
    table = make_table([{"a": 1, "b": 2, "message": "x"}], events=True)
    kept = make("A", "m*").apply(table)
    assert kept.own is not None
    assert [name for name in ("a", "b", "message", "more", "_time") if kept.own.shows(name)] == [
        "a",
        "message",
        "more",
    ]
    assert read(kept) == [{"a": 1, "message": "x"}]
    assert set(IDENTITY) <= set(kept.frame.columns)


def test_a_second_choice_is_made_from_the_first() -> None:
    table = make_table([{"a": 1, "ab": 2, "b": 3}], events=True)
    assert read(make("*").apply(make("a*").apply(table))) == [{"a": 1, "ab": 2}]
    twice = make("ab", "b").apply(make("a*").apply(table))
    assert read(twice) == [{"ab": 2}]
    assert twice.own is not None
    assert not twice.own.shows("b")

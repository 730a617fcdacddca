"""`drop`: without some columns."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, mixed_rows, read
from tests.properties import examples

from logboom.engine.pipes.columns.drop import make_drop
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.table import IDENTITY
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(*names: str) -> RowPipe:
    return make_drop(ast.Drop(names), Conditions())


def test_columns_are_gone() -> None:
    table = make("A", "b.*").apply(make_table([{"a": 1, "b.x": 2, "b": 3, "c": 4}]))
    assert table.columns == ("b", "c")
    assert read(table) == [{"b": 3, "c": 4}]


names = st.lists(st.sampled_from(["a", "B", "message", "zz"]), min_size=1)


@settings(max_examples=examples(100), deadline=None)
@given(names, mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(
    dropped: list[str], rows: list[Row], cuts: list[int]
) -> None:
    folded = {name.lower() for name in dropped}
    expected = [
        {name: cell for name, cell in row.items() if name not in folded and cell is not None}
        for row in rows
    ]
    assert apply_split(make(*dropped), make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert make("a").apply(make_table([])).height == 0
    assert read(make("a").apply(make_table([{"b": 1}]))) == [{"b": 1}]
    assert not make("a").needs().fields


def test_of_events_the_fields_are_hidden_but_they_stay_events() -> None:
    table = make_table([{"a1": 1, "b": 2}], events=True)
    kept = make("A*", "_time").apply(table)
    assert kept.own is not None
    assert [name for name in ("a1", "a2", "b", "_time") if kept.own.shows(name)] == ["b"]
    assert read(kept) == [{"b": 2}]
    assert set(IDENTITY) <= set(kept.frame.columns)

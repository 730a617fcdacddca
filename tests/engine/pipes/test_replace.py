"""`replace`: texts inside values."""

import pytest
from hypothesis import given, settings
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, mixed_rows, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.columns.replace import make_replace
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

Pair = tuple[str, str]


def make(*pairs: Pair, fields: tuple[str, ...] = ()) -> RowPipe:
    return make_replace(ast.Replace(pairs, fields), Conditions())


def test_each_occurrence_in_the_message_is_replaced() -> None:
    table = make_table([{"message": "a.b.A $1", "x": "a"}])
    (row,) = read(make((".", "$0"), ("a", "-")).apply(table))
    assert row == {"message": "-$0b$0A $1", "x": "a"}


def test_values_that_are_no_texts_stay() -> None:
    table = make_table([{"a": 111}, {"a": "111"}, {"a": ["1", "2"]}, {}])
    assert read(make(("1", "x"), fields=("A",)).apply(table)) == [
        {"a": 111},
        {"a": "xxx"},
        {"a": ["x", "2"]},
        {},
    ]


@settings(max_examples=examples(100), deadline=None)
@given(mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    def change(cell: object) -> object:
        if isinstance(cell, list):
            return [change(each) for each in cell]
        return cell.replace("a", "é").replace("é", "zz") if isinstance(cell, str) else cell

    pipe = make(("a", "é"), ("é", "zz"), fields=("a", "message"))
    expected = [
        {k: change(v) if k in ("a", "message") else v for k, v in row.items() if v is not None}
        for row in rows
    ]
    assert apply_split(pipe, make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    pipe = make(("a", "b"))
    assert pipe.apply(make_table([])).height == 0
    table = pipe.apply(make_table([{"z": "a"}]))
    assert read(table) == [{"z": "a"}]
    assert table.columns == ("z",)
    assert pipe.needs().fields == {"message"}


def test_events_show_the_changed_field() -> None:
    table = make(("a", "b")).apply(make_table([{"message": "aa"}], events=True))
    assert table.read_rows() == [{"message": "bb"}]
    with pytest.raises(Invalid, match="_index identifies the event"):
        make(("a", "b"), fields=("_index",)).apply(table)


def test_an_empty_text_is_nothing_to_look_for() -> None:
    with pytest.raises(Invalid, match="expected a text"):
        make(("", "x"))

"""`fillnull`: a value for rows that have none."""

import pytest
from hypothesis import given, settings
from tests.engine.pipes.tables import (
    Row,
    apply_split,
    cut_lists,
    make_table,
    mixed_rows,
    read,
    run,
)
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.columns.fillnull import FillFields, make_fillnull
from logboom.engine.pipes.kinds import AnyPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(value: str | int | float | bool, *fields: str) -> AnyPipe:
    return make_fillnull(ast.FillNull(value, fields), Conditions())


def test_missing_values_are_filled() -> None:
    table = run(make(0, "a", "New"), make_table([{"a": 1, "b": 1}, {"a": "x"}, {"b": 2}]))
    assert read(table) == [
        {"a": 1, "b": 1, "New": 0},
        {"a": "x", "New": 0},
        {"a": 0, "b": 2, "New": 0},
    ]


def test_without_names_every_column_is_filled() -> None:
    table = run(make("-"), make_table([{"a": 1}, {"b": True}]))
    assert read(table) == [{"a": 1, "b": "-"}, {"a": "-", "b": True}]


@settings(max_examples=examples(100), deadline=None)
@given(mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    pipe = make("none", "a", "Z")
    assert isinstance(pipe, FillFields)
    expected = []
    for row in rows:
        known = {name: cell for name, cell in row.items() if cell is not None}
        expected.append({"a": "none", "Z": "none", **known})
    assert apply_split(pipe, make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert run(make(0, "a"), make_table([])).height == 0
    assert run(make(0), make_table([])).height == 0
    assert make(0, "a").needs().fields == {"a"}
    assert make(0).needs().everything


def test_events_are_filled_too() -> None:
    table = make_table([{"a": 1}, {"b": 2}], events=True)
    filled = run(make(0), table)
    assert filled.has_events
    assert [(row["a"], row["b"]) for row in read(filled)] == [(1, 0), (0, 2)]
    with pytest.raises(Invalid, match="_time is never missing"):
        run(make(0, "_time"), table)

"""`rex`: named groups become fields."""

import re

import pytest
from hypothesis import given, settings
from tests.engine.expressions.evaluation import rows_of_values
from tests.engine.expressions.oracle import as_text
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.compute.rex import make_rex
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(expression: str, field: str = "message") -> RowPipe:
    return make_rex(ast.Rex(expression, field), Conditions())


def test_named_groups_of_the_first_match_become_text_fields() -> None:
    pipe = make(r"user=(?<user>\w+)(?: took (?P<ms>\d+)ms)?")
    table = make_table([{"message": "user=bob took 12ms, user=eve"}, {"message": "user=eve"}])
    assert [(row["user"], row.get("ms")) for row in read(pipe.apply(table))] == [
        ("bob", "12"),
        ("eve", None),
    ]


def test_rows_without_a_match_keep_what_they_had() -> None:
    table = make_table([{"message": "x=1", "x": 9}, {"message": "none", "x": 9}])
    assert [row["x"] for row in read(make(r"x=(?<x>\d)").apply(table))] == ["1", 9]


@settings(max_examples=examples(100), deadline=None)
@given(rows_of_values, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    expression = r"(?P<b>[a-z])(?P<new>.)?"
    expected = []
    for row in rows:
        match = re.search(expression, as_text(row.get("a")) or "")
        found = {name: text for name, text in match.groupdict().items() if text} if match else {}
        expected.append({k: v for k, v in {**row, **found}.items() if v is not None})
    assert apply_split(make(expression, "a"), make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    pipe = make("(?<x>a)")
    assert pipe.apply(make_table([])).height == 0
    assert read(pipe.apply(make_table([{"z": "a"}]))) == [{"z": "a"}]
    assert pipe.needs().fields == {"message", "x"}


def test_events_show_the_new_field() -> None:
    table = make("(?<X>b+)").apply(make_table([{"message": "abb", "x": 1}], events=True))
    assert table.read_rows() == [{"X": "bb"}]
    assert table.own is not None
    assert not table.own.shows("x")


@pytest.mark.parametrize("expression", ["(", "no group", "(unnamed)"])
def test_an_expression_that_names_nothing_is_refused(expression: str) -> None:
    with pytest.raises(Invalid, match=r"^rex: "):
        make(expression)


def test_what_says_which_event_it_is_stays() -> None:
    with pytest.raises(Invalid, match="_time identifies the event"):
        make("(?<_time>a)").apply(make_table([{"message": "a"}], events=True))

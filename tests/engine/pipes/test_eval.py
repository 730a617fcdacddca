"""`eval`: fields computed from others."""

import pytest
from hypothesis import given, settings
from tests.engine.expressions.evaluation import rows_of_values
from tests.engine.expressions.oracle import evaluate
from tests.engine.expressions.test_against_naive import expressions, is_same
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.compute.eval import make_eval
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

A, B = ast.Field("a"), ast.Field("b")


def make(**assignments: ast.Expression) -> RowPipe:
    return make_eval(ast.Eval(tuple(assignments.items())), Conditions())


def test_fields_are_computed_in_order() -> None:
    pipe = make(b=ast.Binary("*", A, ast.Literal(2)), c=ast.Binary("+", B, ast.Literal(1)))
    table = pipe.apply(make_table([{"a": 1}, {"a": "4"}, {"a": "x"}]))
    assert read(table) == [{"a": 1, "b": 2, "c": 3}, {"a": "4", "b": 8, "c": 9}, {"a": "x"}]
    assert table.columns == ("a", "b", "c")


def test_a_field_is_replaced_whatever_type_it_had() -> None:
    pipe = make(a=ast.Call("if", (ast.Binary(">", A, ast.Literal(1)), ast.Literal("many"), A)))
    table = pipe.apply(make_table([{"a": 1}, {"a": 2}, {"a": 0.5}, {}]))
    assert read(table) == [{"a": 1}, {"a": "many"}, {"a": 0.5}, {}]


def test_null_takes_the_value_away() -> None:
    table = make(a=ast.Literal(None)).apply(make_table([{"a": 1, "b": 2}]))
    assert read(table) == [{"b": 2}]


@settings(max_examples=examples(60), deadline=None)
@given(expressions, rows_of_values, cut_lists)
def test_agrees_with_the_rows_one_by_one(
    expression: ast.Expression, rows: list[Row], cuts: list[int]
) -> None:
    pipe = make(x=expression, y=ast.Call("isnull", (ast.Field("x"),)))
    found = apply_split(pipe, make_table(rows), cuts)
    expected = [evaluate(expression, row) for row in rows]
    assert all(map(is_same, [row.get("x") for row in found], expected))
    assert [row["y"] for row in found] == [value is None for value in expected]


def test_nothing_and_missing_fields() -> None:
    pipe = make(b=ast.Binary("+", A, ast.Literal(1)))
    assert pipe.apply(make_table([])).height == 0
    assert read(pipe.apply(make_table([{"z": 1}]))) == [{"z": 1}]
    assert pipe.needs().fields == {"a"}


def test_events_show_the_computed_field_instead_of_their_own() -> None:
    table = make(A=ast.Literal("new")).apply(make_table([{"a": "old"}], events=True))
    assert table.own is not None
    assert not table.own.shows("a")
    assert table.read_rows() == [{"A": "new"}]


def test_what_says_which_event_it_is_stays() -> None:
    with pytest.raises(Invalid, match="_time identifies the event"):
        make(_time=ast.Literal(1)).apply(make_table([{"a": 1}], events=True))
    assert read(make(_time=ast.Literal(1)).apply(make_table([{"a": 1}]))) == [{"a": 1, "_time": 1}]

"""`where`: filters and expressions on rows."""

from hypothesis import given, settings
from tests.engine.expressions.evaluation import rows_of_values
from tests.engine.expressions.oracle import evaluate
from tests.engine.expressions.test_against_naive import expressions
from tests.engine.pipes.tables import (
    Row,
    apply_split,
    cut_lists,
    find_ids,
    make_table,
    read,
)
from tests.properties import examples

from logboom.engine.pipes.choose.where import make_where
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

CONDITIONS = Conditions(now_ns=10_000_000_000)
SLOW = ast.Where(ast.Truth(ast.Binary(">", ast.Field("ms"), ast.Literal(5))))


def test_rows_stay_for_which_the_expression_is_true() -> None:
    table = make_table([{"ms": 1}, {"ms": "12"}, {"ms": "fast"}, {"ms": 7.5}, {}])
    kept = make_where(SLOW, CONDITIONS).apply(table)
    assert [row["ms"] for row in read(kept)] == ["12", "fast", 7.5]


def test_filters_and_expressions_mix() -> None:
    filter_ = ast.And((ast.Match("level", ast.Pattern.literal("error")), SLOW.filter))
    table = make_table([{"level": "ERROR", "ms": 9}, {"level": "error", "ms": 1}, {"ms": 9}])
    kept = make_where(ast.Where(filter_), CONDITIONS).apply(table)
    assert read(kept) == [{"level": "ERROR", "ms": 9}]


def test_the_clock_is_that_of_the_query() -> None:
    age = ast.Binary("-", ast.Call("now", ()), ast.Field("_time"))
    recent = ast.Where(ast.Truth(ast.Binary("<", age, ast.Literal(5))))
    table = make_table([{"_time": 9_000_000_000}, {"_time": 1_000_000_000}], events=True)
    assert make_where(recent, CONDITIONS).apply(table).height == 1


@settings(max_examples=examples(60), deadline=None)
@given(expressions, rows_of_values, cut_lists)
def test_agrees_with_the_rows_one_by_one(
    expression: ast.Expression, rows: list[Row], cuts: list[int]
) -> None:
    pipe = make_where(ast.Where(ast.Truth(expression)), CONDITIONS)
    expected = []
    for row in rows:
        value = evaluate(expression, row)
        first = value[0] if isinstance(value, list) else value
        expected += [row["id"]] if first is True else []
    assert [row["id"] for row in apply_split(pipe, make_table(rows), cuts)] == expected


def test_nothing_and_missing_fields() -> None:
    pipe = make_where(SLOW, CONDITIONS)
    assert pipe.apply(make_table([])).height == 0
    assert pipe.apply(make_table([{"a": 1}])).height == 0
    assert pipe.needs().fields == {"ms"}


def test_events_stay_events() -> None:
    table = make_table([{"id": 1, "ms": 9}, {"id": 2, "ms": 1}], events=True)
    kept = make_where(SLOW, CONDITIONS).apply(table)
    assert kept.has_events
    assert find_ids(kept) == [1]

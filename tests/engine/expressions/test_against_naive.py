"""Expressions over columns give what a naive evaluator gives row by row, however rows are split."""

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.expressions.evaluation import compute, rows_of_values
from tests.engine.expressions.oracle import FUNCTIONS, OPERATORS, evaluate
from tests.engine.pipes.tables import Row, cut_lists, make_table, scalars, split
from tests.properties import examples

from logboom.lang import ast
from logboom.lang.functions import FUNCTIONS as SIGNATURES

literals = st.one_of(scalars, st.none(), st.sampled_from([2, 3, -1, 0.5])).map(ast.Literal)
fields = st.sampled_from(["a", "B", "message", "id", "missing"]).map(ast.Field)
leaves = st.one_of(fields, fields, literals)


@st.composite
def calls(draw: st.DrawFn, operands: st.SearchStrategy[Any]) -> ast.Call:
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    least = SIGNATURES[name].minimum
    most = {"tonumber": 1, "tostring": 1, "mvindex": 2}.get(
        name, min(SIGNATURES[name].maximum or 5, 5)
    )
    count = draw(st.integers(least, most))
    return ast.Call(name, tuple(draw(operands) for _ in range(count)))


def extend(operands: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(ast.Binary, st.sampled_from(sorted(OPERATORS)), operands, operands),
        calls(operands),
        st.builds(ast.Negative, operands),
        st.builds(ast.Inverse, operands),
    )


expressions = st.recursive(leaves, extend, max_leaves=6)


def is_same(found: Any, expected: Any) -> bool:
    """Of the same type, floats up to rounding."""
    if isinstance(expected, list):
        return isinstance(found, list) and found == expected
    if type(found) is not type(expected):
        return False
    if isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9)
    return bool(found == expected)


@settings(max_examples=examples(200), deadline=None)
@given(expressions, rows_of_values, cut_lists)
def test_columns_and_rows_agree(
    expression: ast.Expression, rows: list[Row], cuts: list[int]
) -> None:
    table = make_table(rows)
    found = [value for piece in split(table, cuts) for value in compute(expression, piece)]
    expected = [evaluate(expression, row) for row in rows]
    different = [
        (row, one, other)
        for row, one, other in zip(rows, found, expected, strict=True)
        if not is_same(one, other)
    ]
    assert not different

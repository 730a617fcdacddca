"""Any function takes any arguments: it gives values, or says what it expected."""

import contextlib
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.expressions.evaluation import compute
from tests.engine.pipes.tables import Row, make_table, mixed_rows, scalars
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.lang import ast
from logboom.lang.functions import FUNCTIONS

ZONE = ZoneInfo("America/Sao_Paulo")
MOMENTS = st.integers(-(2**63), 2**63 - 1)
ODD: list[Any] = [
    "%Y-%m-%d", "%H", "%", "%!", "%s", "%3N", "%Z %z", "5m", "1d", "-1d@d", "@w1", "1mon", "(a)", "(?<x>.)",
    "10.0.0.0/8", "::1", "2026-01-01", "a.b", "%25", "{}", "[", -1, 3, 64, 0.5, 1e18,
]  # fmt: skip
leaves: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["a", "b", "_time", "message", "missing"]).map(ast.Field),
    scalars.map(ast.Literal),
    st.sampled_from(ODD).map(ast.Literal),
    st.just(ast.Call("now", ())),
    st.just(ast.Call("split", (ast.Field("a"), ast.Literal("")))),
)
rows_with_times = st.tuples(mixed_rows, st.lists(MOMENTS, min_size=12, max_size=12)).map(
    lambda drawn: [{**row, "_time": time} for row, time in zip(*drawn, strict=False)]
)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@settings(max_examples=examples(24), deadline=None)
@given(data=st.data())
def test_a_function_gives_values_or_says_what_it_expected(name: str, data: st.DataObject) -> None:
    signature = FUNCTIONS[name]
    most = 5 if signature.maximum is None else signature.maximum
    count = data.draw(st.integers(signature.minimum, most))
    call = ast.Call(name, tuple(data.draw(leaves) for _ in range(count)))
    rows: list[Row] = data.draw(rows_with_times)
    with contextlib.suppress(Invalid):
        assert len(compute(call, make_table(rows), ZONE)) == len(rows)


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(sorted(ast.OPERATORS)), leaves, leaves, rows_with_times)
def test_an_operator_does_too(
    operator: str, left: ast.Expression, right: ast.Expression, rows: list[Row]
) -> None:
    with contextlib.suppress(Invalid):
        assert len(compute(ast.Binary(operator, left, right), make_table(rows), ZONE)) == len(rows)

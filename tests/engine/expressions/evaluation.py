"""Expressions as text, computed over plain rows."""

from datetime import UTC, tzinfo
from typing import Any

from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, make_table, mixed_rows

from logboom.engine.expressions import build_expression
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.expressions import parse_expression

NOW_NS = 1_790_000_000_000_000_000
"""2026-09-21T14:13:20Z."""
RESULT = "result"
rows_of_values: st.SearchStrategy[list[Row]] = mixed_rows.map(
    lambda rows: [{name: cell for name, cell in row.items() if cell != []} for row in rows]
)
"""Events have no empty lists: an empty array is no value."""


def evaluate(text: str, row: Row | None = None, zone: tzinfo = UTC) -> Any:
    """Return the value of an expression for one row, as it would be answered."""
    expression = parse_expression(Cursor(text))
    (value,) = compute(expression, make_table([row or {"other": 1}]), zone)
    return value


def compute(expression: ast.Expression, table: Table, zone: tzinfo = UTC) -> list[Any]:
    """Return the value of an expression in each row."""
    value = build_expression(expression, table, Conditions(NOW_NS, zone))
    return table.with_field(RESULT, dict(value.parts)).read_column(RESULT)

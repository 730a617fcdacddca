"""Filters on tables that an earlier pipe made: other columns, times among the values, perhaps no rows."""

from collections.abc import Sequence
from typing import Any

from tests.engine.pipes.tables import make_table
from tests.together import together

from logboom.engine.filters import build_filter
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

SECOND_NS = 10**9
ROWS: list[dict[str, Any]] = [
    {"name": "first", "_time": 5 * SECOND_NS, "count": 3},
    {"name": "Second", "_time": 65 * SECOND_NS, "count": "4"},
    {"name": ["x", "third"], "count": 2.5},
    {"count": True},
]
FIRST = ast.Pattern.literal("FIRST")


def find(node: Filter, rows: Sequence[dict[str, Any]] = ROWS, **conditions: Any) -> list[int]:
    """The numbers of the rows that a filter keeps."""
    table = make_table([{**row, "row": number} for number, row in enumerate(rows)])
    kept = table.filter(build_filter(node, table, Conditions(**conditions)))
    numbers: list[int] = kept.read_column("row")
    return numbers


@together(
    ("node", "found"),
    [
        (ast.Everything(), [0, 1, 2, 3]),
        (ast.Word("IR"), [0, 2]),
        (ast.Match("NAME", FIRST), [0]),
        (ast.Match("_time", ast.Pattern.literal("1970-01-01T00:01:05z")), [1]),
        (ast.Exact("_time", "1970-01-01T00:01:05Z"), [1]),
        (ast.Match("_time", ast.Pattern(("1970", ast.Wildcard.ANY, "5Z"))), [0, 1]),
        (ast.Compare("_time", ">", ast.Quantity(5)), [1]),
        (ast.Compare("count", "<", ast.Quantity(4)), [0, 2]),
        (ast.Exists("_time"), [0, 1]),
        (ast.AnyField(ast.Pattern.literal("3")), [0, 3]),
        (ast.ScopeFilter("index", FIRST), []),
        (ast.Network("name", "0.0.0.0/0"), []),
        (Within(0, 6 * SECOND_NS), [0]),
        (Within(6 * SECOND_NS, 2**63), [1]),
        (Within(2**63, 2**64), []),
        (Within(-(2**64), -(2**63)), []),
        (Values("count", (4, True)), [1, 3]),
        (ast.Not(ast.Exists("nothing")), [0, 1, 2, 3]),
        (ast.Compare("count", "<", ast.Quantity(10**400)), [0, 1, 2]),
        (ast.Compare("count", "<", ast.Quantity(-(10**400))), []),
    ],
)
def test_a_filter_keeps_its_rows(node: Filter, found: list[int]) -> None:
    assert find(node) == found
    assert find(ast.Not(node)) == [  # type: ignore[arg-type]
        number for number in range(len(ROWS)) if number not in found
    ]
    assert find(node, []) == []


def test_an_expression_must_be_true_and_knows_the_clock() -> None:
    is_first = ast.Truth(ast.Binary("==", ast.Field("name"), ast.Literal("first")))
    assert find(is_first) == [0]
    assert find(ast.Not(is_first)) == [1, 2, 3]
    assert find(ast.Truth(ast.Field("count"))) == [3]
    now = ast.Call("now", ())
    recent = ast.Truth(ast.Binary(">", ast.Field("_time"), ast.Binary("-", now, ast.Literal(10))))
    assert find(recent, now_ns=70 * SECOND_NS) == [1]
    assert find(ast.And((recent, ast.Exists("name"))), now_ns=14 * SECOND_NS) == [0, 1]
    assert find(recent, now_ns=90 * SECOND_NS) == []

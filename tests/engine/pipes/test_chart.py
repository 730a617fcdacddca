"""`chart`: rows of one field, columns of another."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from tests.engine.pipes.tables import Row, cut_lists, make_table, mixed_rows, read, run, run_split
from tests.properties import examples

from logboom.engine.pipes.groups.chart import Chart, make_chart
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse import parse


def make(text: str) -> Chart:
    (pipe,) = parse(f"* | chart {text}").pipes
    assert isinstance(pipe, ast.Chart)
    return make_chart(pipe, Conditions())


def chart(text: str, rows: list[Row]) -> list[dict[str, Any]]:
    return run(make(text), make_table(rows)).read_rows()


ROWS: list[Row] = [
    {"host": "b", "status": 200, "n": 1},
    {"host": "a", "status": 200, "n": 2},
    {"host": "a", "status": 500, "n": 3},
    {"host": "a", "status": 404, "n": 4},
    {"host": "a", "n": 5},
    {"status": 200, "n": 6},
]


def test_values_become_rows_and_columns() -> None:
    assert chart("count over host by status", ROWS) == [
        {"host": "a", "200": 1, "404": 1, "500": 1, "NULL": 1},
        {"host": "b", "200": 1, "404": 0, "500": 0, "NULL": 0},
        {"host": None, "200": 1, "404": 0, "500": 0, "NULL": 0},
    ]


def test_the_largest_columns_are_kept() -> None:
    assert chart("limit=1 sum(n) by host, status", ROWS)[0] == {
        "host": "a",
        "200": 2,
        "OTHER": 7,
        "NULL": 5,
    }
    assert chart("limit=1 useother=f usenull=f sum(n) by host, status", ROWS)[0] == {
        "host": "a",
        "200": 2,
    }


def test_several_aggregates_and_buckets() -> None:
    assert chart("max(n) as top, count over n span=4 by host", ROWS[:3]) == [
        {"n": 0, "top: a": 3, "top: b": 1, "count: a": 2, "count: b": 1}
    ]


def test_fields_nobody_has_and_no_rows() -> None:
    assert chart("count over zz by status", ROWS[:1]) == [{"zz": None, "200": 1}]
    assert chart("count over host by zz", ROWS[:1]) == [{"host": "b", "NULL": 1}]
    assert chart("count over host by status", []) == []


@settings(max_examples=examples(50), deadline=None)
@given(mixed_rows, cut_lists)
def test_counts_agree_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    pipe = make("limit=1000 count over kind by a")
    named = [{**row, "kind": type(row.get("a")).__name__} for row in rows]
    table = make_table(named)
    found = run_split(pipe, table, cuts)
    totals = {row["kind"]: sum(v for k, v in row.items() if k != "kind") for row in read(found)}
    assert totals == Counter(row["kind"] for row in named)

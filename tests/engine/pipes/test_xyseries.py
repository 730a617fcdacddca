"""`xyseries`, `untable` and `addtotals`: columns from values, values from columns, sums over columns."""

import pytest
from tests.engine.pipes.tables import Row, make_table, read, run

from logboom.base.errors import Invalid, TooLarge
from logboom.engine.pipes import PIPES
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.limits import Limits
from logboom.lang.parse import parse


def apply(text: str, rows: list[Row], *, events: bool = False, max_rows: int = 1000) -> list[Row]:
    (pipe,) = parse(f"* | {text}").pipes
    conditions = Conditions(limits=Limits(max_rows=max_rows))
    return read(run(PIPES[type(pipe)](pipe, conditions), make_table(rows, events=events)))


CELLS: list[Row] = [
    {"host": "b", "status": 200, "n": 1},
    {"host": "a", "status": "x", "n": "many"},
    {"host": "a", "status": 200, "n": 2},
    {"host": "a", "n": 3},
    {"status": 200, "n": 4},
]


def test_values_of_a_column_become_columns() -> None:
    assert apply("xyseries host, status, n", CELLS) == [
        {"host": "b", "200": 1},
        {"host": "a", "200": 2, "x": "many"},
    ]


def test_a_series_of_fields_nobody_has_and_of_no_rows() -> None:
    assert apply("xyseries zz, status, n", CELLS) == []
    assert apply("xyseries host, zz, n", CELLS) == []
    assert apply("xyseries host, status, zz", CELLS) == [{"host": "b"}, {"host": "a"}]
    assert apply("xyseries host, status, n", []) == []


def test_a_series_has_not_more_columns_than_can_be_read() -> None:
    rows = [{"host": "a", "status": number, "n": 1} for number in range(1001)]
    with pytest.raises(TooLarge, match="would make 1001 columns"):
        apply("xyseries host, status, n", rows)


def test_columns_become_values() -> None:
    rows: list[Row] = [{"host": "a", "n": 1, "t": "x"}, {"host": "b", "t": ["p", "q"]}, {"n": 2}]
    assert apply("untable host, name, value", rows) == [
        {"host": "a", "name": "n", "value": 1},
        {"host": "a", "name": "t", "value": "x"},
        {"host": "b", "name": "t", "value": ["p", "q"]},
        {"name": "n", "value": 2},
    ]
    assert apply("untable host, name, value", []) == []


def test_rows_are_counted_before_they_are_made() -> None:
    rows: list[Row] = [{"host": "a", "n": 1, "t": "x"}] * 5
    with pytest.raises(TooLarge, match="up to 10 rows, expected at most 9"):
        apply("untable host, name, value", rows, max_rows=9)
    assert len(apply("untable host, name, value", rows, max_rows=10)) == 10


def test_totals_are_of_numbers() -> None:
    rows: list[Row] = [{"a": 1, "b": 2.5, "c": "x"}, {"a": "3"}, {"c": "y"}]
    assert [row["Total"] for row in apply("addtotals", rows)] == [3.5, 3, 0]
    named = apply("addtotals fieldname=sum a, zz", rows)
    assert [row["sum"] for row in named] == [1, 3, 0]
    assert apply("addtotals", []) == []
    with pytest.raises(Invalid, match="_time identifies the event"):
        apply("addtotals fieldname=_time a", rows, events=True)

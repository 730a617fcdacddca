"""`union`: the rows of two queries."""

from hypothesis import given
from tests.engine.pipes.tables import Beside, Row, find_ids, make_table, mixed_rows, read, run

from logboom.engine.pipes.combine.union import make_union
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

UNION = make_union(ast.Union(ast.Query(ast.Everything())), Conditions())


def test_events_of_both_come_newest_first() -> None:
    table = make_table([{"id": 0, "_time": 40}, {"id": 1, "_time": 20}], events=True)
    other = make_table([{"id": 2, "_time": 30}, {"id": 3, "_time": 10}], events=True)
    both = run(UNION, table, Beside(other))
    assert both.has_events
    assert find_ids(both) == [0, 2, 1, 3]


def test_events_and_a_table_are_a_table() -> None:
    table = make_table([{"Host": "a", "_time": 40}], events=True)
    other = make_table([{"host": "b", "n": 1}])
    both = run(UNION, table, Beside(other))
    assert both.columns == ("_time", "host", "n")
    assert read(both) == [{"_time": 40, "host": "a"}, {"host": "b", "n": 1}]


@given(mixed_rows, mixed_rows)
def test_rows_of_tables_come_one_after_the_other(rows: list[Row], others: list[Row]) -> None:
    found = read(run(UNION, make_table(rows), Beside(make_table(others))))
    expected = [*rows, *others]
    assert found == [{k: v for k, v in row.items() if v is not None} for row in expected]


def test_fields_that_are_hidden_stay_so() -> None:
    table = make_table([{"id": 0, "secret": 1}], events=True).without("secret")
    other = make_table([{"id": 1, "secret": 2}], events=True)
    both = run(UNION, table, Beside(other))
    assert [row.get("secret") for row in read(both)] == [None, 2]


def test_fields_that_no_event_has_are_no_columns() -> None:
    table = make_table([{"host": "a"}, {"source": "b"}], events=True)
    first = table.with_frame(table.frame[:1])
    assert "source" not in run(UNION, first, Beside(make_table([{"n": 1}]))).columns


def test_nothing_and_nothing_is_nothing() -> None:
    assert run(UNION, make_table([]), Beside(make_table([]))).height == 0
    assert UNION.needs().everything

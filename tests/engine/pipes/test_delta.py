"""`delta`: adds the difference to the value in the row before."""

from typing import Any

from hypothesis import given, settings
from tests.engine.aggregates.naive import agrees, read_number
from tests.engine.pipes.tables import (
    Row,
    find_first,
    make_table,
    mixed_rows,
    read,
    run,
    sort_newest,
)

from logboom.engine.pipes.groups.delta import make_delta
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def delta(field: str, table: Table) -> Table:
    return run(make_delta(ast.Delta(field, "d"), Conditions()), table)


def find_differences(values: list[Any]) -> list[Any]:
    return [
        row.get("d") for row in read(delta("X", make_table([{"x": value} for value in values])))
    ]


def test_it_is_the_difference_to_the_row_before() -> None:
    assert find_differences([5, 7, "10", 2.5, None, 4, 5]) == [None, 2, 3, -7.5, None, None, 1]


def test_integers_are_exact_as_long_as_they_fit() -> None:
    assert find_differences([2**62, 2**62 + 1]) == [None, 1]
    assert find_differences([-(2**63), 2**63 - 1]) == [None, 2.0**64]


def test_times_differ_by_seconds() -> None:
    rows = [{"_time": 3_500_000_000}, {"_time": 1_000_000_000}]
    found = delta("_time", make_table(rows, events=True))
    assert found.has_events
    assert [row.get("d") for row in read(found)] == [None, -2.5]


@settings(deadline=None)
@given(mixed_rows)
def test_rows_get_what_plain_python_gives(rows: list[Row]) -> None:
    rows = sort_newest(rows)
    numbers = [read_number(find_first(row.get("a"))) for row in rows]
    found = [row.get("d") for row in read(delta("a", make_table(rows, events=True)))]
    for place, difference in enumerate(found):
        before, number = numbers[place - 1] if place else None, numbers[place]
        expected = None if before is None or number is None else number - before
        if isinstance(expected, int) and not -(2**63) <= expected < 2**63:
            expected = float(expected)
        assert agrees(difference, expected), (difference, expected)


def test_no_rows_stay_none_and_a_missing_field_gives_nothing() -> None:
    assert read(delta("x", make_table([], events=True))) == []
    assert read(delta("x", make_table([{"a": 1}]))) == [{"a": 1}]


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    count = ast.Stats((ast.Aggregate("count", name="n"),), (ast.Key("a"),))
    counted = run(make_stats(count, Conditions()), make_table([{"a": a} for a in "xxxy"]))
    assert [row.get("d") for row in read(delta("n", counted))] == [None, -2]

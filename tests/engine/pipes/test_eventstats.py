"""`eventstats`: adds to each row the aggregates of its group."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.aggregates.naive import aggregate, agrees
from tests.engine.pipes.tables import Row, make_key, make_table, mixed_rows, read, run, sort_newest

from logboom.engine.pipes.groups.eventstats import EventStats, make_eventstats
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

FUNCTIONS = ("count", "sum", "max", "list", "first", "last", "mode")


def eventstats(function: str, field: str, *keys: str) -> EventStats:
    result = ast.Aggregate(function, ast.Field(field), name="result")
    return make_eventstats(ast.EventStats((result,), tuple(map(ast.Key, keys))), Conditions())


def test_each_row_gets_the_result_of_its_group() -> None:
    rows = [{"host": host, "size": size} for host, size in [("a", 1), ("b", 5), ("a", 2)]]
    found = read(run(eventstats("sum", "size", "Host"), make_table(rows)))
    assert [row["result"] for row in found] == [3, 5, 3]
    assert [{k: v for k, v in row.items() if k != "result"} for row in found] == rows


@settings(deadline=None)
@given(
    mixed_rows, st.sampled_from(FUNCTIONS), st.lists(st.sampled_from("ab"), max_size=2, unique=True)
)
def test_rows_get_what_plain_python_gives(rows: list[Row], function: str, keys: list[str]) -> None:
    rows = sort_newest(rows)

    def find_key(row: Row) -> Any:
        return [make_key(row.get(key)) for key in keys]

    found = run(eventstats(function, "message", *keys), make_table(rows, events=True))
    assert found.has_events
    for row, other in zip(read(found), rows, strict=True):
        members = [each for each in rows if find_key(each) == find_key(other)]
        assert row["id"] == other["id"]
        expected = aggregate(function, members, "message")
        assert agrees(row.get("result"), expected, 1e300), (row, expected)


def test_no_rows_stay_none_and_a_missing_field_gives_nothing() -> None:
    assert read(run(eventstats("sum", "x", "a"), make_table([], events=True))) == []
    assert read(run(eventstats("sum", "x", "none"), make_table([{"a": 1}]))) == [{"a": 1}]


def test_it_takes_the_place_of_a_field_of_that_name() -> None:
    first = run(eventstats("count", "a"), make_table([{"a": "x", "result": "old"}, {"a": "y"}]))
    assert [row["result"] for row in read(first)] == [2, 2]
    again = run(eventstats("max", "result", "a"), first)
    assert [row["result"] for row in read(again)] == [2, 2]

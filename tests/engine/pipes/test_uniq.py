"""`uniq`: each combination of values once."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_first,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
    run_split,
)

from logboom.engine.pipes.groups.uniq import Uniq, make_uniq
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def uniq(*fields: str) -> Uniq:
    return make_uniq(ast.Uniq(fields), Conditions())


def test_each_value_is_there_once_with_its_count() -> None:
    rows = [{"host": host} for host in ["b", "a", "b", None]]
    assert read(run_split(uniq("host"), make_table(rows, events=True), [1])) == [
        {"host": "b", "count": 2},
        {"host": "a", "count": 1},
    ]


@settings(deadline=None)
@given(mixed_rows, cut_lists)
def test_pieces_of_events_give_what_plain_python_does(rows: list[Row], cuts: list[int]) -> None:
    expected: Counter[Any] = Counter(
        (make_key(row.get("a")), make_key(row.get("b")))
        for row in rows
        if find_first(row.get("a")) is not None or find_first(row.get("b")) is not None
    )
    found = read(run_split(uniq("a", "b"), make_table(rows, events=True), cuts))
    counts = [((make_key(row.get("a")), make_key(row.get("b"))), row["count"]) for row in found]
    assert dict(counts) == expected
    assert len(counts) == len(expected)


def test_no_rows_and_no_field_give_no_rows() -> None:
    assert read(run(uniq("a"), make_table([], events=True))) == []
    assert read(run(uniq("none"), make_table([{"a": 1}], events=True))) == []


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    counts = run(uniq("a"), make_table([{"a": value} for value in "xyxz"], events=True))
    again = uniq("a", "b")
    assert [row["count"] for row in read(run(again, counts.without("count")))] == [1, 1, 1]

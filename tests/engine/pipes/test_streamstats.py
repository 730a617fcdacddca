"""`streamstats`: adds to each row the aggregates of the rows up to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.aggregates.naive import aggregate, agrees
from tests.engine.pipes.tables import Row, make_key, make_table, mixed_rows, read, run, sort_newest

from logboom.base.errors import TooLarge
from logboom.engine.pipes.groups.eventstats import make_eventstats
from logboom.engine.pipes.groups.streamstats import StreamStats, make_streamstats
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

FUNCTIONS = (
    "count",
    "count_uniq",
    "sum",
    "max",
    "median",
    "list",
    "first",
    "last",
    "mode",
    "stdev",
)


def streamstats(function: str, field: str, *keys: str, window: int | None = None) -> StreamStats:
    result = ast.Aggregate(function, ast.Field(field), name="result")
    made = tuple(map(ast.Key, keys))
    return make_streamstats(ast.StreamStats((result,), made, window), Conditions())


def compute(pipe: StreamStats, values: list[int]) -> list[object]:
    return [
        row["result"] for row in read(run(pipe, make_table([{"x": value} for value in values])))
    ]


def test_each_row_gets_the_result_of_the_rows_up_to_it() -> None:
    assert compute(streamstats("sum", "x"), [1, 2, 3, 4, 5]) == [1, 3, 6, 10, 15]
    assert compute(streamstats("list", "x"), [7, 8, 9]) == [[7], [7, 8], [7, 8, 9]]


def test_a_window_keeps_the_last_rows() -> None:
    assert compute(streamstats("sum", "x", window=3), [1, 2, 3, 4, 5]) == [1, 3, 6, 9, 12]
    assert compute(streamstats("max", "x", window=2), [5, 1, 2]) == [5, 5, 2]


def test_rows_without_a_number_do_not_spoil_a_deviation() -> None:
    rows: list[Row] = [{"x": value} for value in (None, "a", None, "b", 1, None, 2, 3)]
    found = [row.get("result") for row in read(run(streamstats("stdev", "x"), make_table(rows)))]
    assert found[-1] == 1.0
    assert found[:6] == [None] * 6


@settings(deadline=None)
@given(
    mixed_rows,
    st.sampled_from(FUNCTIONS),
    st.lists(st.sampled_from("ab"), max_size=1),
    st.none() | st.integers(1, 13),
)
def test_rows_get_what_plain_python_gives(
    rows: list[Row], function: str, keys: list[str], window: int | None
) -> None:
    rows = sort_newest(rows)
    pipe = streamstats(function, "message", *keys, window=window)
    found = run(pipe, make_table(rows, events=True))
    assert found.has_events
    for place, row in enumerate(read(found)):
        members = [
            each
            for each in rows[: place + 1]
            if all(make_key(each.get(key)) == make_key(rows[place].get(key)) for key in keys)
        ]
        expected = aggregate(function, members[-window:] if window else members, "message")
        assert row["id"] == rows[place]["id"]
        assert agrees(row.get("result"), expected, 1e300), (row, expected)


def test_no_rows_stay_none_and_a_missing_field_gives_nothing() -> None:
    assert read(run(streamstats("sum", "x", "a"), make_table([], events=True))) == []
    assert read(run(streamstats("sum", "x", "none"), make_table([{"a": 1}]))) == [{"a": 1}]


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    count = ast.Aggregate("count", name="n")
    counted = run(
        make_eventstats(ast.EventStats((count,)), Conditions()), make_table([{"a": 1}, {"a": 2}])
    )
    assert [row["result"] for row in read(run(streamstats("sum", "n"), counted))] == [2, 4]


def test_more_values_than_can_be_held_are_refused() -> None:
    table = make_table([{"x": 1}] * 7000)
    assert read(run(streamstats("sum", "x"), table))[-1]["result"] == 7000
    with pytest.raises(TooLarge, match="streamstats would hold 24503500 values, expected at most"):
        run(streamstats("median", "x"), table)

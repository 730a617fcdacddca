"""`timechart`: one row per span of time, empty ones too."""

from collections import Counter
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, cut_lists, make_table, read, run, run_split

from logboom.base.errors import Invalid
from logboom.engine.pipes.groups.eventstats import make_eventstats
from logboom.engine.pipes.groups.timechart import Timechart, make_timechart
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.spans import begin_span
from logboom.lang import ast

SECOND = 10**9
COUNT = ast.Aggregate("count", name="count")
SUM = ast.Aggregate("sum", ast.Field("size"), name="sum")
MINUTE = ast.Quantity(1, "m")
times = st.one_of(st.integers(0, 600), st.integers(0, 10**6), st.integers(0, 10**9))
timed_rows: st.SearchStrategy[list[Row]] = st.lists(
    st.fixed_dictionaries(
        {"_time": times.map(lambda second: second * SECOND)},
        optional={
            "host": st.sampled_from(["a", "A", "b", "c", 1, True, "null", '"null"', "Other"])
        },
    ),
    max_size=10,
)


def timechart(
    *aggregates: ast.Aggregate,
    span: ast.Quantity | None = MINUTE,
    by: str | None = None,
    **given: Any,
) -> Timechart:
    limit = given.pop("limit", 10)
    key = None if by is None else ast.Key(by)
    return make_timechart(
        ast.Timechart(aggregates or (COUNT,), span, key, limit), Conditions(**given)
    )


def test_spans_without_rows_are_there_too() -> None:
    rows = [{"_time": second * SECOND, "size": 2} for second in (1, 3, 130)]
    found = read(run_split(timechart(COUNT, SUM), make_table(rows, events=True), [1]))
    assert found == [
        {"_time": 0, "count": 2, "sum": 4},
        {"_time": 60 * SECOND, "count": 0},
        {"_time": 120 * SECOND, "count": 1, "sum": 2},
    ]


def test_values_become_columns_the_largest_first() -> None:
    hosts = ["b", "b", "b", "a", "a", "c", "d", None]
    rows = [{"_time": place * SECOND, "host": host} for place, host in enumerate(hosts)]
    table = run_split(timechart(by="host", limit=2), make_table(rows, events=True), [3, 5])
    assert table.columns == ("_time", "b", "a", "OTHER", "NULL")
    assert read(table) == [{"_time": 0, "b": 3, "a": 2, "OTHER": 2, "NULL": 1}]


def test_texts_that_read_like_the_labels_of_no_value_stand_in_quotes() -> None:
    hosts = ["null", "Null", "null", None, None, "other", "x", '"null"']
    rows = [{"_time": 0, "host": host, "size": 1} for host in hosts]
    table = run_split(timechart(by="host", limit=2), make_table(rows, events=True), [3, 5])
    assert read(table) == [{"_time": 0, '"Null"': 3, '""null""': 1, "OTHER": 2, "NULL": 2}]
    several = run(timechart(COUNT, SUM, by="host", limit=1), make_table(rows, events=True))
    counts = {'count: "Null"': 3, "count: OTHER": 3, "count: NULL": 2}
    assert read(several)[0].items() >= counts.items()


def test_several_aggregates_are_named_with_the_value() -> None:
    rows = [{"_time": 0, "host": "a", "size": 1}, {"_time": 0, "host": "_time", "size": 2}]
    table = run(timechart(COUNT, SUM, by="host"), make_table(rows, events=True))
    assert table.columns == ("_time", "count: _time", "count: a", "sum: _time", "sum: a")
    alone = run(timechart(by="host"), make_table(rows, events=True))
    assert alone.columns == ("_time", "count: _time", "a")


def test_other_values_are_one_group_for_every_aggregate() -> None:
    average = ast.Aggregate("avg", ast.Field("size"), name="avg")
    sizes = {"a": [100], "b": [1, 1], "c": [4]}
    rows = [{"_time": 0, "host": h, "size": size} for h, all_ in sizes.items() for size in all_]
    found = read(
        run_split(timechart(average, by="host", limit=1), make_table(rows, events=True), [2])
    )
    assert found == [{"_time": 0, "a": 100.0, "OTHER": 2.0}]


@settings(deadline=None)
@given(timed_rows, cut_lists, st.sampled_from([UTC, ZoneInfo("Asia/Kathmandu")]), st.booleans())
def test_pieces_of_events_give_what_plain_python_does(
    rows: list[Row], cuts: list[int], zone: tzinfo, is_split: bool
) -> None:
    pipe = timechart(span=None, by="host" if is_split else None, zone=zone)
    table = run_split(pipe, make_table(rows, events=True), cuts)
    found = read(table)
    assert len(found) <= 100
    starts = [row["_time"] for row in found]
    assert starts == sorted(set(starts))
    for place, start in enumerate(starts):
        end = [*starts, float("inf")][place + 1]
        inside = [row for row in rows if start <= row["_time"] < end]
        expected = Counter(label(row) if is_split else "count" for row in inside)
        counts = {name.lower(): count for name, count in found[place].items() if name != "_time"}
        assert {name: count for name, count in counts.items() if count} == expected
    assert sum(sum(row.values()) - row["_time"] for row in found) == len(rows)


def label(row: Row) -> str:
    text = str(row.get("host", "")).lower()
    return f'"{text}"' if "null" in text or text == "other" else text or "null"


@settings(deadline=None)
@given(timed_rows, cut_lists)
def test_the_chosen_span_does_not_depend_on_the_pieces(rows: list[Row], cuts: list[int]) -> None:
    pipe = timechart(span=None, zone=ZoneInfo("America/New_York"))
    table = make_table(rows, events=True)
    assert read(run_split(pipe, table, cuts)) == read(run(pipe, table))


def test_the_range_asked_for_is_shown_in_full() -> None:
    pipe = timechart(from_ns=30 * SECOND, to_ns=180 * SECOND)
    rows = [{"_time": 70 * SECOND}]
    assert [row["count"] for row in read(run(pipe, make_table(rows, events=True)))] == [0, 1, 0]
    assert [row["count"] for row in read(run(pipe, make_table([], events=True)))] == [0, 0, 0]


def test_days_begin_at_midnight_of_the_zone_also_when_clocks_change() -> None:
    zone = ZoneInfo("Europe/Berlin")
    day = ast.Quantity(1, "d")
    first_ns = (
        1_774_566_000 * SECOND
    )  # 2026-03-27T00:00 in Berlin; clocks are put forward on the 29th
    pipe = timechart(span=day, from_ns=first_ns, to_ns=first_ns + 4 * 86_400 * SECOND, zone=zone)
    starts = [row["_time"] for row in read(run(pipe, make_table([], events=True)))]
    hours = [(start - first_ns) // (3600 * SECOND) for start in starts]
    assert hours == [0, 24, 48, 71, 95]
    assert all(begin_span(start, day, zone) == start for start in starts)


def test_without_rows_and_range_there_is_nothing() -> None:
    assert read(run(timechart(), make_table([], events=True))) == []
    assert read(run(timechart(by="host"), make_table([{"host": "a"}]))) == []


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    rows = [{"_time": second * SECOND} for second in (5, 65)]
    counted = run(make_eventstats(ast.EventStats((COUNT,)), Conditions()), make_table(rows))
    largest = ast.Aggregate("max", ast.Field("count"), name="most")
    found = read(run(timechart(largest), counted))
    assert found == [{"_time": 0, "most": 2}, {"_time": 60 * SECOND, "most": 2}]


def test_too_many_rows_are_refused_with_a_span_that_fits() -> None:
    pipe = timechart(span=ast.Quantity(1, "s"), from_ns=0, to_ns=86_400 * SECOND)
    with pytest.raises(Invalid, match="span 1s makes more than 10000 rows, expected 10s or longer"):
        run(pipe, make_table([], events=True))

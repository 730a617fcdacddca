"""`transaction`: rows of the same values that lie close to each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Row,
    find_first,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
    sort_newest,
)

from logboom.base.errors import Invalid
from logboom.engine.pipes.groups.transaction import MAX_MESSAGES, Transaction, make_transaction
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

SECOND_NS = 10**9


def limit(nanoseconds: int | None) -> ast.Quantity | None:
    return None if nanoseconds is None else ast.Quantity(nanoseconds, "ns")


def transaction(
    *fields: str,
    span: int | None = None,
    pause: int | None = None,
    start: ast.Filter | None = None,
    end: ast.Filter | None = None,
) -> Transaction:
    pipe = ast.Transaction(fields, limit(span), limit(pause), start, end)
    return make_transaction(pipe, Conditions())


def make_rows(*steps: tuple[str, int, str]) -> list[Row]:
    """Rows of a session, a time in seconds and a message each."""
    return [
        {"session": session, "_time": second * SECOND_NS, "message": message}
        for session, second, message in steps
    ]


def is_exact(field: str, text: str) -> ast.Filter:
    return ast.Match(field, ast.Pattern.literal(text))


@pytest.mark.parametrize("events", [False, True])
def test_each_session_is_one_row_the_newest_first(events: bool) -> None:
    rows = make_rows(("a", 1, "in"), ("b", 2, "in"), ("a", 4, "out"))
    table = run(transaction("Session"), make_table(rows, events=events))
    assert table.columns == ("Session", "_time", "duration", "count", "messages")
    assert read(table) == [
        {
            "Session": "b",
            "_time": 2 * SECOND_NS,
            "duration": 0.0,
            "count": 1,
            "messages": ["in"],
        },
        {
            "Session": "a",
            "_time": SECOND_NS,
            "duration": 3.0,
            "count": 2,
            "messages": ["in", "out"],
        },
    ]


def list_messages(pipe: Transaction, rows: list[Row]) -> list[list[str]]:
    """The messages of each transaction, the oldest first."""
    return [row["messages"] for row in read(run(pipe, make_table(rows, events=True)))][::-1]


def test_a_longer_pause_or_span_begins_a_new_one() -> None:
    rows = make_rows(("a", 0, "1"), ("a", 3, "2"), ("a", 6, "3"), ("a", 20, "4"))
    by_pause = transaction("session", pause=3 * SECOND_NS)
    assert list_messages(by_pause, rows) == [["1", "2", "3"], ["4"]]
    by_span = transaction("session", span=3 * SECOND_NS)
    assert list_messages(by_span, rows) == [["1", "2"], ["3"], ["4"]]


def test_start_and_end_are_filters() -> None:
    rows = make_rows(
        *(("a", place, text) for place, text in enumerate(["x", "in", "y", "out", "z", "in", "w"]))
    )
    pipe = transaction("session", start=is_exact("message", "in"), end=is_exact("message", "out"))
    assert list_messages(pipe, rows) == [["x"], ["in", "y", "out"], ["z"], ["in", "w"]]


def group_rows(rows: list[Row], span: int | None, pause: int | None) -> list[list[Row]]:
    open_: dict[object, list[Row]] = {}
    groups = []
    for row in reversed(sort_newest(rows)):
        if find_first(row.get("a")) is None:
            continue
        group = open_.get(make_key(row["a"]))
        is_late = group and (
            (pause is not None and row["_time"] - group[-1]["_time"] > pause)
            or (span is not None and row["_time"] - group[0]["_time"] > span)
        )
        if not group or is_late:
            group = open_[make_key(row["a"])] = []
            groups.append(group)
        group.append(row)
    return groups


limits = st.one_of(st.none(), st.integers(0, 3))


@given(mixed_rows, limits, limits)
def test_it_agrees_with_a_loop(rows: list[Row], span: int | None, pause: int | None) -> None:
    found = read(run(transaction("a", span=span, pause=pause), make_table(rows, events=True)))
    times = [row["_time"] for row in found]
    assert times == sorted(times, reverse=True)
    summary = sorted(
        (repr(make_key(row["a"])), row["_time"], row["duration"], row["count"]) for row in found
    )
    assert summary == sorted(
        (
            repr(make_key(group[0]["a"])),
            group[0]["_time"],
            (group[-1]["_time"] - group[0]["_time"]) / SECOND_NS,
            len(group),
        )
        for group in group_rows(rows, span, pause)
    )


def test_messages_are_no_more_than_so_many() -> None:
    rows = make_rows(*(("a", second, str(second)) for second in range(MAX_MESSAGES + 5)))
    (row,) = read(run(transaction("session"), make_table(rows, events=True)))
    assert row["count"] == MAX_MESSAGES + 5
    assert row["messages"] == [str(second) for second in range(MAX_MESSAGES)]


def test_rows_without_the_field_or_a_time_are_left_out() -> None:
    assert run(transaction("x"), make_table([{"a": 1}], events=True)).height == 0
    assert run(transaction("a"), make_table([{"a": 1}])).height == 0
    assert run(transaction("a"), make_table([], events=True)).height == 0


def test_it_reads_what_its_filters_read() -> None:
    pipe = transaction("a", end=is_exact("Level", "x"))
    assert pipe.needs().fields == {"_time", "message", "a", "level"}


def test_a_field_that_is_named_like_a_result_is_refused() -> None:
    with pytest.raises(Invalid, match="two columns 'duration'"):
        transaction("Duration")

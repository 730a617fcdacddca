"""`patterns`: messages by what stays the same in them."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import Row, cut_lists, make_key, make_table, read, run, run_split
from tests.together import together

from logboom.base.errors import Invalid
from logboom.engine.expressions.shapes import find_pattern
from logboom.engine.filters import build_filter
from logboom.engine.pipes.groups.patterns import Patterns, make_patterns
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import parse

messages = st.sampled_from(
    ["took 5ms", "took 7ms", "from 10.0.0.1", "user 'é'", "", None, 12, 12.5]
)
rows_with_messages: st.SearchStrategy[list[Row]] = st.lists(
    st.fixed_dictionaries(
        {"_time": st.integers(0, 9), "message": messages},
        optional={"level": st.sampled_from(["a", 1, 1.0, True, None])},
    ),
    max_size=12,
)


def patterns(*by: str) -> Patterns:
    return make_patterns(ast.Patterns(by=by), Conditions())


@together(
    ("message", "pattern"),
    [
        ("took 12.5ms for 17 rows", "took <duration> for <num> rows"),
        ("waited 1h30m", "waited <duration>"),
        ("from 10.0.0.1:5432 to 192.168.1.9", "from <ip> to <ip>"),
        ("peer fe80::1ff:fe23:4567 gone", "peer <ip> gone"),
        ("id 123e4567-e89b-12d3-a456-426614174000.", "id <uuid>."),
        ("commit deadbeef01 at 0x7fff", "commit <hex> at <hex>"),
        ("at 2026-09-01T10:00:00.123Z and 12:30:45", "at <time> and <time>"),
        ("[10/Oct/2000:13:55:36 -0700] GET /api/v1/x", "[<time>] GET /api/v1/x"),
        ("[Sun Dec 04 04:47:44 2005] [error] state", "[<time>] [error] state"),
        ("Dec 10 11:04:45 web sshd: in May, 3 of us", "<time> web sshd: in May, <num> of us"),
        ("Mon, 2 Mar 2026 10:11:12 +0000 sent", "<time> sent"),
        ("user \"ann\" isn't 'bob o' here", "user <str> isn't <str> here"),
        ("blk_123456 on worker-7", "blk_<num> on worker-<num>"),
        ("größe 5 µ", "größe <num> µ"),
        ("plain words", "plain words"),
        ("\x1b[31mGET /cart 500\x1b[0m 12ms failed", "GET /cart 500 <duration> failed"),
        ("GET /cart \x1b[1;32m200\x1b[0m 12ms", "GET /cart 200 <duration>"),
        ("rsyslog says #033[0mup#033[m", "rsyslog says up"),
        ("for [5m] and 0m", "for [<duration>] and <duration>"),
        (
            '10.0.0.1 - bob "GET /p/17?q=a b HTTP/1.1" 404 162 "https://x/" "curl/8" 0.123',
            '<ip> - bob "GET /p/<num> HTTP/<num>" 404 <num> <str> <str> <num>',
        ),
        ('"POST /a HTTP/2.0" 503 7', '"POST /a HTTP/<num>" 503 <num>'),
        ("DELETE /users/deadbeef01 204", "DELETE /users/<hex> 204"),
        ("GET /a?token=x&b=2 200 1ms", "GET /a 200 <duration>"),
        ("took 200 of 404", "took <num> of <num>"),
        ('{"op":"show","n":5, "who": "ann"}', '{"op":<str>,"n":<num>, "who": <str>}'),
        (
            'level=warn msg="out of 7 chairs" by="x"',
            'level=warn msg="out of <num> chairs" by=<str>',
        ),
        ("q5q0q4q", "q5q0q4q"),
    ],
)
def test_what_varies_is_replaced(message: str, pattern: str) -> None:
    found = pl.select(find_pattern(pl.lit(message))).item()
    assert found == pattern


def test_patterns_are_counted_with_a_sample_and_times() -> None:
    texts = ["took 5ms", "user 1 left", "took 70ms", "took 6ms"]
    rows = [{"message": text, "_time": 10 + place} for place, text in enumerate(texts)]
    assert read(run_split(patterns(), make_table(rows, events=True), [2])) == [
        {
            "pattern": "took <duration>",
            "count": 3,
            "share": 75.0,
            "sample": "took 5ms",
            "first": 10,
            "last": 13,
        },
        {
            "pattern": "user <num> left",
            "count": 1,
            "share": 25.0,
            "sample": "user 1 left",
            "first": 11,
            "last": 11,
        },
    ]


def group_rows(rows: list[Row]) -> dict[object, list[tuple[str, int]]]:
    groups: dict[object, list[tuple[str, int]]] = {}
    for row in rows:
        if row["message"] is not None:
            text = str(row["message"])
            pattern = pl.select(find_pattern(pl.lit(text))).item()
            groups.setdefault((make_key(row.get("level")), pattern), []).append(
                (text, row["_time"])
            )
    return groups


@given(rows_with_messages, cut_lists)
def test_groups_are_the_same_however_rows_are_split(rows: list[Row], cuts: list[int]) -> None:
    expected = group_rows(rows)
    found = read(run_split(patterns("level"), make_table(rows, events=True), cuts))
    assert {(make_key(row.get("level")), row["pattern"]) for row in found} == set(expected)
    totals: dict[Any, float] = {}
    for row in found:
        members = expected[make_key(row.get("level")), row["pattern"]]
        times = [time for _, time in members]
        assert (row["count"], row["sample"]) == (len(members), min(members)[0])
        assert (row["first"], row["last"]) == (min(times), max(times))
        level = make_key(row.get("level"))
        totals[level] = totals.get(level, 0) + row["share"]
    assert all(total == pytest.approx(100) for total in totals.values())
    counts = [row["count"] for row in found]
    assert counts == sorted(counts, reverse=True)


def test_nothing_has_no_patterns() -> None:
    assert run(patterns(), make_table([], events=True)).height == 0
    assert run(patterns("a"), make_table([{"x": 1}])).height == 0


def test_tables_without_a_time_have_patterns_too() -> None:
    pipe = make_patterns(ast.Patterns("path"), Conditions())
    rows = read(run(pipe, make_table([{"path": "/a/17"}, {"path": "/a/18"}])))
    assert rows == [{"pattern": "/a/<num>", "count": 2, "share": 100.0, "sample": "/a/17"}]


def test_a_field_that_is_named_like_a_result_is_refused() -> None:
    with pytest.raises(Invalid, match="two columns 'count'"):
        patterns("count")


def test_what_stands_in_for_a_missing_message() -> None:
    rows: list[Row] = [
        {"_time": 1, "message": "took 5ms", "log": "never read 7"},
        {"_time": 2, "log": "took 7ms\n", "line": "not this one"},
        {"_time": 3, "log": 5, "short_message": "took 9ms"},
        {"_time": 4, "other": "nothing to show"},
        {"_time": 5, "log": "took 8ms\r\n"},
    ]
    found = read(run(patterns(), make_table(rows)))
    assert [(row["pattern"], row["text_field"], row["count"]) for row in found] == [
        ("took <duration>", "log", 2),
        ("took <duration>", "message", 1),
        ("took <duration>", "short_message", 1),
    ]
    assert [row["share"] for row in found] == [50.0, 25.0, 25.0]
    assert found[0]["sample"] == "took 7ms"


def test_another_field_has_no_stand_ins() -> None:
    rows: list[Row] = [{"_time": 1, "log": "a 1", "title": "b 2"}, {"_time": 2, "log": "c 3"}]
    pipe = make_patterns(ast.Patterns(field="title"), Conditions())
    (row,) = read(run(pipe, make_table(rows)))
    assert row["pattern"] == "b <num>"
    assert "text_field" not in row


FOUND = [
    "took 5ms",
    "took 70ms",
    "\x1b[31mto\x1b[0mok 6ms",
    "took <duration>",
    "GET /a/1?b 200 5ms",
    "GET /a/2 200 7ms",
    "GET /a/2 500 7ms",
    "first 1\nsecond 2",
    "first 3\nother",
    "größe 5",
    '"ä" 7',
    "7",
]


def test_a_filter_finds_what_a_pattern_counts() -> None:
    table = make_table([{"message": text, "_time": 1} for text in FOUND], events=True)
    for row in read(run(patterns(), table)):
        node = ast.HasPattern("message", row["pattern"])
        assert table.filter(build_filter(node, table)).height == row["count"], row
    assert parse('message:pattern("took <duration>")').filter == ast.HasPattern(
        "message", "took <duration>"
    )
    begins = parse('message:pattern("first <num>"*)').filter
    assert table.filter(build_filter(begins, table)).height == 2


def test_a_line_end_of_a_stand_in_does_not_count() -> None:
    table = make_table([{"log": "took 5ms\n"}, {"log": None}, {"log": 5}], events=True)
    assert table.filter(build_filter(ast.HasPattern("log", "took <duration>"), table)).height == 1


@pytest.mark.parametrize("text", ['f:pattern("")', "f:pattern()", "f:pattern(a, b)"])
def test_a_filter_takes_one_pattern(text: str) -> None:
    with pytest.raises(InvalidQuery, match="pattern"):
        parse(text)

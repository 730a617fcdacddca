"""How clauses of the search engine are read: as trees of our own language, shown here as its text."""

from typing import Any

import pytest
from tests.together import together

from logboom.base.errors import Invalid
from logboom.lang import ast
from logboom.lang.format import format_query
from logboom.lang.parse import read_canonical
from logboom.readers.search_engine.dsl import make_context, read_filter
from logboom.readers.search_engine.dsl.context import Names

NOW_NS = 1_767_323_046 * 10**9
"""2026-01-02T03:04:06Z, a Friday."""
OWN = Names(frozenset({"own.keyword"}))


def read(clause: Any) -> str:
    """The text of a clause, which must have the same meaning when it is read again."""
    found = read_filter(clause, make_context(NOW_NS, OWN))
    text = format_query(ast.Query(found))
    assert read_canonical(text).query.filter == found
    return text


LUCENE = [
    ("*", "*"),
    ("", "*"),
    ("*:*", "*"),
    ("word", "*:word"),
    ("one two", "*:one OR *:two"),
    ("one AND two", "*:one *:two"),
    ("one && two || three", "*:one *:two"),
    ("one OR two", "*:one OR *:two"),
    ("+one -two three", "*:one NOT *:two"),
    ("NOT one", "NOT *:one"),
    ("!one", "NOT *:one"),
    ("one AND NOT two", "*:one NOT *:two"),
    ("one OR NOT two", "*:one NOT *:two"),
    ("(one OR two) AND three", "(*:one OR *:two) *:three"),
    ("level:error", "level:error"),
    ("level:(warn OR error) -host:x", "(level:warn OR level:error) NOT host:x"),
    ("own.keyword:a other.keyword:b", "own.keyword:a OR other:b"),
    ('message:"two words"', 'message:"two words"'),
    ('message:"a \\"b\\""', 'message:"a \\"b\\""'),
    ("path:\\/api\\/v1", "path:/api/v1"),
    ("path:/api/v1", "path:/api/v1"),
    ("host:/web-[0-9]+/", "host:/^(?:web-[0-9]+)$/"),
    ("host:web-*", "host:web-*"),
    ("host:w?b", "host:w?b"),
    ("host:a\\*b", 'host:"a*b"'),
    ("host:*", "host:*"),
    ("_exists_:host", "host:*"),
    ("host.*:web", "host.*:web"),
    ("took:>10", "took>10"),
    ("took:>=-1.5", "took>=-1.5"),
    ("took:[1 TO 5}", "took>=1 took<5"),
    ("took:{* TO 5]", "took<=5"),
    ("took:[* TO *]", "took:*"),
    ("name:[a TO b]", 'name>="a" name<="b"'),
    ("word~0 boost^3", "*:word OR *:boost"),
    ('"two words"~0 x', '*:"two words" OR *:x'),
    ("a:b:c", 'a:"b:c"'),
    ("kubernetes.pod-name:x", "kubernetes.pod-name:x"),
    ("ANDROID ORDER NOTE", "*:ANDROID OR *:ORDER OR *:NOTE"),
    ("@timestamp:[2026-01-01 TO 2026-01-02}", "_time:[2026-01-01T00:00:00Z TO 2026-01-02T00:00:00Z}"),
    ("@timestamp:<now-1d/d", "_time<2026-01-01T00:00:00Z"),
]  # fmt: skip
BAD_LUCENE = [
    "(a",
    "a)",
    'a:"',
    "a:",
    "a AND",
    "[1 TO 5]",
    "a:[1 TO 5",
    "(" * 50 + "a" + ")" * 50,
    "a " * 20_000,
]

SIMPLE = [
    ("one two", "message:one OR message:two"),
    ("one + two | three", "(message:one message:two) OR message:three"),
    ('"two words" -one', 'message:"two words" OR NOT message:one'),
    ("(one + two) three", "(message:one message:two) OR message:three"),
    ("pre* fuzzy~2", "message:pre OR message:fuzzy"),
    ("((( one", "message:one"),
    ('))) " + | -', "*"),
    ("", "*"),
]

TIMES = [
    ({"gte": "now-1h/h", "lt": "now/h"}, "_time:[2026-01-02T02:00:00Z TO 2026-01-02T03:00:00Z}"),
    ({"lte": "now/d"}, "_time<2026-01-03T00:00:00Z"),
    ({"gt": "now/d"}, "_time>=2026-01-03T00:00:00Z"),
    ({"gte": "now/w"}, "_time>=2025-12-29T00:00:00Z"),
    ({"lte": "2026-01"}, "_time<2026-02-01T00:00:00Z"),
    ({"gte": "2026"}, "_time>=2026-01-01T00:00:00Z"),
    ({"gte": 1767323046123}, "_time>=2026-01-02T03:04:06.123Z"),
    ({"lte": 1767323046123}, "_time<2026-01-02T03:04:06.124Z"),
    ({"gt": "1767323046123"}, "_time>=2026-01-02T03:04:06.124Z"),
    ({"lt": 1767323046, "format": "epoch_second"}, "_time<2026-01-02T03:04:06Z"),
    ({"gte": "2026-01-01||+1M/M"}, "_time>=2026-02-01T00:00:00Z"),
    ({"gte": "2026-01-01", "time_zone": "-03:30"}, "_time>=2026-01-01T03:30:00Z"),
    ({"gte": "2026-01-01T00:00:00+01:00", "time_zone": "UTC"}, "_time>=2025-12-31T23:00:00Z"),
    ({"from": 0, "to": 1000, "include_upper": False}, "_time:[1970-01-01T00:00:00Z TO 1970-01-01T00:00:01Z}"),
    ({"gte": None}, "_time:*"),
]  # fmt: skip
BAD_TIMES: list[Any] = ["tomorrow", "now-1x", "now@d", "2026-13", "", "||+1d", True, [1], {}, "5m"]


@together(("text", "expected"), LUCENE)
def test_the_syntax_of_lucene(text: str, expected: str) -> None:
    assert read({"query_string": {"query": text, "analyze_wildcard": True}}) == expected


@together("text", BAD_LUCENE)
def test_what_is_not_lucene_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        read({"query_string": {"query": text}})


def test_options_of_query_strings() -> None:
    text = {"query": "one two -three", "default_operator": "AND", "fields": ["a^2", "b"]}
    assert (
        read({"query_string": text}) == "(a:one OR b:one) (a:two OR b:two) NOT (a:three OR b:three)"
    )
    assert (
        read(
            {
                "query_string": {
                    "query": "one OR two x:y",
                    "default_operator": "and",
                    "default_field": "a",
                }
            }
        )
        == "x:y"
    )


@together(("text", "expected"), SIMPLE)
def test_the_simple_syntax(text: str, expected: str) -> None:
    assert read({"simple_query_string": {"query": text, "fields": ["message"]}}) == expected


@together(("limits", "expected"), TIMES)
def test_ranges_of_time(limits: dict[str, Any], expected: str) -> None:
    assert read({"range": {"@timestamp": limits}}) == expected


@together("time", BAD_TIMES)
def test_what_is_no_time_is_refused(time: Any) -> None:
    with pytest.raises(Invalid):
        read({"range": {"timestamp": {"gte": time}}})


def test_times_in_clauses_side_by_side_stay_at_the_top() -> None:
    inner = {"bool": {"filter": [{"range": {"@timestamp": {"gte": "2026"}}}, {"term": {"a": 1}}]}}
    assert (
        read({"bool": {"must": [inner, {"match_all": {}}]}}) == "_time>=2026-01-01T00:00:00Z a:=1"
    )


def test_at_least_some_of_several_clauses() -> None:
    should = [{"term": {"a": number}} for number in range(3)]
    cases: list[tuple[Any, str]] = [
        (0, "*"),
        (1, "a:=0 OR a:=1 OR a:=2"),
        ("-1", "(a:=0 a:=1) OR (a:=0 a:=2) OR (a:=1 a:=2)"),
        ("100%", "a:=0 a:=1 a:=2"),
        (4, "NOT *"),
    ]
    for least, expected in cases:
        assert read({"bool": {"should": should, "minimum_should_match": least}}) == expected
    with pytest.raises(Invalid):
        read({"bool": {"should": should, "minimum_should_match": "some"}})
    with pytest.raises(Invalid):
        read({"bool": {"should": should * 10, "minimum_should_match": 15}})


def test_too_much_of_everything_is_refused() -> None:
    many = [{"term": {"a": 1}}] * 2000
    clauses: list[Any] = [
        {"bool": {"must": many}},
        {"terms": {"a": list(range(20_000))}},
        {"match": {"message": "x" * 40_000}},
        {"term": {"x" * 2000: 1}},
    ]
    for clause in clauses:
        with pytest.raises(Invalid):
            read(clause)

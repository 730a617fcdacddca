"""The fields inside texts, format by format."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.engine.pipes.compute.formats import FORMATS
from logboom.engine.pipes.compute.formats.json import parse_json
from logboom.formats.csv import parse_row
from logboom.formats.logfmt import parse_logfmt, parse_pairs
from logboom.formats.syslog import parse_syslog

JSON: list[tuple[str, dict[str, Any] | None]] = [
    ('{"a":1,"b":{"c":"x","d":null},"e":[1,2]}', {"a": 1, "b.c": "x", "e": [1, 2]}),
    ('{"a":[{"b":1},{"b":2.5}],"c":[]}', {"a.b": [1.0, 2.5]}),
    ('{"a":[1,"x",true]}', {"a": ["1", "x", "true"]}),
    ('{"a":["one"],"big":99999999999999999999}', {"a": ["one"], "big": 1e20}),
    ('  {"a":true} ', {"a": True}),
    ("[1]", None),
    ("{broken", None),
    ("plain", None),
    ('{"a":' * 5000, None),
    ('{"a":' + "[" * 5000 + "]" * 5000 + "}", None),
]
LOGFMT: list[tuple[str, dict[str, Any] | None]] = [
    (
        'level=info msg="a \\"b\\" c" n=5 ok',
        {"level": "info", "msg": 'a "b" c', "n": "5", "ok": True},
    ),
    ("a= b=x=y", {"a": "", "b": "x=y"}),
    ("just some words", None),
    ('a="unclosed', None),
    ('a="b"c', None),
    ("", None),
]
PAIRS: list[tuple[str, dict[str, Any] | None]] = [
    ("at 12:30 user=bob, took=12ms; why='no idea' a=1 a=2",
     {"user": "bob", "took": "12ms", "why": "no idea", "a": "1"}),
    ('[id = "7"] (k=v)', {"id": "7", "k": "v"}),
    ("nothing here", None),
]  # fmt: skip
SYSLOG: list[tuple[str, dict[str, Any] | None]] = [
    (
        '<165>1 2003-10-11T22:14:15.003Z host app - ID47 [ex@1 k="v\\]" n="2"][b] hello',
        {
            "priority": 165, "facility": 20, "severity": 5, "level": "notice",
            "timestamp": "2003-10-11T22:14:15.003Z", "hostname": "host", "app_name": "app",
            "msg_id": "ID47", "ex@1.k": "v]", "ex@1.n": "2", "message": "hello",
        },
    ),
    (
        "<34>Oct 11 22:14:15 mymachine su[123]: 'su root' failed",
        {
            "priority": 34, "facility": 4, "severity": 2, "level": "critical",
            "timestamp": "Oct 11 22:14:15", "hostname": "mymachine", "app_name": "su",
            "proc_id": "123", "message": "'su root' failed",
        },
    ),
    (
        "Oct  1 22:14:15 host cron: done",
        {"timestamp": "Oct  1 22:14:15", "hostname": "host", "app_name": "cron", "message": "done"},
    ),
    ("<13>free text", {"priority": 13, "facility": 1, "severity": 5, "level": "notice", "message": "free text"}),
    ("<999>x", None),
    ("free text", None),
]  # fmt: skip
ROWS: list[tuple[str, dict[str, Any] | None]] = [
    ('a,"b, ""c""",', {"column1": "a", "column2": 'b, "c"', "column3": ""}),
    ('a,"b', None),
]
CASES = [
    (parse, text, expected)
    for parse, cases in (
        (parse_json, JSON),
        (parse_logfmt, LOGFMT),
        (parse_pairs, PAIRS),
        (parse_syslog, SYSLOG),
        (parse_row, ROWS),
    )
    for text, expected in cases
]


@together(("parse", "text", "expected"), CASES)
def test_a_text_has_these_fields(parse: Any, text: str, expected: dict[str, Any] | None) -> None:
    assert parse(text) == expected


def test_named_columns_come_before_numbered_ones() -> None:
    assert parse_row("1,2,3", ("a", "b")) == {"a": "1", "b": "2", "column3": "3"}
    assert parse_row("1", ("a", "b")) == {"a": "1"}


@given(st.sampled_from(sorted(FORMATS)), st.text())
def test_any_text_is_read_or_left_alone(name: str, text: str) -> None:
    fields = FORMATS[name](text)
    assert fields is None or isinstance(fields, dict)


@given(
    st.dictionaries(
        st.text(min_size=1), st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans())
    )
)
def test_a_flat_object_comes_back(members: dict[str, Any]) -> None:
    assert parse_json(json.dumps(members)) == members


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("text", ["a" * 100_000, "a=" * 50_000, '"\\' * 50_000, "[a " * 30_000])
def test_long_texts_take_no_longer_than_they_are(name: str, text: str) -> None:
    for prefix in ("", "<1>1 - - - - - ", "<1>Oct 11 22:14:15 h "):
        FORMATS[name](prefix + text)

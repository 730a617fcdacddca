"""Grok: fields by pattern, their types, the time and the message of an event, and patterns that are wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import read, read_events
from tests.together import together

from logboom.base.errors import Invalid
from logboom.formats import open_reader
from logboom.formats.grok.expand import MAX_CAPTURES
from logboom.formats.grok.library import PATTERNS, READ_AS_WRITTEN, TIMES
from logboom.formats.grok.presets import PRESETS
from logboom.formats.grok.reader import Pattern
from logboom.formats.patterns import MAX_MATCHED_BYTES, MAX_PATTERN_LENGTH
from logboom.formats.reader import Options

NOW_NS = 1_794_700_800_000_000_000
"""2026-11-15T00:00:00Z."""

PARSED: list[tuple[str, str, dict[str, Any] | None]] = [
    ("%{IP:ip} %{WORD:verb} %{NUMBER:size:int} %{NUMBER:took:float}", "10.0.0.1 GET 15824 0.043",
     {"ip": "10.0.0.1", "verb": "GET", "size": 15824, "took": 0.043}),
    (r"(?P<a>\w+)=(?<b>\w+)", "x=y", {"a": "x", "b": "y"}),
    (r"(?<n:int>\d+)(?: (plain|group))+ (?<rest>.*)", "5 plain group x", {"n": 5, "rest": "x"}),
    ("%{WORD:[http][method]} %{WORD:http.path}", "GET x", {"http.method": "GET", "http.path": "x"}),
    ("(?:%{INT:v:int}|%{WORD:v})", "word", {"v": "word"}),
    ("%{INT:v:int} %{INT:v:int}", "5 6", {"v": [5, 6]}),
    ("%{WORD:yes:bool} %{WORD:no:boolean} %{WORD:other:bool}", "True off maybe",
     {"yes": True, "no": False, "other": "maybe"}),
    ("%{NOTSPACE:i:int} %{NOTSPACE:f:float}", "1_0 nan", {"i": "1_0", "f": "nan"}),
    ("%{NOTSPACE:i:long} %{NOTSPACE:f:double}", "9999999999999999999 1e999",
     {"i": "9999999999999999999", "f": "1e999"}),
    ("%{WORD:w} %{GREEDYDATA:rest}", "naïve größer 日本", {"w": "naïve", "rest": "größer 日本"}),
    ("(?<empty>x*)(?<full>y)", "y", {"full": "y"}),
    ("(?<empty>x*)", "yyy", None),
    (r"[(?<]%{WORD:w}\(\[", "(x([", {"w": "x"}),
    (r"\Q(?<%{\E%{WORD:w}", "(?<%{x", {"w": "x"}),
    (r"[^]]+\](?<a>[[:alpha:]]+)", "5]abc", {"a": "abc"}),
    ("(?i)(?<a>ERROR)", "error", {"a": "error"}),
    ("%{WORD:a}\n%{GREEDYDATA:b}", "x\ny\nz", {"a": "x", "b": "y\nz"}),
    ("%{COMBINEDAPACHELOG}", '::1 - me [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x"',
     {"clientip": "::1", "ident": "-", "auth": "me", "timestamp": "17/May/2015:10:05:03 +0000", "verb": "GET",
      "request": "/", "httpversion": "1.1", "response": "200", "bytes": "5", "referrer": '"-"', "agent": '"x"'}),
]  # fmt: skip


@together(("pattern", "text", "expected"), PARSED)
def test_a_pattern_finds_its_fields(
    pattern: str, text: str, expected: dict[str, Any] | None
) -> None:
    assert Pattern(pattern, NOW_NS).parse(text) == expected


def test_what_a_pattern_leaves_out_stays_visible() -> None:
    pattern = "user=%{WORD:user}"
    assert read_events("grok", "at last user=bob left", Options(grok=pattern)) == [
        {"user": "bob", "message": "at last user=bob left"}
    ]
    assert read_events("grok", "user=bob", Options(grok=pattern)) == [{"user": "bob"}]
    named = "user=%{WORD:user} %{GREEDYDATA:message}"
    assert read_events("grok", "so user=bob left", Options(grok=named)) == [
        {"user": "bob", "message": "left"}
    ]


def test_a_line_that_does_not_match_is_a_message_and_counted() -> None:
    lines, faults = read("grok", [b"5\nfive\n"], Options(grok="^%{INT:n:int}$"))
    assert (lines, faults) == ([b'{"n":5}', b'{"message":"five"}'], 1)


@together(
    ("pattern", "text", "expected"),
    [
        ("%{HTTPDATE:timestamp}", "17/May/2015:10:05:03 +0000", "17/May/2015:10:05:03 +0000"),
        ("%{SYSLOGTIMESTAMP:timestamp}", "Nov 14 00:21:27", 1_794_615_687_000_000_000),
        (r"(?<timestamp>\w+ \d+ \S+)", "Nov 14 00:21:27", 1_794_615_687_000_000_000),
        (r"(?<timestamp>\S+)", "2026-11-14T00:21:27Z", "2026-11-14T00:21:27Z"),
        (r"(?<timestamp>.+)", "some day", "some day"),
        (r"(?<timestamp>.+)", "x" * 500, "x" * 500),
        ("%{NGINXTIMESTAMP:when}", "2026/11/14 00:21:27", 1_794_615_687_000_000_000),
        ("%{TIMESTAMP_ISO8601:when} %{HTTPDATE:later}", "2026-11-14T00:21:27Z 17/May/2015:10:05:03 +0000",
         "2026-11-14T00:21:27Z"),
    ],
)  # fmt: skip
def test_the_time_that_is_captured_is_the_time_of_the_event(
    pattern: str, text: str, expected: str | int
) -> None:
    fields = Pattern(pattern, NOW_NS).parse(text)
    assert fields is not None
    assert fields["timestamp"] == expected


def test_a_time_keeps_its_own_name_too() -> None:
    fields = Pattern("%{SYSLOGTIMESTAMP:when}", NOW_NS).parse("Nov 14 00:21:27")
    assert fields == {"when": "Nov 14 00:21:27", "timestamp": 1_794_615_687_000_000_000}
    fields = Pattern("%{SYSLOGTIMESTAMP:ts}", NOW_NS).parse("Nov 14 00:21:27")
    assert fields == {"ts": 1_794_615_687_000_000_000}


WRONG: list[tuple[str, int, str]] = [
    ("x %{FOO:a}", 2, "unknown pattern 'FOO'"),
    ("%{WRD:a}", 0, "did you mean 'WORD'"),
    ("%{WORD:a} %{WORD:b:integer}", 10, "unknown type 'integer', expected one of string, int"),
    ("%{WORD}", 0, "it captures no field"),
    ("(?<a>b", 0, r"missing closing \)"),
    ("%{WORD:a} (b(c)", 10, r"missing closing \)"),
    ("a)(?<a>b)", 1, r"unexpected \)"),
    ("(?<a>[b)", 5, r"missing closing \]"),
    ("(?<a>b)(?=c)", 7, r"\(\?="),
    ("(?<a>b)(?<!c)", 7, r"\(\?<!"),
    ("(?<a>b)(?>c)", 7, r"\(\?>"),
    ("(?<a>b)c++", 8, r"\+\+"),
    (r"(?<a>b)\1", 7, r"\\1"),
    ("%{WORD:a} (?<b>*)", 15, "repetition"),
    ("%{WORD::int}", 0, "'' is not a field name"),
    ("(?<a>" + "x{1000}" * 30 + ")", 0, "too large when compiled"),
    ("%{WORD:a}" + "x" * MAX_PATTERN_LENGTH, MAX_PATTERN_LENGTH, "expected at most 4096"),
    ("(?<a>x)" * (MAX_CAPTURES + 1), 0, "129 fields, expected at most 128"),
]


@together(("pattern", "position", "reason"), WRONG)
def test_a_wrong_pattern_is_refused_with_its_position(
    pattern: str, position: int, reason: str
) -> None:
    with pytest.raises(Invalid, match=reason) as caught:
        open_reader("grok", Options(grok=pattern))
    assert caught.value.data["position"] == position


@given(st.text(max_size=30) | st.text(alphabet="%{}()[]?<>P:\\aW|*+", max_size=30))
def test_any_pattern_is_taken_or_refused(pattern: str) -> None:
    try:
        reader = open_reader("grok", Options(grok=pattern))
    except Invalid:
        return
    assert reader.feed(b"some text").data or reader.finish().data


def test_a_preset_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(Invalid, match="needs a preset"):
        open_reader("grok", Options())
    with pytest.raises(Invalid, match="did you mean 'combined'; presets: common, combined"):
        open_reader("grok", Options(grok="combind"))


def test_presets_are_found_however_they_are_spelled() -> None:
    text = "1234:M 14 Nov 2026 10:05:03.123 * Ready"
    spelled = [read_events("grok", text, Options(grok=name)) for name in ("redis", " Redis ")]
    assert spelled[0] == spelled[1]
    assert open_reader("grok", Options(grok="Mysql-Slow")).format == "grok"


def test_every_preset_has_a_sample() -> None:
    samples = Path(__file__).parents[1] / "samples" / "grok"
    used = {
        msgspec.json.decode(path.read_bytes())["options"]["grok"].replace("-", "_")
        for path in samples.glob("*.json")
    }
    same = {"apache", "nginx", "haproxy_http", "haproxy_tcp"}
    assert used | same == set(PRESETS)


@together("name", PRESETS)
def test_every_preset_is_made_of_patterns_that_compile(name: str) -> None:
    reader = open_reader("grok", Options(grok=name))
    assert reader.feed(b"nothing of the kind\n").faults + reader.finish().faults <= 1


def test_an_own_beginning_of_events_counts_more_than_that_of_the_preset() -> None:
    text = b"2026-11-14 10:05:04,001 INFO a.B - one\nmore\n"
    assert len(read("grok", [text], Options(grok="java"))[0]) == 1
    assert len(read("grok", [text], Options(grok="java", multiline="^"))[0]) == 2


def test_a_text_too_long_to_match_is_a_message() -> None:
    text = b"a" * (MAX_MATCHED_BYTES + 1)
    assert read("grok", [text], Options(grok="(?<a>a+)"))[1] == 1
    assert read("grok", [text[:-1]], Options(grok="(?<a>a+)"))[1] == 0


def test_times_are_patterns() -> None:
    assert READ_AS_WRITTEN <= TIMES <= set(PATTERNS)

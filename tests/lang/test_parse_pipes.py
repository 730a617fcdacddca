"""Pipes: every one under each of its names, what is wrong with the others, and no surprises."""

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.lang.ast import (
    Aggregate,
    Everything,
    Field,
    Key,
    Pipe,
    Quantity,
    Query,
    Stats,
    Timechart,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import MAX_QUERY_BYTES, parse
from logboom.lang.parse.pipes import ALIASES, CANONICAL, PIPES

CASES = Path(__file__).parents[1] / "cases" / "lang" / "pipes.txt"
QUERIES = [line for line in CASES.read_text().splitlines() if line and line[0] not in "# "]
NEEDED: dict[str, str] = {
    "": "explain patterns fillnull limit tail head take json logfmt spath unpack_json unpack_logfmt "
    "unpack_syslog unpack_kv unpack_csv categorize cluster addtotals kv collapse_nums decolorize",
    "a": "dedup delta drop fields rare sort top uniq deduplicate delete distinct keep order project rm "
    "table where search filter transaction mvexpand mv_expand mv-expand unroll makemv nomv inputlookup return accum "
    "field_values",
    "count": "stats eventstats streamstats timechart summarize inlinestats running_stats total_stats "
    "tstats mstats",
    "count over a by b": "chart",
    "a span=5": "bin bucket",
    "a b c": "xyseries untable",
    "ctime(a)": "convert",
    "a [eval <<FIELD>> = 1]": "foreach",
    "[search a] [search b]": "multisearch",
    '"a"': "regex",
    "sma5(a)": "trendline",
    "fields (a, b)": "pack_json pack_logfmt",
    'a "-" b c': "strcat",
    "b = a": "eval extend math fieldformat",
    "a as b": "rename mv copy cp",
    '"<a>"': "extract parse pattern dissect format",
    '"(?<a>b)"': "rex regexp extract_regexp",
    "(a)": "union append",
    "a (b)": "join",
    "a b": "lookup",
    "json": "unpack",
    "before 1": "context stream_context",
    "(previous 1h)": "diff",
    '"a" with "b"': "replace",
    "10": "sample offset skip",
    "(a) as b": "len",
    '("a", "b")': "replace_regexp",
    "1 by a": "first last",
}
ARGUMENTS = {name: text for text, names in NEEDED.items() for name in names.split()}


def read_pipes(text: str) -> tuple[Pipe, ...]:
    return parse(f"* | {text}").pipes


def read_pipe(text: str) -> Pipe:
    (pipe,) = read_pipes(text)
    return pipe


@together("name", PIPES)
def test_every_pipe_is_read_under_its_name_in_any_case(name: str) -> None:
    pipes = read_pipes(f"{name} {ARGUMENTS[name]}")
    assert read_pipes(f"{name.upper()} {ARGUMENTS[name]}") == pipes != ()
    assert parse(f"*|{name} {ARGUMENTS[name]}|explain").pipes[:-1] == pipes


def test_canonical_names_are_the_printed_ones() -> None:
    printed = {
        format_query(Query(Everything(), (pipe,))).split()[2]
        for name in PIPES
        for pipe in read_pipes(f"{name} {ARGUMENTS[name]}")
    }
    assert printed == set(CANONICAL)
    assert set(CANONICAL).isdisjoint(ALIASES)
    assert len(CANONICAL) == len(get_args(Pipe)) - 1, "a condition belongs to another pipe"


def test_stats_reads_functions_conditions_names_and_keys() -> None:
    pipe = read_pipe("stats by (_time:5m, ip:/24) p99.9(latency) slow, count(user)")
    assert pipe == Stats(
        (
            Aggregate("percentile", Field("latency"), 99.9, None, "slow"),
            Aggregate("count", Field("user"), None, None, "count(user)"),
        ),
        (Key("_time", Quantity(5, "m")), Key("ip", prefix_bits=24)),
    )


@together(
    ("written", "canonical"),
    [
        ("bin(_time, 5m)", "_time:5m"),
        ("BIN( _time ,5m )", "_time:5m"),
        ("bucket(@timestamp, 1h)", "_time:1h"),
        ("bin(1h)", "_time:1h"),
        ("bin (size, 10KB), host", "size:10KB, host"),
        ("(bin(1d), level)", "_time:1d, level"),
        ("bin, bucket", "bin, bucket"),
    ],
)
def test_buckets_are_read_as_other_languages_write_them(written: str, canonical: str) -> None:
    text = format_query(parse(f"* | stats count by {written}"))
    assert text == f"* | stats count by {canonical}"
    assert parse(text) == parse(f"* | stats count by {written}")


@together(
    ("written", "message"),
    [
        ("bin()", "expected a field name"),
        ("bin(_time)", 'expected ","'),
        ("bin(_time 5m)", 'expected ","'),
        ("bin(_time, 5)", '"5" is not a duration'),
        ("bin(size, 0)", 'buckets of "0"'),
        ("bin(size, )", "expected a bucket such as"),
        ("bin(_time, 5m", "this parenthesis is never closed"),
        ("bin(_time, 5m, 1)", 'expected ")"'),
    ],
)
def test_a_bucket_that_is_called_wrongly_is_said(written: str, message: str) -> None:
    with pytest.raises(InvalidQuery, match=re.escape(message)):
        parse(f"* | stats count by {written}")


def test_timechart_takes_its_options_on_both_sides() -> None:
    expected = Timechart(
        (Aggregate("count", name="count"),), Quantity(5, "m"), Key("host"), limit=3
    )
    assert read_pipe("timechart 5m limit=3 count by host") == expected
    assert read_pipe("timechart count by host limit=3 span=5m") == expected
    assert read_pipe("timechart limit 3 span 5m count by (host)") == expected


@together("name", ["limit", "span", "from", "keep", "start", "left", "value", "eval"])
def test_fields_named_like_options_need_no_quotes(name: str) -> None:
    for pipe in ("fields", "top 5", "sort", "uniq", "dedup", "stats count by", "transaction"):
        text = f"* | {pipe} {name}, a, {name}_2"
        assert format_query(parse(text)) == text


@together("name", CANONICAL)
def test_a_misspelt_pipe_is_corrected(name: str) -> None:
    wrong = f"{name[0]}{name[2:]}" if len(name) > 4 else f"{name}x"
    with pytest.raises(InvalidQuery, match=f'unknown pipe "{wrong}"') as caught:
        parse(f"error | {wrong} {ARGUMENTS[name]}")
    assert (caught.value.data["start"], caught.value.data["end"]) == (8, 8 + len(wrong))
    assert set(CANONICAL) == set(caught.value.data["expected"])  # type: ignore[call-overload]
    # `utable` may be `table` as well.
    if name not in ("join", "untable"):
        assert caught.value.suggestion is not None
        parse(caught.value.suggestion)


DEEP = [
    "union (* | " * 5000,
    "union [* | " * 5000,
    "join a (" * 5000,
    "append [| " * 5000 + "]" * 5000,
    "where a:in(* | " * 1000,
    "stats count if (a:in(* | " * 1000,
    "where " + "(" * 5000,
    "stats " + "count, " * 5000 + "count",
    "stats count by " + ", ".join(f"f{number}" for number in range(5000)) + ", f0",
    "fields " + "a," * 5000 + ",",
    "| " * 5000,
    "sort " + "-" * 5000,
    'rex "' + "(" * 5000 + '"',
    "transaction a " + "start (" * 5000,
    "x" * 50_000 + " y",
    "limit " + "9" * 50_000,
    "sample " + "9" * 50_000 + "%",
    "stats p" + "9" * 50_000 + "(x)",
    "timechart " + "9" * 50_000 + "m count",
]


@together("text", DEEP)
def test_huge_pipes_are_refused(text: str) -> None:
    with pytest.raises(InvalidQuery):
        parse(f"* | {text}"[:MAX_QUERY_BYTES])


def test_many_pipes_are_read() -> None:
    assert len(parse("*" + " | limit 5" * 5000).pipes) == 5000


def check_reading(text: str) -> None:
    """Either a query that has a canonical text, or an error with a place and a correction that helps."""
    try:
        query = parse(text)
    except InvalidQuery as error:
        start, end = error.data["start"], error.data["end"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert 0 <= start <= end <= len(text)
        if error.suggestion is not None:
            parse(error.suggestion)
    else:
        assert parse(format_query(query)) == query


WORDS = sorted({word for query in QUERIES for word in query.split()})


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(QUERIES), st.data())
def test_mutations_of_queries_raise_nothing_else(query: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(query)))
    end = data.draw(st.integers(place, min(place + 5, len(query))))
    insert = data.draw(st.sampled_from(["", " ", *"()[]|,=\"'`-*:/\\<>~!%.5", *WORDS]))
    check_reading(query[:place] + insert + query[end:])


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(sorted(PIPES)), st.lists(st.sampled_from(WORDS), max_size=6))
def test_words_in_any_order_raise_nothing_else(name: str, words: list[str]) -> None:
    check_reading(f"* | {name} {' '.join(words)}")


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(sorted(PIPES)), st.text(max_size=20))
def test_any_text_raises_nothing_else(name: str, text: str) -> None:
    check_reading(f"* | {name} {text}")

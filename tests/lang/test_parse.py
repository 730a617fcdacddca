"""Reading queries: limits, hostile text, and the promise to raise nothing but InvalidQuery."""

from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logboom.lang.ast import Aggregate, And, Everything, Not, Or, Query, Stats, Word
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import MAX_QUERY_BYTES, parse
from logboom.lang.parse.cursor import MAX_DEPTH

SIGNS = """
    " ' ` \u201c \u2019 \\ ( ) | || * ? : :: :// = == != > >= < :> := =~ - ! -- / { [ ,
"""
WORDS = """
    AND OR NOT IN and a level _time 10 -1.5 1e999 10.0.0.1 stats stat count count() by as é
"""
PIECES = [*SIGNS.split(), *WORDS.split(), *(" " * 10), "\n", "| stats count by ", "\ud800"]
QUERY_LIKE = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@settings(max_examples=1000, deadline=None)
@given(st.text() | QUERY_LIKE)
@example("f>" + "9" * 5000)
@example('"\\ud800"')
def test_any_text_is_a_query_or_an_invalid_query(text: str) -> None:
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


@pytest.mark.parametrize("text", ["", "  \n", "*", "***", "*:*"])
def test_nothing_and_stars_are_everything(text: str) -> None:
    assert parse(text) == Query(Everything())


def test_leading_bar_takes_everything() -> None:
    count = Stats((Aggregate("count", None, "count"),), ("a",))
    assert parse("| stats count by a") == Query(Everything(), (count,))


def test_not_binds_before_and_before_or() -> None:
    a, b, c, d = map(Word, "abcd")
    assert parse("a OR NOT b c OR d").filter == Or((a, And((Not(b), c)), d))


def test_ten_thousand_terms_are_one_flat_node() -> None:
    term = parse(" OR ".join(["a"] * 10_000)).filter
    assert isinstance(term, Or)
    assert len(term.terms) == 10_000


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("NOT ", ""), ("-(", ")")])
def test_depth_is_limited(opening: str, closing: str) -> None:
    levels = MAX_DEPTH // (1 if len(closing) == 0 or opening == "(" else 2)
    parse(opening * levels + "a" + closing * levels)
    with pytest.raises(InvalidQuery, match=f"nested deeper than {MAX_DEPTH} levels"):
        parse(opening * (levels + 1) + "a" + closing * (levels + 1))


def test_depth_is_counted_anew_beside_a_group() -> None:
    group = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    assert parse(f"{group} {group}") == Query(And((Word("a"), Word("a"))))


def test_length_is_limited_in_bytes() -> None:
    parse("é" * (MAX_QUERY_BYTES // 2))
    with pytest.raises(InvalidQuery, match="the query has 65538 bytes, expected at most 65536"):
        parse("é" * (MAX_QUERY_BYTES // 2 + 1))


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidQuery, match="expected valid Unicode") as caught:
        parse("ab\ud800c")
    assert caught.value.data["start"] == 2


def test_long_tokens_are_cut_in_messages() -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse("| " + "x" * 10_000)
    assert len(caught.value.message) < 200


REPEATED = """
    a( a(b a(b) x(a(b) ( - ! \\ " "\\ ' ` a: a:b* * *a ? f:*? / /a+ 1: f>1 10.0.0.0/ :1
"""
REPEATED_APART = ["a = ", "f:b ", "f > 1 ", "NOT ", "a OR ", "a IN ", "f:1.1.1.1/8 ", "a NOT "]


@pytest.mark.parametrize("prefix", ["", "f:/", "| stats count by "])
@pytest.mark.parametrize("piece", [*REPEATED.split(), *REPEATED_APART])
def test_repetition_up_to_the_limit_is_read_in_time(prefix: str, piece: str) -> None:
    with suppress(InvalidQuery):
        parse(prefix + piece * (60_000 // len(piece)))


def test_many_distinct_keys_are_kept_in_order() -> None:
    keys = [f"k{number}" for number in range(9_000)]
    (stats,) = parse("| stats count by " + " ".join(keys)).pipes
    assert list(stats.keys) == keys

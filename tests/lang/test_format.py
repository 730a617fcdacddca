"""The canonical text: every tree has one, and it parses back to the same tree."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logboom.lang.ast import (
    Aggregate,
    And,
    Compare,
    Comparison,
    Everything,
    Exact,
    Exists,
    Filter,
    Match,
    Not,
    Or,
    Pattern,
    Pipe,
    Query,
    Stats,
    Wildcard,
    Word,
)
from logboom.lang.format import FORMATS, format_query
from logboom.lang.parse import parse
from logboom.lang.tokens import append_piece

SIGNS = """ * ? ** - ! -- -> != : :: | ( ) () { [ , " ' ` \\ \\\\ \\" \\n a\\ = ~ # \u201c \u201d \u2018 \u2019 """
WORDS = """
    AND OR NOT IN TO and or not in to as by if count stats message a:b http://x //x /a+/ /a/ /a/i
    10.0.0.0/8 ::1/8 #x 1 -5 >5 f>5 don\u2019t \\u0041 \\ud83d é 日本 😀
"""
BLANK = ["", "a b", "\n", "\t", "\0", "\x7f", "\x85", "\u2028"]
NASTY = [*SIGNS.split(), *WORDS.split(), *BLANK]
TEXTS = st.sampled_from(NASTY) | st.text(max_size=8) | st.lists(st.sampled_from(NASTY)).map("".join)


def build_pattern(pieces: list[str | Wildcard]) -> Pattern:
    parts: list[str | Wildcard] = []
    for piece in pieces:
        if parts and isinstance(parts[-1], str) and isinstance(piece, str):
            parts[-1] += piece
        else:
            append_piece(parts, piece)
    return Pattern(tuple(parts))


PATTERNS = st.lists(TEXTS | st.sampled_from(Wildcard), max_size=5).map(build_pattern)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES: st.SearchStrategy[Filter] = st.one_of(
    st.just(Everything()),
    st.builds(Word, TEXTS),
    st.builds(Match, TEXTS, PATTERNS.filter(lambda pattern: pattern.parts != (Wildcard.ANY,))),
    st.builds(Exact, TEXTS, TEXTS),
    st.builds(Exists, TEXTS),
    st.builds(Compare, TEXTS, st.sampled_from(get_args(Comparison)), NUMBERS),
)


def extend(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.builds(Not, inner) | st.builds(And, several) | st.builds(Or, several)


def build_stats(columns: list[str], keys: int) -> Stats:
    aggregates = tuple(Aggregate("count", None, name) for name in columns[keys:])
    return Stats(aggregates, tuple(columns[:keys]))


FILTERS = st.recursive(LEAVES, extend, max_leaves=12)
PIPES = st.lists(TEXTS, min_size=1, max_size=5, unique=True).flatmap(
    lambda columns: st.builds(build_stats, st.just(columns), st.integers(0, len(columns) - 1))
)
QUERIES = st.builds(Query, FILTERS, st.lists(PIPES, max_size=3).map(tuple))


@settings(max_examples=300, deadline=None)
@given(QUERIES)
def test_every_tree_parses_back_from_its_text(query: Query) -> None:
    assert parse(format_query(query)) == query


@settings(deadline=None)
@given(TEXTS)
def test_any_text_survives_as_word_name_and_value(text: str) -> None:
    terms = (Word(text), Match(text, Pattern.literal(text)), Exact(text, text), Exists(text))
    query = Query(And(terms))
    assert parse(format_query(query)) == query


def test_every_node_type_has_its_function() -> None:
    pipes = get_args(Pipe) or (Pipe,)
    assert set(FORMATS) == {*get_args(Filter), *pipes, Aggregate}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (Query(Everything()), "*"),
        (Query(Or((Word("a"), And((Word("b"), Word("c")))))), "a OR (b c)"),
        (Query(And((And((Word("a"), Word("b"))), Word("c")))), "(a b) c"),
        (Query(Not(Not(Or((Word("a"), Word("b")))))), "NOT NOT (a OR b)"),
        (Query(Match("http", Pattern.literal("//x"))), 'http:"//x"'),
        (Query(Match("f", Pattern((":", Wildcard.ONE)))), "f:\\:?"),
        (Query(Compare("f", ">", -0.5)), "f>-0.5"),
        (Query(Word("a\nb\0")), '"a\\nb\\u0000"'),
    ],
)
def test_canonical_text(query: Query, text: str) -> None:
    assert format_query(query) == text

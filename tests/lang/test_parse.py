"""Reading queries: limits, hostile text, and the promise to raise nothing but InvalidQuery."""

from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.lang.strategies import NASTY
from tests.properties import examples
from tests.together import together

from logboom.lang.ast import (
    And,
    Compare,
    Everything,
    Filter,
    InQuery,
    Limit,
    Match,
    Not,
    OneOf,
    Or,
    Pattern,
    Quantity,
    Query,
    Range,
    Regex,
    Word,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import MAX_QUERY_BYTES, parse, read
from logboom.lang.parse.cursor import MAX_DEPTH, SUBQUERY_LEVELS
from logboom.lang.parse.fields.values import MAX_EXPRESSIONS

OPENINGS = """
    f: f= f> f:[ f:{ f:( f:in( f:range( _time: _time:[ earliest= env: {a= *: f=~ f!~ ~" ] } ) , /x+/ 5m 1KB
    | || stats count() by 1e999 10.0.0.0/33
"""
SPACED = [
    " ",
    " ",
    " ",
    " TO ",
    " OR ",
    " AND ",
    " and ",
    " not ",
    " IN (",
    " in (a, ",
    "| limit 5",
    "# c\n",
]
PIECES = [*NASTY, *OPENINGS.split(), *SPACED, "\ud800"]
QUERY_LIKE = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
A, B, C, D = map(Word, "abcd")


@settings(max_examples=examples(1000), deadline=None)
@given(st.text() | QUERY_LIKE)
@example("f>" + "9" * 5000)
@example('"\\ud800"')
def test_any_text_is_a_query_or_an_invalid_query(text: str) -> None:
    try:
        reading = read(text)
    except InvalidQuery as error:
        start, end = error.data["start"], error.data["end"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert 0 <= start <= end <= len(text)
        if error.suggestion is not None:
            parse(error.suggestion)
    else:
        assert parse(format_query(reading.query)) == reading.query
        for notice in reading.notices:
            assert parse(notice.data.get("read_as", text)) == reading.query
            parse(notice.data.get("alt", ""))


@together("text", ["", "  \n", "*", "***", "*:*", "{}", "# only a comment", '*:""'])
def test_nothing_and_stars_are_everything(text: str) -> None:
    assert parse(text) == Query(Everything())


def test_leading_bar_takes_everything() -> None:
    assert parse("| limit 5") == Query(Everything(), (Limit(5),))


def test_not_binds_before_and_before_or() -> None:
    assert parse("a OR NOT b c OR d").filter == Or((A, And((Not(B), C)), D))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# first\na\n# second\nb", And((A, B))),
        ("a #b", And((A, Word("#b")))),
        ("a # b", And((A, Word("#"), B))),
        ('"\n# a"', Word("\n# a")),
    ],
)
def test_a_comment_is_a_line_that_starts_with_its_sign(text: str, expected: Filter) -> None:
    assert parse(text).filter == expected


@together(
    ("text", "expected"),
    [
        ("a and b", And((A, B))),
        ("a or b", Or((A, B))),
        ("a and not b", And((A, Not(B)))),
        ("a and b c", And((A, Word("and"), B, Word("c")))),
        ("a and f>1", And((A, Compare("f", ">", Quantity(1))))),
        ("f>1 or b", Or((Compare("f", ">", Quantity(1)), B))),
        ('a or "b"', Or((A, B))),
        ("a or (b)", Or((A, B))),
        ("(a) and not b", And((A, Not(B)))),
        ("a AND not b", And((A, Not(B)))),
        ("not (a)", Not(A)),
        ("not a", And((Word("not"), A))),
        ("a And (b)", And((A, Word("And"), B))),
        ("and", Word("and")),
        ("a or /b+/", Or((A, Regex("message", "b+")))),
        ("a or /b/", And((A, Word("or"), Word("/b/")))),
        ("a or not f>1", Or((A, Not(Compare("f", ">", Quantity(1)))))),
    ],
)
def test_lower_case_operators_need_a_neighbour_that_is_no_word(text: str, expected: Filter) -> None:
    assert parse(text).filter == expected


@together(
    ("written", "quantity"),
    [
        ("1", Quantity(1)),
        ("-1.5", Quantity(-1.5)),
        ("+2e3", Quantity(2000.0)),
        ("5m", Quantity(5, "m")),
        ("5M", Quantity(5, "M")),
        ("5MS", Quantity(5, "ms")),
        ("5µs", Quantity(5, "us")),
        ("5μs", Quantity(5, "us")),
        ("1.5kib", Quantity(1.5, "KiB")),
        ("10kb", Quantity(10, "KB")),
        ("-1h", Quantity(-1, "h")),
    ],
)
def test_numbers_have_units(written: str, quantity: Quantity) -> None:
    assert parse(f"f>{written}").filter == Compare("f", ">", quantity)
    assert parse(f"f:[{written} TO *]").filter == Range("f", quantity, None)


def test_a_list_with_a_pipe_or_words_side_by_side_is_a_query() -> None:
    patterns = (Pattern.literal("a"), Pattern.literal("b"))
    assert parse("f:in(a, b)").filter == OneOf("f", patterns)
    assert parse("f:in(a b)").filter == InQuery("f", Query(And((A, B))))
    assert parse("f:in(a | limit 5)").filter == InQuery("f", Query(A, (Limit(5),)))
    assert parse("f:in(*)").filter == InQuery("f", Query(Everything()))
    test = Match("g", Pattern.literal("x"))
    assert parse("f:in(g:x)").filter == InQuery("f", Query(test))
    assert parse('f:in("g:x")').filter == OneOf("f", (Pattern.literal("g:x"),))


def test_the_message_contains_each_value_of_a_group() -> None:
    terms = (Match("message", Pattern.literal("a")), Match("message", Pattern.literal("b")))
    assert parse("message:(a OR b)").filter == Or(terms)


def test_a_bad_regular_expression_has_its_place_and_reason() -> None:
    with pytest.raises(InvalidQuery, match="unclosed group") as caught:
        parse('x f=~"(a"')
    assert (caught.value.data["start"], caught.value.data["end"]) == (5, 9)
    with pytest.raises(InvalidQuery, match="look-around"):
        parse("/(?=a)b/")
    with pytest.raises(InvalidQuery, match="too large when compiled"):
        parse("/(a{1000}){1000}/")
    with pytest.raises(InvalidQuery, match="expected at most 4096"):
        parse(f'f=~"{"a" * 5000}"')


def test_regular_expressions_are_limited_in_number() -> None:
    parse(" ".join(f"/a+{number}/" for number in range(MAX_EXPRESSIONS)))
    with pytest.raises(InvalidQuery, match=f"more than {MAX_EXPRESSIONS} regular expressions"):
        parse(" ".join(f"/a+{number}/" for number in range(MAX_EXPRESSIONS + 1)))


def test_a_slash_in_an_expression_has_one_spelling() -> None:
    expected = Regex("f", "a+/b")
    texts = (r"f:/a+\/b/", "f:/a+/b/", r'f=~"a+\/b"', 'f=~"a+/b"', r"f=~/a+\/b/")
    assert {parse(text).filter for text in texts} == {expected}


def test_ten_thousand_terms_are_one_flat_node() -> None:
    term = parse(" OR ".join(["a"] * 10_000)).filter
    assert isinstance(term, Or)
    assert len(term.terms) == 10_000


def test_a_list_may_be_as_long_as_the_query() -> None:
    names = [f"v{number}" for number in range(9_000)]
    for text in (f"f IN ({','.join(names)})", f"f:({','.join(names)})", f"f:in({','.join(names)})"):
        term = parse(text).filter
        assert isinstance(term, OneOf)
        assert [pattern.text for pattern in term.patterns] == names


NESTINGS = [("(", ")", 1), ("NOT ", "", 1), ("-(", ")", 2), ("f:(", ")", 1), ("f:(NOT (", "))", 3)]


@together(("opening", "closing", "levels"), [*NESTINGS, ("f:in(* | where ", ")", 10)])
def test_depth_is_limited(opening: str, closing: str, levels: int) -> None:
    if opening.startswith("f:("):
        with pytest.raises(InvalidQuery, match=f"nested deeper than {MAX_DEPTH} levels"):
            parse("f:" + opening.removeprefix("f:") * 101 + "a" + closing * 101)
        return
    count = MAX_DEPTH // levels
    parse(opening * count + "a" + closing * count)
    with pytest.raises(InvalidQuery, match=f"nested deeper than {MAX_DEPTH} levels"):
        parse(opening * (count + 1) + "a" + closing * (count + 1))


def test_queries_in_queries_are_deep_enough_for_every_reader() -> None:
    count = MAX_DEPTH // SUBQUERY_LEVELS
    query = parse("f:in(a b | where " * count + "c" + ")" * count)
    assert parse(format_query(query)) == query


@pytest.mark.parametrize(("opening", "levels"), [("(a OR b ", 1), ("f:in(a b ", SUBQUERY_LEVELS)])
def test_the_canonical_text_is_never_too_deep(opening: str, levels: int) -> None:
    texts = [opening * n + "c" + ")" * n for n in range(1, MAX_DEPTH // levels + 1)]
    for text in texts:
        try:
            query = parse(text)
        except InvalidQuery:
            continue
        assert parse(format_query(query)) == query
    with pytest.raises(InvalidQuery, match="nested deeper than 100 levels with all"):
        parse(texts[-1])


def test_depth_is_counted_anew_beside_a_group() -> None:
    group = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    assert parse(f"{group} {group}") == Query(And((A, A)))


def test_length_is_limited_in_bytes() -> None:
    parse("é" * (MAX_QUERY_BYTES // 2))
    with pytest.raises(InvalidQuery, match="the query has 65538 bytes, expected at most 65536"):
        parse("é" * (MAX_QUERY_BYTES // 2 + 1))


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidQuery, match="expected valid Unicode") as caught:
        parse("(ab\ud800c")
    assert caught.value.data["start"] == 3
    assert caught.value.suggestion is None


def test_long_tokens_are_cut_in_messages() -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse("f>" + "x" * 10_000)
    assert len(caught.value.message) < 200


REPEATED = """
    a( a(b a(b) x(a(b) ( - ! \\ " "\\ ' ` a: a:b* * *a ? f:*? / /a+ /a" /a/ 1: f>1 10.0.0.0/ :1 { {a= {a=b, [ f:[ f:( f:in( , ~" #
"""
REPEATED_APART = [
    "a = ", "f:b ", "f > 1 ", "NOT ", "a OR ", "a IN ", "f:1.1.1.1/8 ", "a NOT ", "not ", "and ", "a or ", "f:a and ",
    "a in (b ", "/a b", "/a ", "f:/a ", "f:/a+/ ", "f:[1 TO ", "a: ", "_time:5m ", "*:a ", "a b OR ", "\n#",
    "f:(a OR ", "f IN (a) ", "env=a ", "f:in(a b ", "f:in(a, ",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "f IN (", "| where "])
@pytest.mark.parametrize("piece", [*REPEATED.split(), *REPEATED_APART])
def test_long_repetition_is_read_in_time(prefix: str, piece: str) -> None:
    with suppress(InvalidQuery):
        parse(prefix + piece * (15_000 // len(piece)))

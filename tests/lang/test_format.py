"""The canonical text: every filter has one, and it parses back to the same tree."""

from typing import get_args

from hypothesis import given, settings
from tests.lang.strategies import FILTERS, LEAVES, TEXTS
from tests.properties import examples
from tests.together import together

from logboom.lang.ast import (
    And,
    AnyField,
    Between,
    Compare,
    During,
    Everything,
    Exact,
    Exists,
    Expression,
    Filter,
    HasPattern,
    InQuery,
    Match,
    Network,
    Not,
    OneOf,
    Or,
    Pattern,
    Pipe,
    Quantity,
    Query,
    Range,
    Regex,
    ScopeFilter,
    Wildcard,
    Word,
)
from logboom.lang.format import FORMATS, format_query
from logboom.lang.parse import parse, read_canonical

ANY, ONE = Wildcard.ANY, Wildcard.ONE


@settings(max_examples=examples(1000), deadline=None)
@given(LEAVES)
def test_every_single_filter_parses_back_from_its_text(leaf: Filter) -> None:
    assert parse(format_query(Query(leaf))) == Query(leaf)


@settings(max_examples=examples(300), deadline=None)
@given(FILTERS)
def test_every_filter_parses_back_from_its_text(tree: Filter) -> None:
    text = format_query(Query(tree))
    assert parse(text) == read_canonical(text).query == Query(tree)


@settings(deadline=None)
@given(TEXTS)
def test_any_text_survives_as_word_name_and_value(text: str) -> None:
    # An empty text is tested by Exact.
    patterns = (Pattern.literal(text or "x"), Pattern.literal("x"))
    terms = (
        Word(text), Match(text, patterns[0]), Exact(text, text), Exists(text), OneOf(text, patterns),
        Compare(text, ">", text), Range(text, text, text),
    )  # fmt: skip
    query = Query(And(terms))
    assert parse(format_query(query)) == query


def test_every_node_type_has_its_function() -> None:
    assert {*get_args(Filter), *get_args(Pipe), *get_args(Expression)} <= set(FORMATS)


@together(
    ("node", "text"),
    [
        (Everything(), "*"),
        (Or((Word("a"), And((Word("b"), Word("c"))))), "a OR (b c)"),
        (Match("f", Pattern((ANY, "'a'", ANY))), "f:*\\'a'*"),
        (OneOf("f", (Pattern((ANY, "'a")), Pattern.literal("b"))), "f IN (*\\'a, b)"),
        (And((And((Word("a"), Word("b"))), Word("c"))), "(a b) c"),
        (Not(Not(Or((Word("a"), Word("b"))))), "NOT NOT (a OR b)"),
        (Word("a\nb\0"), '"a\\nb\\u0000"'),
        (Match("http", Pattern.literal("//x")), 'http:"//x"'),
        (Match("f", Pattern((":", ONE))), "f:\\:?"),
        (Match("f", Pattern.literal("/api")), 'f:"/api"'),
        (Match("f", Pattern.literal("/api/v1/")), "f:/api/v1/"),
        (Match("f", Pattern(("/api", ANY))), "f:\\/api*"),
        (Match("f", Pattern(("/api/", ANY))), "f:/api/*"),
        (Match("f", Pattern(("/api/", ANY, "/x"))), "f:/api/*/x"),
        (Match("env", Pattern.literal("a")), '"env":a'),
        (ScopeFilter("env", Pattern(("a", ANY))), "env:a*"),
        (OneOf("f", (Pattern.literal("a,b"), Pattern(("a,", ANY)))), 'f IN ("a,b", a\\,*)'),
        (InQuery("f", Query(Word("a"))), "f:in((a))"),
        (Compare("f", ">", Quantity(-0.5)), "f>-0.5"),
        (Compare("f", ">=", Quantity(10, "KB")), "f>=10KB"),
        (Compare("f", "<", "10"), "f<`10`"),
        (Compare("f", "<", "x"), 'f<"x"'),
        (Range("f", Quantity(1), None, includes_low=False), "f:{1 TO *]"),
        (Range("f", "a", "b", includes_high=False), 'f:["a" TO "b"}'),
        (Network("f", "fd00::/8"), "f:fd00::/8"),
        (Regex("f", "a+"), "f:/a+/"),
        (Regex("f", "a/b+", ignores_case=True), "f:/a\\/b+/i"),
        (Regex("f", "abc"), 'f=~"abc"'),
        (HasPattern("f", "took <num> ms"), 'f:pattern("took <num> ms")'),
        (HasPattern("f", 'a "b"', is_prefix=True), 'f:pattern("a \\"b\\""*)'),
        (Regex("f", "a\nb", ignores_case=True), 'f=~"a\\nb"i'),
        (AnyField(Pattern.literal("a b")), '*:"a b"'),
        (During("5m"), "_time:5m"),
        (During("2026-09-01 10:00"), '_time:"2026-09-01 10:00"'),
        (Between("now-1h/h", None), "_time>=now-1h/h"),
        (Between(None, "now", includes_end=True), "_time<=now"),
        (Between("-1d@d", "@d"), "_time:[-1d@d TO @d}"),
    ],
)
def test_canonical_text(node: Filter, text: str) -> None:
    assert format_query(Query(node)) == text
    assert parse(text) == Query(node)


@together(
    "operator",
    (
        *("contains", "has", "startswith", "starts_with", "endswith", "ends_with", "like", "ilike"),
        *("rlike", "matches", "between", "in"),
    ),
)
def test_a_word_that_could_be_an_operator_stays_a_word(operator: str) -> None:
    for last in ("two words", "1"):
        query = Query(And((Word("host"), Word(operator), Word(last), Word("and"), Word("2"))))
        assert parse(format_query(query)) == query

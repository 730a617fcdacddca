"""The canonical text of pipes and expressions: every tree has one, and it parses back to the same tree."""

from typing import get_args

from hypothesis import HealthCheck, given, settings
from tests.lang.pipe_strategies import CONDITIONS, EXPRESSIONS, PIPES, QUERIES
from tests.properties import examples
from tests.together import together

from logboom.lang.ast import (
    Aggregate,
    Eval,
    Everything,
    Expression,
    Field,
    Fields,
    Literal,
    Pipe,
    Query,
    Stats,
    Truth,
    Where,
    Word,
)
from logboom.lang.ast.expressions import Binary, Call, Inverse, Negative
from logboom.lang.format import FORMATS, format_query
from logboom.lang.parse import parse

property_settings = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@together("node", PIPES)
def test_every_pipe_parses_back_from_its_text(node: type) -> None:
    @settings(property_settings, max_examples=examples(25))
    @given(PIPES[node])
    def check(pipe: Pipe) -> None:
        query = Query(Everything(), (pipe,))
        assert parse(format_query(query)) == query

    check()


@settings(property_settings, max_examples=examples(150))
@given(EXPRESSIONS)
def test_every_expression_parses_back_from_its_text(expression: Expression) -> None:
    query = Query(Everything(), (Eval((("a", expression), ("b", expression))),))
    assert parse(format_query(query)) == query


@settings(property_settings, max_examples=examples(150))
@given(CONDITIONS)
def test_every_condition_parses_back_from_its_text(condition: Truth) -> None:
    query = Query(Everything(), (Where(condition),))
    assert parse(format_query(query)) == query


@settings(property_settings, max_examples=examples(25))
@given(QUERIES)
def test_every_query_parses_back_from_its_text(query: Query) -> None:
    assert parse(format_query(query)) == query


@settings(property_settings, max_examples=examples(25))
@given(QUERIES)
def test_canonical_text_is_canonical(query: Query) -> None:
    text = format_query(query)
    assert format_query(parse(text)) == text


def test_every_pipe_and_expression_has_its_strategy_and_function() -> None:
    assert set(PIPES) == set(get_args(Pipe))
    assert {*get_args(Pipe), *get_args(Expression)} <= set(FORMATS)


A, B, C = Field("a"), Field("b"), Field("c")


@together(
    ("expression", "text"),
    [
        (Binary("+", A, Binary("*", B, C)), "a + b * c"),
        (Binary("*", Binary("+", A, B), C), "(a + b) * c"),
        (Binary("-", A, Binary("-", B, C)), "a - (b - c)"),
        (Binary("^", A, Binary("^", B, C)), "a ^ b ^ c"),
        (Binary("^", Binary("^", A, B), C), "(a ^ b) ^ c"),
        (Binary("^", Literal(-5), A), "(-5) ^ a"),
        (Negative(Binary("^", Literal(5), A)), "-5 ^ a"),
        (Negative(Literal(5)), "-(5)"),
        (Negative(Negative(A)), "--a"),
        (Binary("OR", A, Binary("AND", B, C)), "a OR (b AND c)"),
        (Inverse(Binary("==", A, B)), "NOT a == b"),
        (Binary("==", Inverse(A), B), "(NOT a) == b"),
        (Call("in", (A, Literal("x"), Literal(None))), 'in(a, "x", null)'),
        (Field("a b`c"), "`a b``c`"),
        (Field("null"), "`null`"),
        (Literal(True), "true"),
    ],
)
def test_expression_has_only_the_parentheses_it_needs(expression: Expression, text: str) -> None:
    query = Query(Everything(), (Eval((("x", expression),)),))
    assert format_query(query) == f"* | eval x = {text}"
    assert parse(format_query(query)) == query


@together(
    ("pipe", "text"),
    [
        (Where(Truth(Binary(">", A, B))), "where eval(a > b)"),
        (Where(Truth(Binary(">", Binary("/", A, B), C))), "where a / b > c"),
        (Where(Truth(Call("isnull", (A,)))), "where isnull(a)"),
        (Where(Truth(A)), "where eval(a)"),
        (Where(Word("true")), 'where "true"'),
        (Where(Word("error")), "where error"),
        (Fields(("a*", "b c", "by")), 'fields a*, "b c", "by"'),
        (Stats((Aggregate("percentile", A, 95, None, "p95(a)"),)), "stats p95(a)"),
        (Stats((Aggregate("percentile", A, 99.9, None, "x"),)), "stats p99.9(a) as x"),
        (Stats((Aggregate("count", None, None, Word("x"), "count if (x)"),)), "stats count if (x)"),
        (
            Where(Truth(Inverse(Call("in", (Field("a"), Field("b"), Literal("x")))))),
            'where eval(NOT in(a, b, "x"))',
        ),
        (
            Where(Truth(Call("in", (Field("a"), Field("b"), Literal("x"))))),
            'where in(a, b, "x")',
        ),
        (
            Where(Truth(Inverse(Call("in", (Field("a"), Literal("x")))))),
            'where NOT in(a, "x")',
        ),
    ],
)
def test_canonical_text_of_pipes(pipe: Pipe, text: str) -> None:
    query = Query(Everything(), (pipe,))
    assert format_query(query) == f"* | {text}"
    assert parse(format_query(query)) == query

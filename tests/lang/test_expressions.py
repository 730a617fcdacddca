"""Expressions: what binds how, what is a number, a text, a field, a call."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.lang.ast import (
    And,
    Binary,
    Call,
    Compare,
    Eval,
    Exact,
    Expression,
    Field,
    Inverse,
    Literal,
    Match,
    Negative,
    OneOf,
    Or,
    Pattern,
    Query,
    Truth,
    Where,
    Word,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import parse

A, B, C = Field("a"), Field("b"), Field("c")
ONE, TWO = Literal(1), Literal(2)


def read(text: str) -> Expression:
    pipe = parse(f"* | eval x = {text}").pipes[0]
    assert isinstance(pipe, Eval)
    return pipe.assignments[0][1]


def read_where(text: str) -> object:
    pipe = parse(f"* | where {text}").pipes[0]
    assert isinstance(pipe, Where)
    return pipe.filter


@together(
    ("text", "expression"),
    [
        ("a + b * c", Binary("+", A, Binary("*", B, C))),
        ("a - b - c", Binary("-", Binary("-", A, B), C)),
        ("a ^ b ^ c", Binary("^", A, Binary("^", B, C))),
        ("-a ^ b", Negative(Binary("^", A, B))),
        ("a ^ -b", Binary("^", A, Negative(B))),
        ("-a * b", Binary("*", Negative(A), B)),
        ("a & b + c", Binary("&", A, Binary("+", B, C))),
        ("a . b", Binary("&", A, B)),
        ('"x".a."y"', Binary("&", Binary("&", Literal("x"), A), Literal("y"))),
        ("a = b", Binary("==", A, B)),
        ("a <> b", Binary("!=", A, B)),
        ("a < b + c", Binary("<", A, Binary("+", B, C))),
        ("NOT a == b", Inverse(Binary("==", A, B))),
        ("!a && b || c", Binary("OR", Binary("AND", Inverse(A), B), C)),
        ("not a AND b or c", Binary("OR", Binary("AND", Inverse(A), B), C)),
        ("a or b and c", Binary("OR", A, Binary("AND", B, C))),
        ("(a or b) and c", Binary("AND", Binary("OR", A, B), C)),
        ("a in (1, 2)", Call("in", (A, ONE, TWO))),
        ("a NOT IN (1)", Inverse(Call("in", (A, ONE)))),
        ("a + b LIKE 'x%'", Call("like", (Binary("+", A, B), Literal("x%")))),
        ("a is null or b IS NOT NULL", Binary("OR", Call("isnull", (A,)), Call("isnotnull", (B,)))),
        ('a =~ "x+"', Binary("=~", A, Literal("x+"))),
        (r'a =~ "\bx\/y"', Binary("=~", A, Literal(r"\bx/y"))),
        ("IF(a > 1, 'x', null)", Call("if", (Binary(">", A, ONE), Literal("x"), Literal(None)))),
        ("round(len(a) / 2)", Call("round", (Binary("/", Call("len", (A,)), TWO),))),
        ("now()", Call("now", ())),
    ],
)
def test_operators_bind_as_everyone_expects(text: str, expression: Expression) -> None:
    assert read(text) == expression


@together(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("- 5", -5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("5m", 300),
        ("1.5h", 5400),
        ("100ms", 0.1),
        ("30sec", 30),
        ("10\u00b5s", 0.00001),
        ("2KB", 2000),
        ("2kib", 2048),
        ("5M", 5_000_000),
        ("true", True),
        ("FALSE", False),
        ("Null", None),
        ('"a\\n\\u0041"', "a\nA"),
        ("'a\\n'", "a\\n"),
        ("\u201ca\u201d", "a"),
        ('""', ""),
    ],
)
def test_constants_are_read(text: str, value: object) -> None:
    literal = read(text)
    assert literal == Literal(value)  # type: ignore[arg-type]
    assert isinstance(literal, Literal)
    assert type(literal.value) is type(value) or isinstance(value, int)


@together(
    ("text", "expression"),
    [
        ("a.b.c", Field("a.b.c")),
        ("@timestamp", Field("_time")),
        ("`user-agent`", Field("user-agent")),
        ("`a``b`", Field("a`b")),
        ("`in`", Field("in")),
        ("len", Field("len")),
        ("user-agent", Binary("-", Field("user"), Field("agent"))),
        ("bytes/1024", Binary("/", Field("bytes"), Literal(1024))),
    ],
)
def test_names_are_plain_or_in_backticks(text: str, expression: Expression) -> None:
    assert read(text) == expression


@together(
    ("text", "condition"),
    [
        ("a:b", Match("a", Pattern.literal("b"))),
        ("a == 1", Exact("a", "1")),
        ("error", Word("error")),
        ("error OR a=b", Or((Word("error"), Match("a", Pattern.literal("b"))))),
        ("a > b", Truth(Binary(">", A, B))),
        ("a*2>b", Truth(Binary(">", Binary("*", A, TWO), B))),
        ("isnull(a)", Truth(Call("isnull", (A,)))),
        ("NOT isnull(a) AND b==1", Truth(Binary("AND", Inverse(Call("isnull", (A,))), Binary("==", B, ONE)))),
        ("eval(a == 1)", Truth(Binary("==", A, ONE))),
        ("EVAL(a)", Truth(A)),
        ("a>1 || b>2", Truth(Binary("OR", Binary(">", A, ONE), Binary(">", B, TWO)))),
        ("true", Truth(Literal(True))),
        ('"true"', Word("true")),
        ("len(a)", Word("len(a)")),
    ],
)  # fmt: skip
def test_a_condition_is_a_filter_or_else_an_expression(text: str, condition: object) -> None:
    assert read_where(text) == condition


@together(
    "text",
    [
        *("main(a) > 5", "main(a)", "b:c AND main(a)", "main()", "host=a AND nolike(b)"),
        'host IN ("a") AND likes(message, "%x%")',
    ],
)
def test_a_function_that_does_not_exist_is_no_word(text: str) -> None:
    with pytest.raises(InvalidQuery, match="unknown function"):
        read_where(text)


def test_what_looks_like_a_function_is_a_word_after_search() -> None:
    assert parse("* | search startup(a) host=b").pipes == (
        Where(And((Word("startup(a)"), Match("host", Pattern.literal("b"))))),
    )


def test_a_function_beside_tests_of_fields_is_called() -> None:
    found = read_where('a IN (x, y) AND like(b, "z%")')
    like = Truth(Call("like", (B, Literal("z%"))))
    assert found == And((OneOf("a", (Pattern.literal("x"), Pattern.literal("y"))), like))


def test_names_in_backticks_are_fields_on_both_sides() -> None:
    assert read_where("`a` == `b`") == Truth(Binary("==", A, B))
    assert read_where("a > `b c`") == Truth(Binary(">", A, Field("b c")))
    assert read_where("a>`10`") == Compare("a", ">", "10")
    with pytest.raises(InvalidQuery, match="a name in backticks"):
        read_where("a == `b` AND c:d")


def test_a_condition_inside_an_aggregate_follows_the_same_rule() -> None:
    query = parse(
        '* | stats count if (len(a) > 1) as x, count(eval(a > b)) as y, count if (a:"b") as z'
    )
    conditions = [aggregate.condition for aggregate in query.pipes[0].aggregates]  # type: ignore[union-attr]
    assert conditions[:2] == [
        Truth(Binary(">", Call("len", (A,)), ONE)),
        Truth(Binary(">", A, B)),
    ]
    assert conditions[2] == Match("a", Pattern.literal("b"))


@together(
    "text",
    [
        "(" * 5000 + "a",
        "-" * 5000 + "a",
        "NOT " * 5000 + "a",
        "len(" * 5000 + "a",
        "a ^ " * 5000 + "a",
        "a + " * 5000 + "a",
        "1 OR 1 AND 1 == 1 & 1 + 1 * 1 ^ (" * 500 + "a",
        "a IN (" * 5000,
        "`" * 5001,
        "1" * 60_000,
        "1e" + "9" * 5000,
        "9" * 300 + "w",
        "a LIKE " * 5000,
    ],
)
@together("pipe", ["eval x =", "where", "where eval(", "stats avg("])
def test_huge_expressions_are_refused(pipe: str, text: str) -> None:
    """Or read as words, where words may stand."""
    try:
        parse(f"* | {pipe}{text}")
    except InvalidQuery:
        return
    assert pipe == "where"


SOUP = """
    a b 1 5m "x" ' ` ( ) , + - * / ^ & . = == != =~ < NOT AND or in like is null len( if( | eval( true
"""


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.sampled_from(SOUP.split()), max_size=12))
def test_only_invalid_query_is_raised(pieces: list[str]) -> None:
    for pipe in ("eval x =", "where", "stats count if (", "stats avg("):
        text = f"* | {pipe} {' '.join(pieces)}"
        try:
            query = parse(text)
        except InvalidQuery as error:
            if error.suggestion is not None:
                parse(error.suggestion)
        else:
            assert isinstance(query, Query)

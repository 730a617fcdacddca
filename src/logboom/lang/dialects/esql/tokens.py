"""The lexical rules of ES|QL, and its operands."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.esql.kql import read_kql
from logboom.lang.dialects.expressions import (
    ADDED,
    AND,
    COMPARED,
    MULTIPLIED,
    OR,
    Grammar,
    read_expression,
    read_group,
    read_members,
)
from logboom.lang.dialects.scanner import Scanner, Token
from logboom.lang.dialects.times import make_span
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Name,
    Node,
    Operation,
    Opposite,
    Star,
    Test,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.tokens import decode_number

NAME_PART = r"(?:[A-Za-z_@][\w@]*+|`(?:[^`]++|``)++`)"
PART = compile_later(NAME_PART)
TOKENS = compile_later(
    r"(?P<blank>\s++|//[^\n]*+|/\*.*?\*/)"
    r'|(?P<text>"""(?:.*?)"""|"(?:[^"\\\n]++|\\.)*+")'
    r"|(?P<number>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
    rf"|(?P<name>{NAME_PART}(?:\.{NAME_PART})*+)"
    r"|(?P<parameter>\?\??\w*+)"
    r"|(?P<sign>==|!=|=~|<=|>=|::|[-+*/%<>=:,()\[\]{}|.])",
    re.DOTALL | re.ASCII,
)
ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
ESCAPE = compile_later(r"\\.", re.DOTALL)
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
CASTS = {
    **dict.fromkeys(("integer", "int", "long"), "to_long"),
    **dict.fromkeys(("double", "unsigned_long"), "to_double"),
    **dict.fromkeys(("string", "keyword", "text"), "to_string"),
    **dict.fromkeys(("datetime", "date", "date_nanos"), "to_datetime"),
    **dict.fromkeys(("boolean", "bool"), "to_boolean"),
    **dict.fromkeys(("ip", "version"), "to_ip"),
}
TESTS = {
    "starts_with": "startswith_cs",
    "ends_with": "endswith_cs",
    "contains": "contains_cs",
    "match": "match",
    "match_phrase": "contains",
    "mv_contains": "==",
    "term": "==",
}
"""Functions that test a field with a text."""


def decode_text(written: str) -> str:
    if written.startswith('"""'):
        return written[3:-3]
    return ESCAPE.sub(lambda found: ESCAPES.get(found[0], found[0]), written[1:-1])


def decode_name(written: str) -> str:
    """Return the name of a field; parts in backticks are taken literally."""
    if "`" not in written:
        return written
    parts = PART.findall(written)
    return ".".join(
        part[1:-1].replace("``", "`") if part.startswith("`") else part for part in parts
    )


REQUEST_RANGE = {"?_tstart": (">", ">="), "?_tend": ("<", "<=")}
"""Kibana's parameters for the chosen time range, and how an event's time compares with them."""


def refuse_parameter(scanner: Scanner, token: Token) -> Exception:
    message = f"parameters are not supported, replace {token.text} with its value"
    return scanner.error(message, token.start, token.end)


def read_leaf(grammar: Grammar, scanner: Scanner) -> Node:
    return read_casts(scanner, read_value(grammar, scanner))


def read_value(grammar: Grammar, scanner: Scanner) -> Node:
    if scanner.sees_sign("("):
        return read_group(grammar, scanner)
    if scanner.sees_sign("["):
        return read_members(grammar, scanner, "[", "]")
    if star := scanner.take_sign("*"):
        return Star(star.start, star.end)
    token = scanner.peek()
    if token.kind == "parameter" and token.text not in REQUEST_RANGE:
        raise refuse_parameter(scanner, token)
    if token.kind not in ("text", "number", "name", "parameter"):
        raise scanner.unexpected("a value")
    scanner.take()
    return read_word(grammar, scanner, token)


def read_word(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    """Read an operand that starts with a text, a number or a name."""
    if token.kind == "parameter":
        return Invocation(token.text, (), token.start, token.end)
    if token.kind == "text":
        return Constant(decode_text(token.text), token.start, token.end)
    if token.kind == "number":
        return read_number(scanner, token)
    return read_named(grammar, scanner, token)


def read_number(scanner: Scanner, token: Token) -> Node:
    """Read a number, or a duration if a unit follows."""
    number = decode_number(token.text)
    if number is None:
        raise scanner.error("a number that is too large", token.start, token.end)
    unit = scanner.peek()
    span = make_span(number, unit.text, token.start, unit.end) if unit.kind == "name" else None
    if span is None:
        return Constant(number, token.start, token.end)
    scanner.take()
    return span


def read_named(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    if scanner.sees_sign("(") and "`" not in token.text:
        return read_call(grammar, scanner, token)
    folded = token.text.lower()
    if folded in CONSTANTS:
        return Constant(CONSTANTS[folded], token.start, token.end)
    return Name(decode_name(token.text), token.start, token.end)


def read_call(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    name = token.text.lower()
    scanner.take_sign("(")
    arguments: list[Node] = []
    while not scanner.sees_sign(")"):
        if scanner.sees_sign("{"):
            skip_options(scanner, token)
        else:
            arguments.append(read_expression(grammar, scanner))
        if not scanner.take_sign(","):
            break
    end = scanner.expect_sign(")").end
    if name == "kql" and len(arguments) == 1:
        return make_test(scanner, arguments[0], token, end)
    if name in TESTS and len(arguments) == 2:
        return Operation(TESTS[name], arguments[0], arguments[1])
    if name == "cidr_match" and len(arguments) > 1:
        name = "is in network"
    return Invocation(name, tuple(arguments), token.start, end)


def make_test(scanner: Scanner, query: Node, token: Token, end: int) -> Test:
    if not isinstance(query, Constant) or not isinstance(query.value, str):
        raise scanner.error("KQL takes a text in quotes", token.start, end)
    try:
        return Test(read_kql(query.value), token.start, end)
    except InvalidQuery as error:
        message = error.message.partition(": ")[2]
        raise scanner.error(message, query.start, query.end) from error


def skip_options(scanner: Scanner, token: Token) -> None:
    opening = scanner.peek()
    raise scanner.error(
        f"options of {token.text.upper()} are not supported, leave them out",
        opening.start,
        opening.end,
    )


def read_casts(scanner: Scanner, node: Node) -> Node:
    while scanner.take_sign("::"):
        token = scanner.take()
        cast = CASTS.get(token.text.lower())
        if cast is None:
            raise scanner.error(f"casting to {token.text} is not supported", token.start, token.end)
        node = Invocation(cast, (node,), node.start, token.end)
    return node


def read_test(grammar: Grammar, scanner: Scanner, left: Node) -> Node | None:
    """`IS [NOT] NULL`, `[NOT] IN (…)`, `[NOT] LIKE …`, `[NOT] RLIKE …`."""
    if scanner.take_word("is"):
        is_negated = scanner.take_word("not")
        end = scanner.expect_word("null").end
        test: Node = Invocation("is null", (left,), left.start, end)
        return Opposite(test, left.start) if is_negated else test
    start = scanner.position
    is_negated = scanner.take_word("not")
    word = scanner.take_word("in", "like", "rlike")
    if word is None:
        scanner.go_to(start)
        return None
    return negate(read_words_test(grammar, scanner, left, word), is_negated)


def read_words_test(grammar: Grammar, scanner: Scanner, left: Node, word: Token) -> Node:
    operator = word.text.lower()
    if operator == "in":
        return Operation("in", left, read_members(grammar, scanner))
    if not scanner.sees_sign("("):
        return Operation(operator, left, read_value(grammar, scanner))
    members = read_members(grammar, scanner).members
    if not members:
        raise scanner.error("an empty list, expected patterns", word.start, word.end)
    tests: list[Node] = [Operation(operator, left, member) for member in members]
    joined = tests[0]
    for test in tests[1:]:
        joined = Operation("or", joined, test)
    return joined


def negate(node: Node, is_negated: Token | None) -> Node:
    return Opposite(node, node.start) if is_negated else node


GRAMMAR = Grammar(
    operators={
        "or": ("or", OR),
        "and": ("and", AND),
        **{sign: (sign, COMPARED) for sign in ("==", "!=", "=~", "<", "<=", ">", ">=")},
        "=": ("==", COMPARED),
        ":": ("match", COMPARED),
        **{sign: (sign, ADDED) for sign in "+-"},
        **{sign: (sign, MULTIPLIED) for sign in "*/%"},
    },
    read_test=read_test,
    read_leaf=read_leaf,
)

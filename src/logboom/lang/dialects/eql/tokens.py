"""The lexical rules of EQL, and its operands."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.expressions import (
    ADDED,
    AND,
    COMPARED,
    MULTIPLIED,
    OR,
    Grammar,
    read_expression,
    read_members,
)
from logboom.lang.dialects.lowering import WILDCARDS
from logboom.lang.dialects.scanner import Scanner, Token
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Name,
    Node,
    Operation,
    Opposite,
    Sequence,
)
from logboom.lang.tokens import decode_number

PART = r"(?:[A-Za-z_@$][\w@]*+|`[^`]++`)"
TOKENS = compile_later(
    r"(?P<blank>\s++|//[^\n]*+|/\*.*?\*/)"
    r'|(?P<text>"""(?:.*?)"""|"(?:[^"\\\n]++|\\.)*+")'
    r"|(?P<number>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
    rf"|(?P<name>\??{PART}(?:\.{PART})*+~?)"
    r"|(?P<test>:)"
    r"|(?P<sign>==|!=|<=|>=|[-+*/%<>=,()\[\]|!])",
    re.DOTALL | re.ASCII,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
ESCAPE = compile_later(r"\\(.)", re.DOTALL)
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
RELATIVES = frozenset({"descendant", "child", "event"})
WORDS = {
    ":": "ilike",
    "like": "like",
    "like~": "ilike",
    "regex": "rlike",
    "regex~": "irlike",
}
"""Tests of a text with one or more patterns."""
TESTS = {
    "startswith": "startswith_cs",
    "startswith~": "startswith",
    "endswith": "endswith_cs",
    "endswith~": "endswith",
    "stringcontains": "contains_cs",
    "stringcontains~": "contains",
    "wildcard": "like",
    "wildcard~": "ilike",
    "match": "rlike",
    "match~": "irlike",
}
"""Functions that test their first argument with each of the others."""


def decode_text(written: str) -> str:
    if written.startswith('"""'):
        return written[3:-3]
    return ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), written[1:-1])


def decode_name(written: str) -> str:
    """Return the name of a field, without the question mark that says that it may be unknown."""
    return written.lstrip("?").replace("`", "")


def read_leaf(grammar: Grammar, scanner: Scanner) -> Node:
    if scanner.sees_sign("("):
        return read_group(grammar, scanner)
    token = scanner.take()
    if token.kind == "text":
        return Constant(decode_text(token.text), token.start, token.end)
    if token.kind == "number":
        return Constant(decode_number(token.text), token.start, token.end)
    if token.kind == "name":
        return read_named(grammar, scanner, token)
    scanner.go_to(token.start)
    raise scanner.unexpected("a value")


def read_group(grammar: Grammar, scanner: Scanner) -> Node:
    """Read a group, or the list after a test."""
    found = read_members(grammar, scanner)
    return found.members[0] if len(found.members) == 1 else found


def read_named(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    folded = token.text.lower()
    if folded in RELATIVES and scanner.sees_word("of"):
        message = f"{folded} of is not supported, processes are not connected here: test a field of the event"
        raise scanner.error(message, token.start, scanner.take().end)
    if not scanner.sees_sign("("):
        if folded in CONSTANTS:
            return Constant(CONSTANTS[folded], token.start, token.end)
        return Name(decode_name(token.text), token.start, token.end)
    found = read_members(grammar, scanner)
    subject, *further = found.members or (None,)
    if folded in TESTS and subject is not None and further:
        return test_each(TESTS[folded], subject, tuple(further))
    name = "is in network" if folded == "cidrmatch" else folded
    return Invocation(name, found.members, token.start, found.end)


def test_each(operator: str, subject: Node, patterns: tuple[Node, ...]) -> Node:
    read = read_pattern if operator in WILDCARDS else read_as_is
    return join_tests([Operation(operator, subject, read(pattern)) for pattern in patterns])


def join_tests(tests: list[Node]) -> Node:
    """Return a balanced tree: it stays shallow for any number of tests."""
    if len(tests) == 1:
        return tests[0]
    middle = len(tests) // 2
    return Operation("or", join_tests(tests[:middle]), join_tests(tests[middle:]))


def read_pattern(node: Node) -> Node:
    """Return a pattern, in which a backslash beside wildcards is an ordinary character."""
    match node:
        case Constant(value=str(text)):
            return Constant(text.replace("\\", "\\\\"), node.start, node.end)
        case _:
            return node


def read_as_is(node: Node) -> Node:
    return node


def read_test(grammar: Grammar, scanner: Scanner, left: Node) -> Node | None:
    """`: "a*"`, and with or without `not`: `in (…)`, `like "a*"`, `regex ("a", "b")`, in any case with a tilde."""
    start = scanner.position
    is_negated = scanner.take_word("not")
    word = scanner.take_word("in", "in~", "like", "like~", "regex", "regex~")
    if word is None and not is_negated and scanner.peek().kind == "test":
        word = scanner.take()
    if word is None:
        scanner.go_to(start)
        return None
    operator = word.text.lower()
    if operator in WORDS:
        right = read_leaf(grammar, scanner)
        patterns = right.members if isinstance(right, Sequence) else (right,)
        test = test_each(WORDS[operator], left, patterns)
    else:
        test = Operation(operator, left, read_members(grammar, scanner))
    return Opposite(test, left.start) if is_negated else test


def read_condition(scanner: Scanner) -> Node:
    return settle_constants(read_expression(GRAMMAR, scanner))


def settle_constants(node: Node) -> Node:
    """`== null` tests whether there is a value, and a test may be compared with true or false."""
    match node:
        case Opposite(operand=operand, start=start):
            return Opposite(settle_constants(operand), start)
        case Operation(
            operator="==" | "!=" as operator,
            left=Invocation(name="is in network") | Operation() as test,
            right=Constant(value=bool(value)),
        ):
            settled = settle_constants(test)
            return settled if (operator == "==") == value else Opposite(settled, node.start)
        case Operation(operator="==" | "!=" as operator, left=left, right=Constant(value=None)):
            test = Invocation("is null", (left,), node.start, node.end)
            return test if operator == "==" else Opposite(test, node.start)
        case Operation(operator=operator, left=left, right=right):
            return Operation(operator, settle_constants(left), settle_constants(right))
        case _:
            return node


GRAMMAR = Grammar(
    operators={
        "or": ("or", OR),
        "and": ("and", AND),
        **{sign: (sign, COMPARED) for sign in ("==", "!=", "<", "<=", ">", ">=")},
        **{sign: (sign, ADDED) for sign in "+-"},
        **{sign: (sign, MULTIPLIED) for sign in "*/%"},
    },
    read_test=read_test,
    read_leaf=read_leaf,
)

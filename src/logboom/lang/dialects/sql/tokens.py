"""The lexical rules of SQL, and its operands."""

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
    read_group,
    read_members,
    read_operators,
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
    Sequence,
    Star,
)
from logboom.lang.tokens import decode_number

PART = r"(?:[A-Za-z_@][\w@$]*+|\"[^\"]++\"|`[^`]++`)"
TOKENS = compile_later(
    r"(?P<blank>\s++|--[^\n]*+|/\*.*?\*/)"
    r"|(?P<text>'(?:[^']|'')*+')"
    r"|(?P<number>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
    rf"|(?P<name>{PART}(?:\.{PART})*+)"
    r"|(?P<sign>==|<>|!=|<=|>=|\|\||!?~\*?|[-+*/%<>=,();])",
    re.DOTALL | re.ASCII,
)
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
INTERVAL = compile_later(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[a-z]+)", re.IGNORECASE)


def read_leaf(grammar: Grammar, scanner: Scanner) -> Node:
    if scanner.sees_sign("("):
        return read_group(grammar, scanner)
    if star := scanner.take_sign("*"):
        return Star(star.start, star.end)
    token = scanner.take()
    if token.kind == "text":
        return Constant(token.text[1:-1].replace("''", "'"), token.start, token.end)
    if token.kind == "number":
        return Constant(decode_number(token.text), token.start, token.end)
    if token.kind == "name":
        return read_named(grammar, scanner, token)
    scanner.go_to(token.start)
    raise scanner.unexpected("a value")


def decode_name(written: str) -> str:
    return written.replace('"', "").replace("`", "")


def read_named(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    folded = token.text.lower()
    if folded == "interval" and scanner.peek().kind in ("text", "number"):
        return read_interval(scanner, token)
    if folded == "case":
        return read_case(grammar, scanner, token)
    if folded in CONSTANTS:
        return Constant(CONSTANTS[folded], token.start, token.end)
    if not scanner.sees_sign("("):
        return Name(decode_name(token.text), token.start, token.end)
    scanner.take()
    is_distinct = scanner.take_word("distinct") is not None
    members: list[Node] = []
    while not scanner.sees_sign(")"):
        members.append(read_expression(grammar, scanner))
        if not scanner.take_sign(","):
            break
    name = f"{folded}_distinct" if is_distinct else folded
    end = scanner.expect_sign(")").end
    if scanner.take_word("within"):
        members, end = [read_within(grammar, scanner), *members], scanner.position
    return Invocation(name, tuple(members), token.start, end)


def read_within(grammar: Grammar, scanner: Scanner) -> Node:
    """`WITHIN GROUP (ORDER BY took)`, after its first word."""
    scanner.expect_word("group")
    scanner.expect_sign("(")
    scanner.expect_word("order")
    scanner.expect_word("by")
    found = read_expression(grammar, scanner)
    scanner.take_word("asc")
    scanner.expect_sign(")")
    return found


def read_case(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    """`CASE WHEN test THEN value … ELSE value END`, also `CASE x WHEN value THEN …`."""
    compared = None if scanner.sees_word("when") else read_expression(grammar, scanner)
    members: list[Node] = []
    while scanner.take_word("when"):
        test = read_expression(grammar, scanner)
        members.append(test if compared is None else Operation("==", compared, test))
        scanner.expect_word("then")
        members.append(read_expression(grammar, scanner))
    if scanner.take_word("else"):
        members.append(read_expression(grammar, scanner))
    return Invocation("case", tuple(members), token.start, scanner.expect_word("end").end)


def with_texts(node: Node, text: str) -> Node:
    """Return a tree in which names in double quotes on the right of a test are texts, as many people write them."""
    match node:
        case Operation(operator="and" | "or"):
            return Operation(
                node.operator, with_texts(node.left, text), with_texts(node.right, text)
            )
        case Operation():
            return Operation(node.operator, node.left, as_text(node.right, text))
        case Opposite():
            return Opposite(with_texts(node.operand, text), node.start)
        case _:
            return node


def as_text(node: Node, text: str) -> Node:
    match node:
        case Name() if text[node.start] == '"' and text.find('"', node.start + 1) == node.end - 1:
            return Constant(node.text, node.start, node.end)
        case Sequence():
            members = tuple(as_text(member, text) for member in node.members)
            return Sequence(members, node.start, node.end)
        case _:
            return node


def read_interval(scanner: Scanner, token: Token) -> Node:
    """`interval '1 hour'`, or `interval 1 hour`."""
    written = scanner.take()
    text = written.text.strip("'")
    if written.kind == "number" or text.isdigit():
        text += " " + scanner.take().text
    found = INTERVAL.fullmatch(text.strip())
    span = found and make_span(
        decode_number(found["number"]) or 0, found["unit"], token.start, scanner.position
    )
    if not span:
        raise scanner.error("expected an interval such as '1 hour'", token.start, scanner.position)
    return span


def read_test(grammar: Grammar, scanner: Scanner, left: Node) -> Node | None:
    """`IS [NOT] NULL`, and with or without NOT: `IN (…)`, `LIKE`, `ILIKE`, `REGEXP`, `BETWEEN a AND b`."""
    if scanner.take_word("is"):
        is_negated = scanner.take_word("not")
        test: Node = Invocation("is null", (left,), left.start, scanner.expect_word("null").end)
        return Opposite(test, left.start) if is_negated else test
    start = scanner.position
    is_negated = scanner.take_word("not")
    word = scanner.take_word("in", "like", "ilike", "between", "regexp", "rlike")
    if word is None:
        scanner.go_to(start)
        return None
    found = read_word_test(grammar, scanner, left, word.text.lower())
    return Opposite(found, left.start) if is_negated else found


def read_word_test(grammar: Grammar, scanner: Scanner, left: Node, word: str) -> Node:
    if word == "in":
        return Operation("in", left, read_members(grammar, scanner))
    if word == "between":
        low = read_operators(grammar, scanner, ADDED)
        scanner.expect_word("and")
        high = read_operators(grammar, scanner, ADDED)
        return Operation("between", left, Sequence((low, high), low.start, high.end))
    if word in ("regexp", "rlike"):
        return Operation("matches", left, read_leaf(grammar, scanner))
    return Operation(f"sql_{word}", left, read_leaf(grammar, scanner))


GRAMMAR = Grammar(
    operators={
        "or": ("or", OR),
        "and": ("and", AND),
        **{sign: (sign, COMPARED) for sign in ("==", "!=", "<", "<=", ">", ">=")},
        "=": ("==", COMPARED),
        "<>": ("!=", COMPARED),
        "~": ("matches", COMPARED),
        "~*": ("imatches", COMPARED),
        **{sign: (sign, ADDED) for sign in ("+", "-", "||")},
        **{sign: (sign, MULTIPLIED) for sign in "*/%"},
    },
    read_test=read_test,
    read_leaf=read_leaf,
)

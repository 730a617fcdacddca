"""Parses expressions of other languages, by precedence climbing over their tokens.

A language's `Grammar` says which operators it has and parses its operands; everything else is shared.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from logboom.lang.dialects.scanner import MAX_CHAIN, Scanner
from logboom.lang.dialects.tree import Minus, Node, Operation, Opposite, Sequence

NO_OPERATOR = ("", 0)
OR, AND, NOT, COMPARED, ADDED, MULTIPLIED = range(1, 7)

WordTest: TypeAlias = Callable[["Grammar", Scanner, Node], Node | None]


class Grammar(NamedTuple):
    """`operators` maps signs and lower-case words to names in the tree and precedences.

    `read_test` parses a test that is more than an operator between two operands (`IS NOT NULL`, `in (…)`) after its
    left side, or returns None; `read_leaf` parses one operand.
    """

    operators: Mapping[str, tuple[str, int]]
    read_test: WordTest
    read_leaf: Callable[["Grammar", Scanner], Node]


def read_expression(grammar: Grammar, scanner: Scanner) -> Node:
    scanner.enter()
    node = read_operators(grammar, scanner, OR)
    scanner.depth -= 1
    return node


def read_operators(grammar: Grammar, scanner: Scanner, loosest: int) -> Node:
    """Read operands joined by operators of at least the precedence `loosest`."""
    left = read_operand(grammar, scanner)
    for _ in range(MAX_CHAIN):
        token = scanner.peek()
        if token.kind != "sign" and loosest <= COMPARED:
            test = grammar.read_test(grammar, scanner, left)
            if test is not None:
                left = test
                continue
        operator, binding = grammar.operators.get(token.text.lower(), NO_OPERATOR)
        if binding < loosest:
            return left
        scanner.take()
        left = Operation(operator, left, read_operators(grammar, scanner, binding + 1))
    raise scanner.error(
        f"more than {MAX_CHAIN} operators in a row, expected parentheses", left.start, left.end
    )


def read_operand(grammar: Grammar, scanner: Scanner) -> Node:
    token = scanner.peek()
    if token.kind == "name" and token.text.lower() == "not":
        scanner.take()
        scanner.enter()
        node: Node = Opposite(read_operators(grammar, scanner, NOT), token.start)
    elif token.kind == "sign" and token.text in ("-", "+"):
        scanner.take()
        scanner.enter()
        operand = read_operand(grammar, scanner)
        node = Minus(operand, token.start) if token.text == "-" else operand
    else:
        return grammar.read_leaf(grammar, scanner)
    scanner.depth -= 1
    return node


def read_group(grammar: Grammar, scanner: Scanner) -> Node:
    """Read the contents of parentheses."""
    scanner.expect_sign("(")
    inside = read_expression(grammar, scanner)
    scanner.expect_sign(")")
    return inside


def read_members(
    grammar: Grammar, scanner: Scanner, opening: str = "(", closing: str = ")"
) -> Sequence:
    """Read comma-separated expressions and the brackets around them; there may be none."""
    start = scanner.expect_sign(opening).start
    members: list[Node] = []
    while not scanner.sees_sign(closing):
        members.append(read_expression(grammar, scanner))
        if not scanner.take_sign(","):
            break
    return Sequence(tuple(members), start, scanner.expect_sign(closing).end)

"""Expressions as text, with the parentheses that precedence requires."""

from collections.abc import Callable
from typing import Any

from logboom.lang.ast import (
    OPERATORS,
    Binary,
    Call,
    Expression,
    Field,
    Inverse,
    Literal,
    Negative,
)
from logboom.lang.expression_tokens import quote_field
from logboom.lang.format.nodes import format_node
from logboom.lang.tokens import quote

NOT_BINDING = 3
POWER = OPERATORS["^"]
LEAF_BINDING = POWER + 1


def format_literal(node: Literal) -> str:
    match node.value:
        case None:
            return "null"
        case bool(value):
            return "true" if value else "false"
        case str(text):
            return quote(text)
        case number:
            return repr(number)


def format_field(node: Field) -> str:
    return quote_field(node.name)


def format_call(node: Call) -> str:
    return f"{node.function}({', '.join(map(format_node, node.arguments))})"


def format_negative(node: Negative) -> str:
    """Print a negation; a number is put in parentheses, because the sign would make it a negative number."""
    operand = format_operand(node.operand, POWER)
    is_number = operand[0].isdigit() and isinstance(node.operand, Literal)
    return f"-({operand})" if is_number else f"-{operand}"


def format_inverse(node: Inverse) -> str:
    return f"NOT {format_operand(node.operand, NOT_BINDING)}"


def format_binary(node: Binary) -> str:
    binding = OPERATORS[node.operator]
    is_power = binding == POWER
    left = format_operand(node.left, binding + is_power)
    right = format_operand(node.right, binding + (not is_power))
    if node.operator == "OR":
        left, right = embrace_and(node.left, left), embrace_and(node.right, right)
    return f"{left} {node.operator} {right}"


def format_operand(node: Expression, loosest: int) -> str:
    text = format_node(node)
    return f"({text})" if find_binding(node) < loosest else text


def embrace_and(node: Expression, text: str) -> str:
    """Print an operand of OR; AND gets parentheses, so that readers need not know the precedence."""
    return f"({text})" if isinstance(node, Binary) and node.operator == "AND" else text


def find_binding(node: Expression) -> int:
    """Return the precedence of a node's text."""
    match node:
        case Binary():
            return OPERATORS[node.operator]
        case Inverse():
            return NOT_BINDING
        case Negative():
            return POWER
        case Literal(value) if isinstance(value, int | float) and repr(value).startswith("-"):
            return POWER
        case _:
            return LEAF_BINDING


EXPRESSION_FORMATS: dict[type, Callable[[Any], str]] = {
    Literal: format_literal,
    Field: format_field,
    Call: format_call,
    Negative: format_negative,
    Inverse: format_inverse,
    Binary: format_binary,
}

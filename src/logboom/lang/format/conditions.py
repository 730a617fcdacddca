"""Conditions as text: a filter or an expression, written so that it is parsed as the same."""

from logboom.lang.ast import Binary, Call, Expression, Field, Filter, Inverse, Literal, Truth
from logboom.lang.ast.expressions import list_children
from logboom.lang.format.nodes import format_node
from logboom.lang.functions import FUNCTIONS

JOINING = ("AND", "OR")
ARITHMETIC = ("&", "+", "-", "*", "/", "%", "^")


def format_condition(node: Filter) -> str:
    """Print a condition; one that could be parsed as a filter, such as `status == 500`, is wrapped in `eval(…)`."""
    if isinstance(node, Truth) and is_unambiguous(node.expression):
        return format_node(node.expression)
    return format_node(node)


def is_unambiguous(expression: Expression) -> bool:
    is_call = isinstance(expression, Call)
    is_list = not is_call and has_bare_members(expression)
    return is_condition(expression) and begins_with_text(expression) and not is_list


def has_bare_members(expression: Expression) -> bool:
    """Return whether a field is among the values of some `in(…)`: a filter would treat it as a text."""
    if isinstance(expression, Call) and expression.function == "in":
        return any(isinstance(member, Field) for member in expression.arguments[1:])
    return any(map(has_bare_members, list_children(expression)))


def is_condition(expression: Expression) -> bool:
    """Return whether it is certainly boolean, whatever the data."""
    match expression:
        case Binary(operator, left, right) if operator in JOINING:
            return is_condition(left) and is_condition(right)
        case Binary(operator):
            return operator not in ARITHMETIC
        case Inverse(operand):
            return is_condition(operand)
        case Call(function):
            return FUNCTIONS[function].result == "bool"
        case Literal(value):
            return isinstance(value, bool)
        case _:
            return False


def begins_with_text(expression: Expression) -> bool:
    """Return whether no filter would treat the first operand as a word, because it is a call or computed with."""
    match expression:
        case Call() | Literal(value=bool()):
            return True
        case Inverse(operand):
            return begins_with_text(operand)
        case Binary(operator, Field() | Literal(), _):
            return operator in ARITHMETIC
        case Binary(_, left, _):
            return begins_with_text(left)
        case _:
            return False

"""Pipes that compute columns: `eval`, `math` and `delta`."""

from logboom.lang.ast import Binary, Call, Delta, Eval, Expression, Literal
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.expressions import parse_expression
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import parentheses, parse_name, take_comma
from logboom.lang.tokens import PIPE_KEYWORD


def parse_eval(cursor: Cursor) -> Eval:
    """`eval name = expression, …`, or `eval expression as name, …`."""
    assignments = [parse_assignment(cursor)]
    while take_comma(cursor):
        assignments.append(parse_assignment(cursor))
    return Eval(tuple(assignments))


def parse_assignment(cursor: Cursor) -> tuple[str, Expression]:
    mark = cursor.mark()
    name = None if cursor.sees(PIPE_KEYWORD) else cursor.take_name()
    if name and cursor.take(tokens.ASSIGNMENT):
        return name, parse_expression(cursor)
    cursor.rewind(mark)
    expression = parse_expression(cursor)
    if not cursor.take(tokens.AS):
        raise cursor.unexpected(["as"])
    return parse_name(cursor, "a column name"), expression


def parse_math(cursor: Cursor) -> Eval:
    """LogsQL's `math expression [as name], …`: by default the column is named after the expression."""
    assignments = [parse_computed(cursor)]
    while take_comma(cursor):
        assignments.append(parse_computed(cursor))
    return Eval(tuple(assignments))


def parse_computed(cursor: Cursor) -> tuple[str, Expression]:
    mark = cursor.mark()
    expression = parse_expression(cursor)
    is_unnamed = cursor.at_end or cursor.sees_any("|),")
    if cursor.take_character("="):
        cursor.rewind(mark)
        return parse_assignment(cursor)
    cursor.take(tokens.AS)
    written = cursor.text[mark.position : cursor.position].strip()
    name = written if is_unnamed else parse_name(cursor, "a column name")
    return name, round_to_multiple(expression)


def round_to_multiple(expression: Expression) -> Expression:
    """Translate LogsQL's `round`, whose second argument is a multiple and not the number of digits."""
    match expression:
        case Call("round", (value, Literal(value=int() | float() as nearest))) if nearest:
            size = Literal(nearest)
            return Binary("*", Call("round", (Binary("/", value, size),)), size)
        case _:
            return expression


def parse_delta(cursor: Cursor) -> Delta:
    """`delta field [as name]`."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            field = parse_name(cursor)
    else:
        field = parse_name(cursor)
    name = parse_name(cursor, "a column name") if cursor.take(tokens.AS) else f"delta({field})"
    return Delta(field, name)

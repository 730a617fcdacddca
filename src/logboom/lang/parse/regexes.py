"""Regular expressions in expressions: they must be quoted, so that errors show before the data is read."""

from logboom.lang.ast import Expression, Literal
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.fields.values import check_expression


def check_regex_operand(cursor: Cursor, start: int, operand: Expression) -> Expression:
    """Return the operand parsed from `start`, in its canonical spelling."""
    if not isinstance(operand, Literal) or not isinstance(operand.value, str):
        message = "a computed regular expression, expected one in quotes"
        raise cursor.error(message, start, cursor.position, ["a regular expression in quotes"])
    return Literal(check_expression(cursor, start, operand.value))

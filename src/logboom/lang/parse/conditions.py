"""Conditions, after `where` and inside `if (…)`: a filter, or an expression that is true or false.

What reads as a filter is one. Where that leaves bare words, `len(user) > 5`, or joins tests by `&&` and `||`,
the reading as an expression goes first if there is one; `eval(…)` around it asks for that reading.
"""

import re

from logboom.lang.ast import MESSAGE, And, Expression, Filter, Match, Not, Or, Truth, Word
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.conditions import is_condition
from logboom.lang.parse.cursor import Cursor, Mark
from logboom.lang.parse.expressions import close, parse_expression
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.nearest import UnknownName

EVAL = re.compile(r"eval(?=\()", re.IGNORECASE)


def parse_condition(cursor: Cursor) -> Filter:
    """Up to a pipe, a closing parenthesis or the end."""
    cursor.skip_blanks()
    if cursor.take(EVAL):
        return Truth(parse_evaluated(cursor))
    mark, symbols = cursor.mark(), cursor.symbols
    reading = read_filter(cursor)
    is_plain = cursor.symbols == symbols
    if is_plain and not isinstance(reading, InvalidQuery) and not has_words(reading):
        return reading
    end = cursor.position
    cursor.position = mark.position
    expression = read_expression(cursor)
    if isinstance(expression, UnknownName):
        raise expression
    if expression is not None:
        cursor.rewind(Mark(cursor.position, mark.notices))
        return Truth(expression)
    cursor.position = end
    if isinstance(reading, InvalidQuery):
        raise reading
    return reading


def parse_evaluated(cursor: Cursor) -> Expression:
    """The expression in the parentheses that open here, and the blanks after it."""
    start = cursor.position
    cursor.take_character("(")
    with cursor.nested(start):
        expression = parse_expression(cursor)
    close(cursor, start)
    cursor.skip_blanks()
    return expression


def read_filter(cursor: Cursor) -> Filter | InvalidQuery:
    """The filter that comes, or what is wrong with it."""
    try:
        return parse_filter(cursor)
    except InvalidQuery as error:
        return error


def read_expression(cursor: Cursor) -> Expression | UnknownName | None:
    """The expression that comes, if all of the condition is one and is true or false.

    A function of another language, or one that was misspelled, would be a word of the filter: that is an error.
    """
    try:
        expression = parse_expression(cursor)
    except UnknownName as error:
        return error if error.is_meant else None
    except InvalidQuery:
        return None
    is_whole = cursor.at_end or cursor.sees_any("|)")
    return expression if is_whole and is_condition(expression) else None


def has_words(filter_: Filter) -> bool:
    """Whether some of it is text that no field was named for."""
    match filter_:
        case Word():
            return True
        case Match(field, pattern):
            return field == MESSAGE and pattern.text is None
        case Not(term):
            return has_words(term)
        case And(terms) | Or(terms):
            return any(map(has_words, terms))
        case _:
            return False

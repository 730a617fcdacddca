"""Conditions, after `where` and inside `if (…)`: a filter, or a boolean expression.

What can be parsed as a filter is one. If that leaves bare words, `len(user) > 5`, or joins tests by `&&` and `||`, it
is parsed as an expression first if possible; `eval(…)` around it requests that.
"""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    And,
    Call,
    Expression,
    Filter,
    Match,
    Not,
    Or,
    Truth,
    Word,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.conditions import has_bare_members, is_condition
from logboom.lang.parse.cursor import Cursor, Mark, show
from logboom.lang.parse.expressions import parse_expression
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.nearest import UnknownName
from logboom.lang.tokens import QUOTED, quote

OPERATOR = r"\s*+(?:==?|!=)\s*+"
COMPARED_FIELDS = compile_later(rf"'[^']++'{OPERATOR}'")
DASHED_VALUE = compile_later(
    rf"{OPERATOR}(?P<value>[A-Za-z_][\w.]*+(?:-[\w.]++)++)(?![\w(])(?=[\s),|]|\Z)"
)
# `in(a, b)` is a function.
BARE_MEMBER = compile_later(
    r"\b(?:IN\s*+|in\s++)\((?:\s*+(?:\"[^\"]*+\"|-?[0-9.]++)\s*+,)*+\s*+(?P<value>[A-Za-z_][\w.*-]*+)\s*+[,)]"
)


def parse_condition(cursor: Cursor, *, may_be_text: bool = False) -> Filter:
    """Parse up to a pipe, a closing parenthesis or the end; a call may be read as text only after `search`."""
    cursor.skip_blanks()
    mark, symbols = cursor.mark(), cursor.symbols
    reading = read_filter(cursor, may_be_text)
    named = cursor.named_operand
    is_certain = cursor.symbols == symbols and named is None
    is_plain = is_certain and not compares_fields(cursor, mark.position)
    if is_plain and not isinstance(reading, InvalidQuery) and not has_words(reading):
        return reading
    end, notices = cursor.position, cursor.notices[mark.notices :]
    cursor.rewind(mark)
    expression = read_expression(cursor)
    if isinstance(expression, UnknownName):
        raise expression
    if expression is not None and not (is_certain and is_list_beside_calls(expression, reading)):
        check_values(cursor, mark.position)
        return Truth(expression)
    cursor.rewind(Mark(end, mark.notices))
    cursor.notices += notices
    if isinstance(reading, InvalidQuery):
        raise reading
    if named is not None:
        message = "a name in backticks stands for a field here, expected eval(…) around that test"
        raise cursor.error(message, named, None, ["eval("])
    return reading


def compares_fields(cursor: Cursor, start: int) -> bool:
    """Return whether two names in single quotes are compared in what was parsed from `start` on."""
    return COMPARED_FIELDS.search(cursor.text, start, cursor.position) is not None


def check_values(cursor: Cursor, start: int) -> None:
    """Refuse values such as `web-01` without quotes: a text in a filter, but a difference in an expression."""
    bare = QUOTED.sub(blank_quoted, cursor.text[: cursor.position])
    for pattern in (DASHED_VALUE, BARE_MEMBER):
        found = pattern.search(bare, start)
        if found:
            value = found["value"]
            first, last = found.span("value")
            message = f"{show(value)} beside a function is not a text, expected quotes around it"
            suggestion = cursor.replace(first, last, quote(value))
            raise cursor.error(message, first, last, ["a text in quotes"], suggestion)


def blank_quoted(quoted: re.Match[str]) -> str:
    """Return quotes of the same length without contents."""
    return '"' + " " * (len(quoted[0]) - 2) + '"'


def read_filter(cursor: Cursor, may_be_text: bool) -> Filter | InvalidQuery:
    """Return the following filter, or what is wrong with it."""
    before, cursor.in_condition = cursor.in_condition, not may_be_text
    cursor.named_operand = None
    try:
        return parse_filter(cursor)
    except InvalidQuery as error:
        return error
    finally:
        cursor.in_condition = before


def read_expression(cursor: Cursor) -> Expression | UnknownName | None:
    """Return the following expression, if it is the whole condition and boolean.

    A function of another language, or a misspelled one, would be a word of the filter: that is an error.
    """
    try:
        expression = parse_expression(cursor)
    except UnknownName as error:
        return error if error.is_meant else None
    except InvalidQuery:
        return None
    is_whole = cursor.at_end or cursor.sees_any("|)")
    return expression if is_whole and is_condition(expression) else None


def is_list_beside_calls(expression: Expression, reading: Filter | InvalidQuery) -> bool:
    """`host IN (web, db) AND like(path, "a%")`: to a filter the words in a list are texts, which makes sense."""
    is_filter = not isinstance(reading, InvalidQuery) and not has_words(reading, counts_calls=False)
    return is_filter and has_bare_members(expression)


def has_words(filter_: Filter, *, counts_calls: bool = True) -> bool:
    """Return whether some of it is text without a field, or the call of a function."""
    match filter_:
        case Truth(Call()):
            return counts_calls
        case Word():
            return True
        case Match(field, pattern):
            return field == MESSAGE and pattern.text is None
        case Not(term):
            return has_words(term, counts_calls=counts_calls)
        case And(terms) | Or(terms):
            return any(has_words(term, counts_calls=counts_calls) for term in terms)
        case _:
            return False

"""Expressions among the tests of a filter: `eval(a == b)`, and after `where` calls of boolean functions."""

import re

from logboom.base.patterns import compile_later
from logboom.lang import expression_tokens
from logboom.lang.ast import Call, Expression, Filter, Truth
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.conditions import is_condition
from logboom.lang.functions import FUNCTION_ALIASES, FUNCTIONS, find_function
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.expressions import close, parse_call, parse_expression
from logboom.lang.parse.nearest import UnknownName, unknown_name
from logboom.lang.tokens import IN_FILTER, quote

WHOLE_CALL = compile_later(r"[A-Za-z_]\w*+\([^()|]*+\)\s*+(?:\||\Z)")
EVAL = compile_later(r"eval(?=\()", re.IGNORECASE)


def parse_truth(cursor: Cursor) -> Filter | None:
    """Parse the following expression as a term, which starts with a call.

    Outside conditions a text that is no test stays text.
    """
    if cursor.sees(EVAL):
        return parse_eval(cursor) if cursor.in_condition else try_eval(cursor)
    if cursor.in_condition:
        return parse_function(cursor)
    if cursor.is_splunk and (test := try_function(cursor)):
        return test
    check_no_function(cursor)
    return None


def check_no_function(cursor: Cursor) -> None:
    """Raise InvalidQuery if a call of a boolean function is the whole filter; other calls are text."""
    start = cursor.position
    try:
        call = parse_expression(cursor)
        is_whole = cursor.at_end or cursor.sees_any("|")
        is_test = isinstance(call, Call) and is_condition(call) and is_whole
    except UnknownName as error:
        is_test = error.suggestion is not None and WHOLE_CALL.match(cursor.text, start) is not None
    except InvalidQuery:
        is_test = False
    end, cursor.position = cursor.position, start
    if is_test and not cursor.text[:start].strip():
        message = "a function in place of a test, expected where before it"
        raise cursor.error(message, start, end, ["where"], f"* | where {cursor.text[start:]}")


def try_function(cursor: Cursor) -> Truth | None:
    """Return the call of a boolean function in a query of Splunk, where it would be a text that is never found."""
    mark = cursor.mark()
    try:
        call = parse_call(cursor)
    except InvalidQuery:
        call = None
    if call is None or not is_condition(call) or not cursor.sees(IN_FILTER.end):
        cursor.rewind(mark)
        return None
    written = cursor.text[mark.position : cursor.position]
    message = f"{show(written)} is read as a test, in quotes it is a text"
    alternative = cursor.replace(mark.position, cursor.position, quote(written))
    cursor.notice("read_as_meant", message, alt=alternative)
    return Truth(call)


def parse_eval(cursor: Cursor) -> Truth:
    cursor.take(EVAL)
    return Truth(parse_evaluated(cursor))


def try_eval(cursor: Cursor) -> Truth | None:
    mark = cursor.mark()
    try:
        truth = parse_eval(cursor)
    except InvalidQuery:
        truth = None
    if truth is None or not is_condition(truth.expression) or not cursor.sees(IN_FILTER.end):
        cursor.rewind(mark)
        return None
    return truth


def parse_evaluated(cursor: Cursor) -> Expression:
    """Parse the expression in the parentheses that open here."""
    start = cursor.position
    cursor.take_character("(")
    with cursor.nested(start):
        expression = parse_expression(cursor)
    close(cursor, start)
    return expression


def parse_function(cursor: Cursor) -> Filter | None:
    """Parse the call of a boolean function; an unknown one is an error, not a word."""
    start = cursor.position
    name = cursor.take(expression_tokens.FIELD) or ""
    signature = find_function(name)
    if signature is None:
        raise unknown_name(cursor, start, "function", FUNCTIONS, FUNCTION_ALIASES)
    cursor.position = start
    return Truth(parse_call(cursor)) if signature.result == "bool" else None

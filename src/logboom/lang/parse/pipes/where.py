"""`where`, and what stands for it in LogQL: `|= "text"`, `|~ "re"`, `| level = "error"`."""

from logboom.lang.ast import MESSAGE, And, Filter, Not, Or, Regex, Where
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.conditions import has_words, parse_condition
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import ends_pipe, parse_quoted
from logboom.lang.parse.values import check_expression


def parse_where(cursor: Cursor) -> Where:
    """`where filter`, or `where expression`."""
    return Where(parse_condition(cursor))


def parse_line_filters(cursor: Cursor) -> Where:
    """One or more of `= "text"`, `~ "re"`, `!= "text"` and `!~ "re"`, just after the bar."""
    terms = []
    while match := cursor.take_match(tokens.LINE_FILTER):
        terms.append(parse_line_filter(cursor, match["sign"]))
    return Where(And(tuple(terms)) if len(terms) > 1 else terms[0])


def parse_line_filter(cursor: Cursor, sign: str) -> Filter:
    texts = [parse_line_text(cursor, sign)]
    while cursor.take(tokens.OR):
        texts.append(parse_line_text(cursor, sign))
    found = Or(tuple(texts)) if len(texts) > 1 else texts[0]
    return Not(found) if sign.startswith("!") else found


def parse_line_text(cursor: Cursor, sign: str) -> Filter:
    start = cursor.position
    text = parse_quoted(cursor, "a text in quotes")
    expression = text if sign.endswith("~") else escape(text)
    return Regex(MESSAGE, check_expression(cursor, start, expression))


def try_field_test(cursor: Cursor) -> Where | None:
    """A pipe without a name, if all of it tests fields."""
    mark = cursor.mark()
    try:
        filter_ = parse_filter(cursor)
    except InvalidQuery:
        filter_ = None
    if filter_ is None or has_words(filter_) or not ends_pipe(cursor):
        cursor.rewind(mark)
        return None
    return Where(filter_)

"""`where`, and its LogQL equivalents: `|= "text"`, `|~ "re"`, `| level = "error"`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, And, Filter, Not, Or, Regex, Truth, Where
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.conditions import is_condition
from logboom.lang.parse.conditions import check_values, has_words, parse_condition
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.expressions import parse_expression
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import ends_pipe, parse_name, parse_quoted
from logboom.lang.tokens import NAME, QUOTES, quote

COMPARED_NAMES = compile_later(
    rf"(?<![\w\"'.])(?P<name>{NAME.pattern})\s*+(?P<sign>==?|!=)\s*+(?P<value>[A-Za-z_][\w.]*+)(?=[\s)|]|\Z)"
)
CONSTANTS = frozenset({"true", "false", "null"})


def parse_where(cursor: Cursor) -> Where:
    """`where filter`, or `where expression`; stars in quotes are literal."""
    before, cursor.stars_in_quotes = cursor.stars_in_quotes, False
    start = cursor.position
    try:
        condition = parse_condition(cursor)
    finally:
        cursor.stars_in_quotes = before
    if cursor.is_splunk and not isinstance(condition, Truth):
        return Where(compare_fields(cursor, start) or condition)
    return Where(condition)


def compare_fields(cursor: Cursor, start: int) -> Truth | None:
    """`where a=b` compares two fields in Splunk, but for a query in brackets; a plain word may be meant as a text."""
    found = COMPARED_NAMES.search(cursor.text, start, cursor.position)
    if found is None or found["value"].lower() in CONSTANTS:
        return None
    if "[" in cursor.text[start : found.start()]:
        return None
    truth = try_expression(cursor, start) if names_column(cursor, start, found["value"]) else None
    if truth is None:
        add_field_notice(cursor, found)
        return None
    message = f"{show(found['value'])} is read as a field, as in Splunk, in quotes it is a text"
    alternative = cursor.replace(*found.span("value"), quote(found["value"]))
    cursor.notice("read_as_meant", message, alt=alternative)
    return truth


def names_column(cursor: Cursor, start: int, name: str) -> bool:
    """Return whether it has the form of a field's name, or earlier pipes name it."""
    has_humps = not (name.islower() or name.isupper() or name.istitle())
    if has_humps or "_" in name or "." in name:
        return True
    bar = cursor.text.find("|")
    return re.search(rf"\b{re.escape(name)}\b", cursor.text[bar : start - len("where")]) is not None


def try_expression(cursor: Cursor, start: int) -> Truth | None:
    """Return the condition as an expression, if it can be one; else the position stays where it is."""
    end = cursor.position
    cursor.position = start
    try:
        expression = parse_expression(cursor)
        check_values(cursor, start)
    except InvalidQuery:
        expression = None
    if expression is None or cursor.position != end or not is_condition(expression):
        cursor.position = end
        return None
    return Truth(expression)


def add_field_notice(cursor: Cursor, found: re.Match[str]) -> None:
    test = (
        f"eval({found['name']} {found['sign'] if found['sign'] != '=' else '=='} {found['value']})"
    )
    message = f"{show(found['value'])} is a text here, write {test} to compare two fields"
    alternative = cursor.replace(found.start(), found.end(), test)
    cursor.notice("read_as_text", message, alt=alternative)


def parse_search(cursor: Cursor) -> Where:
    """`search filter`, where stars in quotes are wildcards as in the filter of the query."""
    return Where(parse_condition(cursor, may_be_text=True))


def parse_regex_pipe(cursor: Cursor) -> Where:
    """`regex field="…"`, `regex field!="…"`, or for the message `regex "…"`."""
    field, is_inverse = MESSAGE, False
    if cursor.next not in QUOTES:
        field = parse_name(cursor)
        is_inverse = cursor.take_character("!")
        if not cursor.take_character("="):
            raise cursor.unexpected(["=", "!="])
        cursor.skip_blanks()
    start = cursor.position
    expression = check_expression(cursor, start, parse_quoted(cursor, "a regular expression"))
    test = Regex(field, expression)
    return Where(Not(test) if is_inverse else test)


def parse_line_filters(cursor: Cursor) -> Where:
    """Parse one or more of `= "text"`, `~ "re"`, `!= "text"` and `!~ "re"`, just after the bar."""
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
    """Return a pipe without a name, if all of it tests fields."""
    mark = cursor.mark()
    try:
        filter_ = parse_filter(cursor)
    except InvalidQuery:
        filter_ = None
    if filter_ is None or has_words(filter_) or not ends_pipe(cursor):
        cursor.rewind(mark)
        return None
    return Where(filter_)

"""Tests without a field that look like calls.

`TERM(10.0.0.1)` and `CASE(Error)` are how Splunk writes whole terms, and terms in this case; `exists(name)` and
`missing(name)` are how others ask whether there is a field.
"""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Exists, Filter, Not, Regex, Word
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.tokens import NAME, quote

FIRST_LETTERS = frozenset("CTem")
DIRECTIVE = compile_later(
    r"(?P<name>TERM|CASE)\((?:\"(?P<quoted>[^\"\\]++)\"|(?P<bare>[^\s()|\"*]++))\)(?=[\s)|]|\Z)"
)
EXISTENCE = compile_later(
    rf"(?P<name>exists|missing)\(\s*+(?P<field>{NAME.pattern})\s*+\)(?=[\s)|]|\Z)"
)


def parse_directive(cursor: Cursor) -> Filter | None:
    start = cursor.position
    if existence := cursor.take_match(EXISTENCE):
        return read_existence(cursor, start, existence)
    found = cursor.take_match(DIRECTIVE)
    if found is None:
        return None
    text = found["quoted"] or found["bare"]
    other = cursor.replace(start, cursor.position, quote(found[0]))
    message = f"{show(found[0])} is read as the text in the parentheses, in quotes it is a text"
    cursor.notice("read_as_meant", message, alt=other)
    if found["name"] == "TERM":
        return Word(text)
    return Regex(MESSAGE, check_expression(cursor, start, escape(text)))


def read_existence(cursor: Cursor, start: int, found: re.Match[str]) -> Filter:
    exists = Exists(cursor.settle_name(found["field"]))
    meant = f"{'NOT ' * (found['name'] == 'missing')}{found['field']}:*"
    message = f"{show(found[0])} is read as {show(meant)}, in quotes it is a text"
    other = cursor.replace(start, cursor.position, quote(found[0]))
    cursor.notice("read_as_meant", message, alt=other)
    return Not(exists) if found["name"] == "missing" else exists

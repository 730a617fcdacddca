"""`TERM(10.0.0.1)` and `CASE(Error)`, which Splunk writes for whole terms and for terms in this case."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Filter, Regex, Word
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.tokens import quote

FIRST_LETTERS = frozenset("CT")
DIRECTIVE = compile_later(
    r"(?P<name>TERM|CASE)\((?:\"(?P<quoted>[^\"\\]++)\"|(?P<bare>[^\s()|\"*]++))\)(?=[\s)|]|\Z)"
)


def parse_directive(cursor: Cursor) -> Filter | None:
    start = cursor.position
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

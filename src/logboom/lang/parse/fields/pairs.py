"""Tests written with a blank after or before the colon, as in KQL: `level: "error" and host :web`.

Log lines have the same form, so that what is around a pair decides.
"""

import re

from logboom.base.patterns import compile_later
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.tokens import NAME, QUOTED_TEXT, SOURCE_NAMES, quote

LOOK_BACK = 160
"""How many characters before a pair are examined, so that no text takes long."""
GROUP = r"\((?:\"(?:[^\"\\]++|\\.)*+\"|\\.|[^()|\"\\]++|\((?:\"(?:[^\"\\]++|\\.)*+\"|\\.|[^()|\"\\]++)*+\))*+\)"
CERTAIN_VALUE = (
    rf"{QUOTED_TEXT}|[-+]?[0-9]++(?:\.[0-9]++)?[A-Za-z%]{{0,3}}+(?=[\s)|]|\Z)|[^\s()|:\"'`*?]*+[*?][^\s()|:\"'`]*+"
    rf"|{GROUP}|[<>]=?\s*+[0-9.]++"
)
VALUE = rf"(?:(?P<certain>{CERTAIN_VALUE})|[^\s()|:;,=\"'`]++)(?=[\s)|]|\Z)"
JOINT = r"\s++(?:(?:AND|OR|and|or|&&)\s++)?(?:(?:NOT|not)\s++)?"
OTHER = rf"{JOINT}{NAME.pattern}\s*+[:=]\s*+{VALUE.replace('?P<certain>', '?:')}"
ONLY_PAIRS = compile_later(rf"{VALUE}(?:{OTHER})*+\s*+(?=[)|]|\Z)", re.DOTALL)
"""A value, and perhaps more pairs up to the end."""
BEFORE_PAIR = compile_later(
    r"(?:\A|[(|]|(?<!\S)(?:AND|OR|NOT|and|or|not|&&)|\|\s*+[a-z]++|\w[:=<>]+[^\s:=]+)\s*\Z"
)
"""What precedes the first of them: nothing, an operator, the name of a pipe or another test."""
SIGNED = r"\s*+(?::(?!//)|[<>]=?|!?=)"
AND_OR = r"\s++(?:and|or|AND|OR)\s++(?:(?:not|NOT)\s++)?"
JOINED_VALUE = rf"(?:{QUOTED_TEXT}|{GROUP}|(?:[^\s()|\"'`\\]|\\.)++)"
JOINED_AFTER = compile_later(rf"{JOINED_VALUE}\)*+{AND_OR}[(\s]*+{NAME.pattern}{SIGNED}", re.DOTALL)
"""A value, and an operator before another test."""
JOINED_BEFORE = compile_later(
    rf"(?<![\w.@-]){NAME.pattern}\s*+[:=<>]++\s*+(?:\"[^\"]*+\"|[^\s()|\"'`]++)\)*+{AND_OR}[(\s]*+\Z"
)
CLOSED_BEFORE = compile_later(rf"[)\"]{AND_OR}[(\s]*+\Z")
"""After a long value or a group, which must belong to a test."""
LOG_PREFIXES = frozenset(
    (
        *("error", "err", "warning", "warn", "info", "debug", "trace", "notice", "critical"),
        *("fatal", "panic", "exception", "failed", "failure", "note", "usage", "reason", "hint"),
        *("caused",),
    )
)
"""How log lines start: "error: disk full"."""


def is_pair(cursor: Cursor, subject: Subject, end: int) -> bool:
    """Return whether "name: value" is a test: tests are around it or follow it, and it does not look like a log line.

    `end` is where the value starts.
    """
    if cursor.position < cursor.pairs_end:
        return True
    if starts_log_line(subject):
        return False
    before = read_before(cursor, subject)
    if is_joined(cursor, before, end):
        return True
    pairs = ONLY_PAIRS.match(cursor.text, end)
    if pairs is None or BEFORE_PAIR.search(before) is None:
        return False
    is_likely = pairs["certain"] is not None or not subject.field[0].isupper()
    if is_likely:
        cursor.pairs_end = pairs.end()
    return is_likely


def starts_log_line(subject: Subject) -> bool:
    return subject.field.lower() in LOG_PREFIXES


def read_before(cursor: Cursor, subject: Subject) -> str:
    before = cursor.text[max(0, cursor.position - len(subject.field) - LOOK_BACK) : cursor.position]
    return before.removesuffix(subject.field)


def is_joined(cursor: Cursor, before: str, end: int) -> bool:
    """Return whether an operator joins it with another test."""
    if JOINED_BEFORE.search(before) or (cursor.test_start and CLOSED_BEFORE.search(before)):
        return True
    return (
        BEFORE_PAIR.search(before) is not None and JOINED_AFTER.match(cursor.text, end) is not None
    )


def is_equation(cursor: Cursor, subject: Subject, end: int) -> bool:
    """Return whether "name= value" is a test: in a Splunk query, joined with another test, or with a quoted text."""
    if cursor.is_splunk or subject.name in SOURCE_NAMES:
        return True
    before = read_before(cursor, subject)
    is_quoted = cursor.text[end : end + 1] == '"' and BEFORE_PAIR.search(before) is not None
    return is_quoted or is_joined(cursor, before, end)


def may_begin(cursor: Cursor, subject: Subject) -> bool:
    """Return whether a test may begin at the name: "must be between 0 and 1" is prose."""
    return BEFORE_PAIR.search(read_before(cursor, subject)) is not None


def add_test_notice(cursor: Cursor, start: int, written: str) -> None:
    """Add the notice that a name, a colon and a blank were parsed as a test; in quotes they are text."""
    name = len(written.rstrip(": "))
    end = cursor.text.index(":", start) + 1
    message = f"{show(written)} before a blank tests the field, in quotes it is a text"
    alternative = cursor.replace(start - name, end, quote(cursor.text[start - name : end]))
    cursor.notice("read_as_meant", message, alt=alternative)

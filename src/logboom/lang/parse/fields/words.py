"""Tests that other languages write as words: `path contains "api"`, `status between 400 and 499`."""

import re
from collections.abc import Callable
from functools import partial

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import Filter, Not, Pattern, Range
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.pairs import may_begin
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import parse_regex, parse_text, take_quantity
from logboom.lang.tokens import IN_FILTER

# Tests that are words, before a text in quotes: `path contains "api"`.
WORD_OPERATOR = compile_later(
    rf"\s++(?P<not>not\s++|!)?(?P<test>contains|startswith|starts_with|endswith|ends_with|has|like|ilike|rlike|matches)"
    rf"\s++(?={tokens.ANY_QUOTE}|(?<=like\s)(?P<slash>/)(?:[^/\s\\]|\\.)[^/\\]*+(?:\\.[^/\\]*+)*+/i?(?:[\s)|]|\Z))",
    re.IGNORECASE,
)
LIMIT = rf"{tokens.NUMBER.pattern}[A-Za-z]*+"
BETWEEN_OPERATOR = compile_later(
    rf"\s++(?P<not>not\s++)?between\s++(?={LIMIT}\s++and\s++{LIMIT}(?:[\s)|]|\Z))", re.IGNORECASE
)
BETWEEN_JOINT = compile_later(r"\s++and\s++", re.IGNORECASE)
ESCAPED = compile_later(r"[\\*?]")
BACKSLASHED = r"\\\g<0>"


def take_word_operator(cursor: Cursor, subject: Subject) -> str | None:
    """`IN`, or `contains` and the like, which may have been meant as words.

    `like /re/` is a test in a condition or of a name such as `@message`: "paths like /tmp/" is text.
    """
    listed = cursor.take_match(tokens.LIST_OPERATOR) or cursor.take_match(tokens.BRACKET_OPERATOR)
    if listed:
        return "NOT IN" if listed["upper_not"] or listed["lower_not"] else "IN"
    start = cursor.position
    is_between = not subject.is_time and cursor.sees(BETWEEN_OPERATOR)
    if (
        is_between
        and may_begin(cursor, subject)
        and (between := cursor.take_match(BETWEEN_OPERATOR))
    ):
        cursor.symbols += 1
        cursor.read_as_meant(start, "[… TO …]")
        return "NOT between" if between["not"] else "between"
    found = cursor.take_match(WORD_OPERATOR)
    if found is None:
        return None
    if found["slash"] and not (cursor.in_condition or subject.field.startswith("@")):
        cursor.position = start
        return None
    cursor.symbols += 1
    written = found[0].strip()
    kind = "an expression" if found["slash"] else "a quoted text"
    message = f"{show(written)} before {kind} tests the field, in quotes it is a word"
    alternative = cursor.replace(start, cursor.position, f" {tokens.quote(written)} ")
    cursor.notice("read_as_meant", message, alt=alternative)
    test = found["test"].lower().replace("s_with", "swith")
    return f"NOT {test}" if found["not"] else test


def parse_part(before: str, after: str, cursor: Cursor, subject: Subject) -> Filter:
    """Parse a text anywhere in the value, at its start or at its end."""
    text = parse_text(cursor)
    if subject.is_message and before and after:
        return subject.match(Pattern.literal(text))
    written = f"{before}{ESCAPED.sub(BACKSLASHED, text)}{after}" if text else "*"
    return subject.match(Pattern(tokens.decode_run(written, "*")))


def parse_like(cursor: Cursor, subject: Subject) -> Filter:
    """`%` is any text, `_` one character; CloudWatch has regular expressions between slashes."""
    if cursor.next == "/":
        return parse_regex(cursor, subject)
    raw = ESCAPED.sub(BACKSLASHED, parse_text(cursor))
    return subject.match(Pattern(tokens.decode_run(raw.replace("%", "*").replace("_", "?"), "*?")))


def parse_between(cursor: Cursor, subject: Subject) -> Filter:
    """`400 and 499`: both limits are included."""
    low = take_quantity(cursor, IN_FILTER)
    cursor.take(BETWEEN_JOINT)
    high = take_quantity(cursor, IN_FILTER)
    if low is None or high is None:
        raise cursor.unexpected(["a number"])
    return Range(subject.field, low, high)


def parse_opposite(
    test: Callable[[Cursor, Subject], Filter],
) -> Callable[[Cursor, Subject], Filter]:
    return lambda cursor, subject: Not(test(cursor, subject))


PART_TESTS: dict[str, Callable[[Cursor, Subject], Filter]] = {
    "contains": partial(parse_part, "*", "*"),
    "has": partial(parse_part, "*", "*"),
    "startswith": partial(parse_part, "", "*"),
    "endswith": partial(parse_part, "*", ""),
    "like": parse_like,
    "ilike": parse_like,
    "rlike": parse_regex,
    "matches": parse_regex,
    "between": parse_between,
}
WORD_TESTS = PART_TESTS | {f"NOT {name}": parse_opposite(test) for name, test in PART_TESTS.items()}
"""Operators that other languages write as words."""

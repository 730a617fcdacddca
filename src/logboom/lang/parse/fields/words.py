"""Tests that other languages write as words: `path contains "api"`, `status between 400 and 499`."""

import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import (
    LONE_STAR,
    MESSAGE,
    And,
    Filter,
    Not,
    Or,
    Pattern,
    Quantity,
    Range,
    Regex,
    Wildcard,
)
from logboom.lang.dialects.textual import wildcards_to_expression
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.pairs import may_begin
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import check_end, parse_regex, parse_text, take_quantity
from logboom.lang.tokens import IN_FILTER, IN_LIST, Site

WordTest: TypeAlias = Callable[[Cursor, Subject], Filter]
TextTest: TypeAlias = Callable[[Cursor, Subject, Site], Filter]

# Tests that are words, before a text in quotes: `path contains "api"`.
WORD_OPERATOR = compile_later(
    rf"\s++(?P<not>not\s++|!)?(?P<test>contains|(?:starts?|begins?|ends?)\s++with|startswith|starts_with|endswith|ends_with|has|like|ilike|rlike|matches)"
    rf"\s++(?={tokens.ANY_QUOTE}|(?<=like\s)(?P<slash>/)(?:[^/\s\\]|\\.)[^/\\]*+(?:\\.[^/\\]*+)*+/i?(?:[\s)|]|\Z))",
    re.IGNORECASE,
)
# The same before texts in parentheses: `path contains ("api")`, `path has_any ("a", "b")`.
TEXTS = rf"\(\s*+{tokens.QUOTED_TEXT}\s*+(?:,\s*+{tokens.QUOTED_TEXT}\s*+)*+\)"
ENCLOSED_OPERATOR = compile_later(
    r"\s++(?P<not>not\s++|!)?(?P<test>contains|startswith|starts_with|endswith|ends_with|ilike|like|rlike|matches"
    rf"|(?:has|contains)(?:_any|_all)|has)\s*+(?={TEXTS}(?:[\s)|]|\Z))",
    re.IGNORECASE | re.DOTALL,
)
LIMIT = rf"{tokens.NUMBER.pattern}[A-Za-z]*+"
BETWEEN_OPERATOR = compile_later(
    rf"\s++(?P<not>not\s++)?between\s++(?={LIMIT}\s++and\s++{LIMIT}(?:[\s)|]|\Z))", re.IGNORECASE
)
BETWEEN_JOINT = compile_later(r"\s++and\s++", re.IGNORECASE)
# In capital letters: "x is null" is often written in logs.
NULL_OPERATOR = compile_later(r"\s++IS\s++(?P<not>NOT\s++)?NULL(?=[\s)|]|\Z)")
NETWORK_OPERATOR = compile_later(rf"\s++in\s++{tokens.NETWORK_AHEAD}", re.IGNORECASE)
SPAN_OPERATOR = compile_later(r"\s++in\s++(?=[0-9]++\.\.=?[0-9]++(?:[\s)|]|\Z))", re.IGNORECASE)
DIGITS = compile_later(r"[0-9]++")
SPAN_JOINT = compile_later(r"\.\.=?")
WITH = compile_later(r"s?(?:_|\s+)with")
ESCAPED = compile_later(r"[\\*?]")
BACKSLASHED = r"\\\g<0>"


def take_word_operator(cursor: Cursor, subject: Subject) -> str | None:
    """`IN`, or `contains` and the like, which may have been meant as words.

    `like /re/` is a test in a condition or of a name such as `@message`: "paths like /tmp/" is text.
    """
    start = cursor.position
    if special := take_list_operator(cursor) or take_special(cursor, start):
        return special
    is_between = not subject.is_time and cursor.sees(BETWEEN_OPERATOR)
    if (
        is_between
        and may_begin(cursor, subject)
        and (between := cursor.take_match(BETWEEN_OPERATOR))
    ):
        cursor.symbols += 1
        cursor.read_as_meant(start, "[… TO …]")
        return "NOT between" if between["not"] else "between"
    if enclosed := cursor.take_match(ENCLOSED_OPERATOR):
        return add_notice(cursor, start, enclosed, "texts in parentheses")
    found = cursor.take_match(WORD_OPERATOR)
    if found is None:
        return None
    if found["slash"] and not (cursor.in_condition or subject.field.startswith("@")):
        cursor.position = start
        return None
    return add_notice(cursor, start, found, "an expression" if found["slash"] else "a quoted text")


def take_list_operator(cursor: Cursor) -> str | None:
    listed = cursor.take_match(tokens.LIST_OPERATOR) or cursor.take_match(tokens.BRACKET_OPERATOR)
    if listed is None:
        return None
    return "NOT IN" if listed["upper_not"] or listed["lower_not"] else "IN"


def take_special(cursor: Cursor, start: int) -> str | None:
    """`IS NULL`, `in 10.0.0.0/8` and `in 400..499`."""
    if found := cursor.take_match(NULL_OPERATOR):
        cursor.read_as_meant(start, ":*" if found["not"] else "NOT …:*")
        return "IS NOT NULL" if found["not"] else "IS NULL"
    if cursor.take(NETWORK_OPERATOR):
        cursor.read_as_meant(start, ":")
        return ":"
    if cursor.take(SPAN_OPERATOR):
        cursor.read_as_meant(start, "[… TO …]")
        return "span"
    return None


def add_notice(cursor: Cursor, start: int, found: re.Match[str], kind: str) -> str:
    """Add the notice that words are an operator, which is returned; `kind` is what follows it."""
    cursor.symbols += 1
    written = found[0].strip()
    message = f"{show(written)} before {kind} tests the field, in quotes it is a word"
    alternative = cursor.replace(start, cursor.position, f" {tokens.quote(written)} ")
    cursor.notice("read_as_meant", message, alt=alternative)
    test = WITH.sub("swith", found["test"].lower()).replace("begins", "starts")
    return f"NOT {test}" if found["not"] else test


def parse_part(
    before: str, after: str, cursor: Cursor, subject: Subject, site: Site = IN_FILTER
) -> Filter:
    """Parse a text anywhere in the value, at its start or at its end."""
    text = parse_text(cursor, site)
    if subject.is_message and before and after:
        return subject.match(Pattern.literal(text))
    written = f"{before}{ESCAPED.sub(BACKSLASHED, text)}{after}" if text else "*"
    return match_whole(subject, tokens.decode_run(written, "*"))


def parse_like(cursor: Cursor, subject: Subject, site: Site = IN_FILTER) -> Filter:
    """`%` is any text, `_` one character; CloudWatch has regular expressions between slashes."""
    if cursor.next == "/":
        return parse_regex(cursor, subject)
    raw = ESCAPED.sub(BACKSLASHED, parse_text(cursor, site))
    return match_whole(subject, tokens.decode_run(raw.replace("%", "*").replace("_", "?"), "*?"))


def match_whole(subject: Subject, parts: tuple[str | Wildcard, ...]) -> Filter:
    """Match whole values; patterns of the message may be anywhere in it, so that it needs a regular expression."""
    texts = [part for part in parts if isinstance(part, str)]
    if subject.is_message and parts == (Wildcard.ANY, *texts, Wildcard.ANY):
        return subject.match(Pattern(tuple(texts)))
    if subject.is_message and texts:
        return Regex(MESSAGE, wildcards_to_expression(parts), ignores_case=True)
    return subject.match(Pattern(parts))


def parse_between(cursor: Cursor, subject: Subject) -> Filter:
    """`400 and 499`: both limits are included."""
    low = take_quantity(cursor, IN_FILTER)
    cursor.take(BETWEEN_JOINT)
    high = take_quantity(cursor, IN_FILTER)
    if low is None or high is None:
        raise cursor.unexpected(["a number"])
    return Range(subject.field, low, high)


def parse_existence(_cursor: Cursor, subject: Subject) -> Filter:
    return subject.match(Pattern(LONE_STAR))


def parse_span(cursor: Cursor, subject: Subject) -> Filter:
    """`400..499`: both limits are included."""
    low = parse_number(cursor)
    cursor.take(SPAN_JOINT)
    return Range(subject.field, low, parse_number(cursor))


def parse_number(cursor: Cursor) -> Quantity:
    digits = cursor.take(DIGITS)
    assert digits is not None, "the operator saw it"
    return Quantity(int(digits))


def parse_texts(join: type[And | Or], test: TextTest, cursor: Cursor, subject: Subject) -> Filter:
    """Parse a text, or several in parentheses: one of them is enough, or all are needed."""
    if not cursor.take_character("("):
        return test(cursor, subject, IN_FILTER)
    terms: list[Filter] = []
    while not terms or cursor.take_character(","):
        cursor.skip_blanks()
        terms.append(test(cursor, subject, IN_LIST))
        cursor.skip_blanks()
    cursor.take_character(")")
    check_end(cursor, IN_FILTER)
    return terms[0] if len(terms) == 1 else join(tuple(terms))


def parse_opposite(test: WordTest) -> WordTest:
    return lambda cursor, subject: Not(test(cursor, subject))


CONTAINS = partial(parse_part, "*", "*")
TEXT_TESTS: dict[str, TextTest] = {
    "contains": CONTAINS,
    "contains_any": CONTAINS,
    "has": CONTAINS,
    "has_any": CONTAINS,
    "startswith": partial(parse_part, "", "*"),
    "endswith": partial(parse_part, "*", ""),
    "like": parse_like,
    "ilike": parse_like,
    "rlike": parse_regex,
    "matches": parse_regex,
}
PLAIN_TESTS: dict[str, WordTest] = {
    **{name: partial(parse_texts, Or, test) for name, test in TEXT_TESTS.items()},
    **dict.fromkeys(("contains_all", "has_all"), partial(parse_texts, And, CONTAINS)),
    "between": parse_between,
    "span": parse_span,
}
NULL_TESTS: dict[str, WordTest] = {
    "IS NOT NULL": parse_existence,
    "IS NULL": parse_opposite(parse_existence),
}
"""Tests without a value."""
WORD_TESTS = {
    **PLAIN_TESTS,
    **{f"NOT {name}": parse_opposite(test) for name, test in PLAIN_TESTS.items()},
    **NULL_TESTS,
}
"""Operators that other languages write as words."""

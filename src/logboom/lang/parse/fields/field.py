"""Tests of a field: a name, an operator of TESTS, and what follows it."""

from collections.abc import Callable
from functools import partial

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import (
    LONE_STAR,
    And,
    Compare,
    Comparison,
    Exact,
    Exists,
    Filter,
    Match,
    Not,
    Pattern,
)
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.calls import CALL, begin_exactly, parse_call
from logboom.lang.parse.fields.lists import (
    parse_brackets,
    parse_in,
    parse_in_call,
    parse_value_group,
)
from logboom.lang.parse.fields.moments import compare_moment, take_moment_limit
from logboom.lang.parse.fields.nested import parse_nested
from logboom.lang.parse.fields.pairs import (
    add_test_notice,
    is_equation,
    is_joined,
    is_pair,
    may_begin,
    read_before,
    starts_log_line,
)
from logboom.lang.parse.fields.ranges import parse_range
from logboom.lang.parse.fields.selectors import parse_selector
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.times import (
    parse_earliest,
    parse_latest,
    parse_period,
    parse_time_limit,
)
from logboom.lang.parse.fields.values import (
    check_end,
    parse_limit,
    parse_regex,
    parse_text,
    parse_value,
    take_quantity,
)
from logboom.lang.parse.fields.words import NULL_TESTS, WORD_TESTS, take_word_operator
from logboom.lang.tokens import IN_FILTER

STREAM = "_stream"
COLON_BEFORE_SIGN = compile_later(r":\s++(?P<sign>[<>]=?)\s*+(?=[-+]?\.?[0-9])")
# How Splunk tests a field that it indexed.
INDEXED = compile_later(r"::(?=[\w\"*])")
COLON_BEFORE_VALUE = compile_later(r"\s++:(?=[^\s:|)/=~<>])")
COMPARING = frozenset({"=", "==", "!=", "<", "<=", ">", ">="})
LIMITS = ("limit", "head", "tail")


def take_operator(cursor: Cursor, subject: Subject) -> str | None:
    """Return the operator after a name, if this is the test of a field and not text."""
    if certain := cursor.take(tokens.CERTAIN_OPERATOR) or take_indexed(cursor):
        return certain
    if not cursor.sees(tokens.OPERATOR_AHEAD):
        return None
    word = take_word_operator(cursor, subject) if cursor.next.isspace() else None
    special = word or take_comparison(cursor, subject)
    if special is not None:
        return special
    if is_text(cursor, subject):
        return None
    start = cursor.position
    operator = cursor.take(tokens.GLUED_OPERATOR) or cursor.take(tokens.SPACED_OPERATOR)
    if operator is None and cursor.sees(tokens.SPACED_COLON):
        operator = cursor.take(tokens.SPACED_COLON)
        add_test_notice(cursor, start, f"{subject.field} :")
    if operator is None and is_value_after_colon(cursor, subject):
        operator = cursor.take(COLON_BEFORE_VALUE)
    if operator is None and subject.is_time:
        operator = cursor.take(tokens.SPACED_TIME_OPERATOR)
    return settle_operator(cursor, start, operator.strip()) if operator else None


def take_indexed(cursor: Cursor) -> str | None:
    return "=" if cursor.is_splunk and cursor.take(INDEXED) else None


def take_comparison(cursor: Cursor, subject: Subject) -> str | None:
    """`took: > 5`, where a test may begin."""
    found = COLON_BEFORE_SIGN.match(cursor.text, cursor.position)
    if found is None or not may_begin(cursor, subject) or starts_log_line(subject):
        return None
    cursor.position = found.end()
    return found["sign"]


def is_value_after_colon(cursor: Cursor, subject: Subject) -> bool:
    """Return whether `name :value` is a test: an operator joins it with another."""
    colon = COLON_BEFORE_VALUE.match(cursor.text, cursor.position)
    return colon is not None and is_joined(cursor, read_before(cursor, subject), colon.end())


def settle_operator(cursor: Cursor, start: int, operator: str) -> str:
    """Return the operator that was meant by one that does not exist."""
    meant = tokens.OPERATOR_SLIPS.get(operator)
    if meant:
        cursor.read_as_meant(start, meant)
    if operator in tokens.NO_OPERATORS:
        message = f'"{operator}" is not an operator, expected =~ before a regular expression'
        suggestion = cursor.replace(start, cursor.position, "=~")
        raise cursor.error(message, start, cursor.position, ["=~"], suggestion)
    return meant or operator


def is_text(cursor: Cursor, subject: Subject) -> bool:
    """Return whether a name, a sign and a blank are text: not if the name is quoted, or it has the form of a test."""
    if subject.is_quoted:
        return False
    is_drive = len(subject.field) == 1 and cursor.sees(tokens.DRIVE)
    if is_drive or (cursor.sees_any("<=") and cursor.sees(tokens.ANGLED_OR_ARROW)):
        return True
    match = tokens.TEXT_OPERATOR.match(cursor.text, cursor.position)
    if match is None:
        return False
    if match["sign"] == ":" and is_pair(cursor, subject, match.end()):
        add_test_notice(cursor, cursor.position, f"{subject.field}:")
        return False
    if match["sign"] == "=" and is_equation(cursor, subject, match.end()):
        return False
    add_text_notice(cursor, subject, subject.field + match["sign"], match.end())
    return True


def add_text_notice(cursor: Cursor, subject: Subject, written: str, end: int) -> None:
    """Add the notice that a name and a sign were parsed as text, because of the blanks before `end`."""
    message = (
        f"{show(written)} before a blank is read as text, join it to its value to test a field"
    )
    sign = ":" if written.endswith(":") else "="
    rest = cursor.text[end:].lstrip()
    alternative = cursor.text[: cursor.position] + sign + rest
    # In a pasted line with many of them it would be useless.
    has_one = tokens.SIGN_BEFORE_BLANK.search(cursor.text, end) is None
    data = {"alt": alternative} if has_one else {}
    cursor.notice("colon_as_text", message, field=subject.field, **data)


def parse_test(cursor: Cursor, subject: Subject, operator: str, start: int) -> Filter:
    """Parse what follows the operator; `start` is where the name began."""
    cursor.test_start = start
    if operator in NULL_TESTS:
        return ALL_TESTS[operator](cursor, subject)
    end = cursor.position
    cursor.skip_blanks()
    has_keyword = cursor.position > end and cursor.sees(tokens.KEYWORD)
    if cursor.at_end or cursor.sees_any("|)") or has_keyword:
        written = cursor.text[start:end]
        message = f"expected a value after {show(written)}"
        exists = written.strip().removesuffix(operator).rstrip() + ":*"
        suggestion = None if subject.is_time else cursor.replace(start, end, exists)
        raise cursor.error(message, start, end, ["a value"], suggestion)
    if operator == "=" and subject.name in tokens.SPLUNK_NAMES:
        cursor.is_splunk = True
        if not subject.is_quoted and subject.name in tokens.LIMIT_NAMES:
            return parse_earliest(cursor) if subject.name == "earliest" else parse_latest(cursor)
    if operator == ":" and not subject.is_quoted and subject.name in tokens.EXISTENCE_NAMES:
        return parse_existence(cursor, subject)
    if cursor.in_condition and operator in COMPARING and cursor.sees(tokens.NAMED_OPERAND):
        cursor.named_operand = cursor.position
    test = ALL_TESTS[operator](cursor, subject)
    if operator == "=" and subject.name in LIMITS:
        add_limit_notice(cursor, subject, start)
    return test


def parse_existence(cursor: Cursor, subject: Subject) -> Filter:
    """`_exists_:name` and `_missing_:name`."""
    name = cursor.take_name()
    if not name:
        raise cursor.unexpected(["a field name"])
    check_end(cursor, IN_FILTER)
    exists = Subject(name).match(Pattern(LONE_STAR))
    return exists if subject.name == "_exists_" else Not(exists)


def add_limit_notice(cursor: Cursor, subject: Subject, start: int) -> None:
    """`limit=10` in a filter tests a field, which is rarely intended."""
    value = cursor.text[start : cursor.position].partition("=")[2]
    if value.isdigit():
        message = f"{show(f'{subject.field}={value}')} tests a field, write | limit {value} to limit the rows"
        rest = cursor.replace(start, cursor.position, "").strip()
        cursor.notice("read_as_text", message, alt=f"{rest} | limit {value}")


def parse_match(cursor: Cursor, subject: Subject, has_equals: bool = False) -> Filter:
    """Parse what follows `:` or `=`: a group, a range, a call or a single value."""
    is_time = subject.is_time
    plain = None if is_time else cursor.take(tokens.PLAIN_VALUE)
    if plain is not None:
        return subject.match(Pattern.literal(plain))
    if cursor.take(tokens.NOT_VALUE):
        return Not(parse_negated(cursor, subject))
    return parse_period(cursor, subject) if is_time else parse_other(cursor, subject, has_equals)


def parse_other(cursor: Cursor, subject: Subject, has_equals: bool) -> Filter:
    """Parse any value that is not plain, of any field but the time."""
    if cursor.sees_any("("):
        return parse_value_group(cursor, subject)
    if subject.name == STREAM and cursor.sees(tokens.SELECTOR):
        return parse_selector(cursor)
    if cursor.sees_any("[{"):
        return parse_bracketed_value(cursor, subject)
    called = parse_called(cursor, subject)
    return called or parse_value(cursor, subject, IN_FILTER, has_equals)


def parse_bracketed_value(cursor: Cursor, subject: Subject) -> Filter:
    """Parse a range, a list, or tests of the objects in the field."""
    if cursor.sees(tokens.NESTED):
        return parse_nested(cursor, subject)
    is_list = cursor.sees(tokens.BRACKETED_LIST)
    return parse_brackets(cursor, subject) if is_list else parse_range(cursor, subject)


def parse_called(cursor: Cursor, subject: Subject) -> Filter | None:
    """`in(…)`, `range(…)` and other call-like tests."""
    if call := cursor.take_match(tokens.CALL):
        is_range = call["name"].lower() == "range"
        return parse_range(cursor, subject) if is_range else parse_in_call(cursor, subject)
    if called := cursor.take_match(CALL):
        return parse_call(cursor, cursor.test_start, called["name"], subject)
    return None


def parse_negated(cursor: Cursor, subject: Subject) -> Filter:
    """Parse what follows `f:!`, which may have its own sign: `f:!="exact"`, `f:!~"re"`."""
    if cursor.take_character("="):
        return parse_exact(cursor, subject)
    if cursor.take(tokens.EXPRESSION_SIGN):
        return parse_regex(cursor, subject)
    return parse_match(cursor, subject)


def parse_equals(cursor: Cursor, subject: Subject) -> Filter:
    return parse_match(cursor, subject, has_equals=True)


def parse_mismatch(cursor: Cursor, subject: Subject) -> Filter:
    """Parse what follows `!=`; for an empty text: there is a value, and it is not empty."""
    match = parse_match(cursor, subject, has_equals=True)
    if match == subject.empty():
        return And((Exists(subject.field), Not(Exact(subject.field, ""))))
    if cursor.is_splunk and isinstance(match, Match):
        return And((Exists(subject.field), Not(match)))
    return Not(match)


def parse_exact(cursor: Cursor, subject: Subject) -> Filter:
    """Parse a text, or the beginning of one: `="prefix"*`."""
    quoted = cursor.take_quoted()
    if quoted is not None and cursor.take(tokens.STAR_AFTER_QUOTE):
        return begin_exactly(subject, quoted)
    if quoted is None:
        return subject.exact(parse_text(cursor))
    check_end(cursor, IN_FILTER)
    return subject.exact(quoted)


def parse_same(cursor: Cursor, subject: Subject) -> Filter:
    """Parse what follows `==`: a text byte for byte, but a number with a unit in any spelling."""
    start = cursor.position
    quantity = take_quantity(cursor, IN_FILTER)
    if quantity is not None and quantity.unit:
        return subject.match(Pattern.literal(cursor.text[start : cursor.position]))
    cursor.position = start
    return parse_exact(cursor, subject)


def parse_compare(operator: Comparison, cursor: Cursor, subject: Subject) -> Filter:
    if subject.is_time:
        return parse_time_limit(cursor, operator)
    moment = take_moment_limit(cursor)
    if moment is not None:
        return compare_moment(subject, operator, moment)
    return Compare(subject.field, operator, parse_limit(cursor))


def parse_not_regex(cursor: Cursor, subject: Subject) -> Filter:
    return Not(parse_regex(cursor, subject))


def parse_not_in(cursor: Cursor, subject: Subject) -> Filter:
    return Not(parse_in(cursor, subject))


TESTS: dict[str, Callable[[Cursor, Subject], Filter]] = {
    ":": parse_match,
    "=": parse_equals,
    "!=": parse_mismatch,
    ":=": parse_exact,
    "==": parse_same,
    "=~": parse_regex,
    ":~": parse_regex,
    "!~": parse_not_regex,
    ">": partial(parse_compare, ">"),
    ">=": partial(parse_compare, ">="),
    "<": partial(parse_compare, "<"),
    "<=": partial(parse_compare, "<="),
    ":>": partial(parse_compare, ">"),
    ":>=": partial(parse_compare, ">="),
    ":<": partial(parse_compare, "<"),
    ":<=": partial(parse_compare, "<="),
    "IN": parse_in,
    "NOT IN": parse_not_in,
}


ALL_TESTS = TESTS | WORD_TESTS

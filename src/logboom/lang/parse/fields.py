"""Tests of a field: a name, an operator of TESTS, and what stands behind it."""

from collections.abc import Callable
from functools import partial

from logboom.lang import tokens
from logboom.lang.ast import (
    And,
    Compare,
    Comparison,
    Everything,
    Exact,
    Exists,
    Filter,
    Not,
    Or,
    Regex,
)
from logboom.lang.dialects.logql.regexes import anchor
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.lists import parse_brackets, parse_in, parse_in_call, parse_value_group
from logboom.lang.parse.ranges import parse_range
from logboom.lang.parse.subject import Subject
from logboom.lang.parse.times import (
    parse_earliest,
    parse_latest,
    parse_period,
    parse_time_limit,
)
from logboom.lang.parse.values import parse_limit, parse_regex, parse_text, parse_value
from logboom.lang.tokens import IN_FILTER, IN_SELECTOR, Site

STREAM = "_stream"
LIMITS = ("limit", "head", "tail")


def take_operator(cursor: Cursor, subject: Subject) -> str | None:
    """The operator after a name, if this is the test of a field and not text."""
    listed = cursor.take_match(tokens.LIST_OPERATOR) or cursor.take_match(tokens.BRACKET_OPERATOR)
    if listed:
        return "NOT IN" if listed["upper_not"] or listed["lower_not"] else "IN"
    if is_text(cursor, subject):
        return None
    start = cursor.position
    operator = cursor.take(tokens.GLUED_OPERATOR) or cursor.take(tokens.SPACED_OPERATOR)
    if operator is None and is_spaced_test(cursor, subject):
        operator = cursor.take(tokens.SPACED_COLON)
    if operator is None and subject.is_time:
        operator = cursor.take(tokens.SPACED_TIME_OPERATOR)
    return settle_operator(cursor, start, operator.strip()) if operator else None


def settle_operator(cursor: Cursor, start: int, operator: str) -> str:
    """The operator that was meant by one that does not exist."""
    meant = tokens.OPERATOR_SLIPS.get(operator)
    if meant:
        cursor.read_as_meant(start, meant)
    if operator in tokens.NO_OPERATORS:
        message = f'"{operator}" is no operator, expected =~ before a regular expression'
        suggestion = cursor.replace(start, cursor.position, "=~")
        raise cursor.error(message, start, cursor.position, ["=~"], suggestion)
    return meant or operator


def is_spaced_test(cursor: Cursor, subject: Subject) -> bool:
    """Whether a colon between blanks makes a test: of a known field, else "a : b" is text."""
    match = tokens.SPACED_COLON.match(cursor.text, cursor.position)
    if match is None or cursor.knows(subject.field):
        return match is not None
    add_text_notice(cursor, subject, f"{subject.field} :", match.end())
    return False


def is_text(cursor: Cursor, subject: Subject) -> bool:
    """A name, a sign and a blank: text, unless the name is in quotes or that of a known field."""
    if subject.is_quoted:
        return False
    if cursor.sees(tokens.ANGLED) or cursor.sees(tokens.ARROW):
        return True
    match = tokens.TEXT_OPERATOR.match(cursor.text, cursor.position)
    if match is None or (match["sign"] == ":" and cursor.knows(subject.field)):
        return False
    add_text_notice(cursor, subject, subject.field + match["sign"], match.end())
    return True


def add_text_notice(cursor: Cursor, subject: Subject, written: str, end: int) -> None:
    """A name and a sign were read as text; without the blanks before `end` they would be a test."""
    message = (
        f"{show(written)} before a blank is read as text, join it to its value to test a field"
    )
    sign = ":" if written.endswith(":") else "="
    rest = cursor.text[end:].lstrip()
    alternative = cursor.text[: cursor.position] + sign + rest
    # In a pasted line with many of them it would be of no use.
    has_one = tokens.SIGN_BEFORE_BLANK.search(cursor.text, end) is None
    data = {"alt": alternative} if has_one else {}
    cursor.notice("colon_as_text", message, field=subject.field, **data)


def parse_test(cursor: Cursor, subject: Subject, operator: str, start: int) -> Filter:
    """What follows the operator; `start` is where the name began."""
    end = cursor.position
    cursor.skip_blanks()
    has_keyword = cursor.position > end and cursor.sees(tokens.KEYWORD)
    if cursor.at_end or cursor.sees_any("|)") or has_keyword:
        written = cursor.text[start:end]
        message = f"expected a value after {show(written)}"
        exists = written.strip().removesuffix(operator).rstrip() + ":*"
        suggestion = None if subject.is_time else cursor.replace(start, end, exists)
        raise cursor.error(message, start, end, ["a value"], suggestion)
    if operator == "=" and subject.field in tokens.SPLUNK_NAMES:
        cursor.is_splunk = True
    if operator == "=" and not subject.is_quoted and subject.field in tokens.LIMIT_NAMES:
        return parse_earliest(cursor) if subject.field == "earliest" else parse_latest(cursor)
    test = TESTS[operator](cursor, subject)
    add_limit_notice(cursor, subject, operator, start)
    return test


def add_limit_notice(cursor: Cursor, subject: Subject, operator: str, start: int) -> None:
    """`limit=10` in a filter tests a field, which is rarely what it is written for."""
    if operator != "=" or subject.field not in LIMITS or cursor.knows(subject.field):
        return
    value = cursor.text[start : cursor.position].partition("=")[2]
    if value.isdigit():
        message = f"{show(f'{subject.field}={value}')} tests a field, write | limit {value} to limit the rows"
        rest = cursor.replace(start, cursor.position, "").strip()
        cursor.notice("read_as_text", message, alt=f"{rest} | limit {value}")


def parse_match(cursor: Cursor, subject: Subject, has_equals: bool = False) -> Filter:
    """After `:` or `=`: a group, a range, a call or a single value."""
    if cursor.sees_any("!"):
        raise negated_value(cursor, subject)
    if subject.is_time:
        return parse_period(cursor, subject)
    if cursor.sees_any("("):
        return parse_value_group(cursor, subject)
    if subject.name == STREAM and cursor.sees(tokens.SELECTOR):
        return parse_selector(cursor)
    if cursor.sees_any("[{"):
        is_list = cursor.sees(tokens.BRACKETED_LIST)
        return parse_brackets(cursor, subject) if is_list else parse_range(cursor, subject)
    if call := cursor.take_match(tokens.CALL):
        is_range = call["name"].lower() == "range"
        return parse_range(cursor, subject) if is_range else parse_in_call(cursor, subject)
    return parse_value(cursor, subject, IN_FILTER, has_equals)


def negated_value(cursor: Cursor, subject: Subject) -> InvalidQuery:
    """An error about `f:!v`: here it is the test that is negated."""
    place = cursor.position
    start = cursor.text.rfind(subject.name or "", 0, place)
    test = cursor.text[start:place] + cursor.text[place + 1 :]
    return cursor.unexpected(["a value"], f"{cursor.text[:start]}NOT {test}")


def parse_equal(cursor: Cursor, subject: Subject) -> Filter:
    return parse_match(cursor, subject, has_equals=True)


def parse_mismatch(cursor: Cursor, subject: Subject) -> Filter:
    """Of an empty text: there is a value, and it is not empty."""
    match = parse_match(cursor, subject, has_equals=True)
    if match == subject.empty():
        return And((Exists(subject.field), Not(Exact(subject.field, ""))))
    return Not(match)


def parse_exact(cursor: Cursor, subject: Subject) -> Filter:
    return subject.exact(parse_text(cursor))


def parse_compare(operator: Comparison, cursor: Cursor, subject: Subject) -> Filter:
    if subject.is_time:
        return parse_time_limit(cursor, operator)
    return Compare(subject.field, operator, parse_limit(cursor))


def parse_not_regex(cursor: Cursor, subject: Subject) -> Filter:
    return Not(parse_regex(cursor, subject))


def parse_not_in(cursor: Cursor, subject: Subject) -> Filter:
    return Not(parse_in(cursor, subject))


TESTS: dict[str, Callable[[Cursor, Subject], Filter]] = {
    ":": parse_match,
    "=": parse_equal,
    "!=": parse_mismatch,
    ":=": parse_exact,
    "==": parse_exact,
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


def parse_selector(cursor: Cursor) -> Filter:
    """`{app="web", level!="debug"}`, which a flat JSON object is as well."""
    start = cursor.position
    cursor.take_character("{")
    cursor.skip_blanks()
    terms: list[Filter] = []
    while not cursor.take_character("}"):
        if terms and not cursor.take_character(","):
            raise not_continued(cursor, start)
        cursor.skip_blanks()
        terms.append(parse_selected(cursor))
        cursor.skip_blanks()
    if not terms:
        return Everything()
    return And(tuple(terms)) if len(terms) > 1 else terms[0]


def parse_selected(cursor: Cursor) -> Filter:
    is_quoted = cursor.sees(tokens.QUOTE)
    name = cursor.take_name()
    if name is None:
        raise cursor.unexpected(["a field name"])
    cursor.skip_blanks()
    operator = cursor.take(tokens.SELECTOR_OPERATOR)
    if operator is None:
        raise cursor.unexpected(["=", "!=", "=~", "!~"])
    cursor.skip_blanks()
    return SELECTOR_TESTS[operator](cursor, Subject(name, is_quoted), IN_SELECTOR)


def not_continued(cursor: Cursor, start: int) -> InvalidQuery:
    """An error about a selector that began at `start` and has neither a comma nor its end here."""
    place = len(cursor.text[: cursor.position].rstrip())
    if not cursor.at_end:
        return cursor.unexpected([",", "}"], cursor.replace(place, place, ","))
    message = 'this brace is never closed, expected "}"'
    return cursor.error(message, start, None, ["}"], cursor.replace(place, place, "}"))


def select_value(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return (
        parse_period(cursor, subject, site)
        if subject.is_time
        else parse_value(cursor, subject, site)
    )


def select_text(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    """After `=`: a text in quotes is the very value, as in LogQL."""
    is_quoted = cursor.sees(tokens.QUOTE) and not subject.is_time
    return (select_exact if is_quoted else select_value)(cursor, subject, site)


def select_other_text(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return Not(select_text(cursor, subject, site))


def select_exact(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return subject.exact(parse_text(cursor, site))


def select_matching(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return match_whole(parse_regex(cursor, subject, site))


def select_unmatched(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return Not(select_matching(cursor, subject, site))


def match_whole(filter_: Filter) -> Filter:
    """Regular expressions of a selector match whole values."""
    match filter_:
        case Regex(field, expression, ignores_case):
            return Regex(field, anchor(expression), ignores_case)
        case Or(terms):
            return Or(tuple(map(match_whole, terms)))
        case _:
            return filter_


SELECTOR_TESTS: dict[str, Callable[[Cursor, Subject, Site], Filter]] = {
    "=": select_text,
    ":": select_value,
    "!=": select_other_text,
    "==": select_exact,
    ":=": select_exact,
    "=~": select_matching,
    "!~": select_unmatched,
}

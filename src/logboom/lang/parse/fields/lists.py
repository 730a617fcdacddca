"""Tests against several values: `f IN (a, b)`, `f:(a OR b)`, `f:in(query)`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import (
    LONE_STAR,
    And,
    Compare,
    Filter,
    InQuery,
    Match,
    Not,
    OneOf,
    Or,
    Pattern,
    Quantity,
    Range,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import lucene
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.calls import CALL, parse_call
from logboom.lang.parse.fields.ranges import parse_range
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import parse_limit, parse_regex, parse_text, parse_value
from logboom.lang.tokens import IN_LIST, IN_RANGE

SIGNED_VALUE = r"(?:\"(?:[^\"\\]++|\\.)*+\"|[<>]=?[0-9.]++|[A-Za-z_*][^\s()\"|]*+)"
REQUIRED_GROUP = compile_later(rf"\(\s*+(?=[^)|]*\+)(?:[-+]{SIGNED_VALUE}\s*+)++\)")
"""Every value has a sign, and one of them a plus."""
LOOK_AROUND = 400
"""How many characters around a minus are examined, so that no text takes long."""
LOWER_JOINT = compile_later(r"(?<=\s)(?:and|or|not)(?=[\s(])")
BOUNDS = ("low", "high")
NUMBER_BOUND = compile_later(rf"{tokens.NUMBER.pattern}[A-Za-z]*+|\*")


def parse_in(cursor: Cursor, subject: Subject) -> Filter:
    """Parse the list after IN, in parentheses, its members separated by commas."""
    if cursor.sees_any("["):
        return parse_bracketed(cursor, subject)
    start = cursor.position
    if cursor.take(tokens.SPLUNK_TOKEN):
        cursor.read_as_meant(start, "(*)")
        return subject.match(Pattern(LONE_STAR))
    cursor.take_character("(")
    members = [parse_member(cursor, subject, has_equals=True)]
    while cursor.take_character(",") or cursor.next in tokens.QUOTES:
        members.append(parse_member(cursor, subject, has_equals=True))
    close_list(cursor, start, ",")
    return join_members(subject, members)


def join_members(subject: Subject, members: list[Filter]) -> Filter:
    patterns = tuple(member.pattern for member in members if isinstance(member, Match))
    if len(patterns) == len(members):
        return OneOf(subject.field, patterns)
    return Or(tuple(members)) if len(members) > 1 else members[0]


def parse_brackets(cursor: Cursor, subject: Subject) -> Filter:
    """`[a, b]` after a colon: the range between two numbers, else a list."""
    found = tokens.BRACKETED_LIST.match(cursor.text, cursor.position)
    assert found is not None
    items = [item.strip() for item in found[0][1:-1].split(",")]
    spans = [tokens.NUMBER_SPAN.fullmatch(item) for item in items]
    if len(items) == 1 and spans[0]:
        meant = f"[{spans[0]['low']} TO {spans[0]['high']}]"
        return parse_span(cursor, subject, spans[0], found.end(), meant)
    if len(items) != len(BOUNDS) or not all(map(NUMBER_BOUND.fullmatch, items)):
        return parse_bracketed(cursor, subject)
    alternative = cursor.replace(found.start(), found.end(), f"({' OR '.join(items)})")
    message = f"{show(found[0])} is read as the range from {items[0]} to {items[1]}"
    cursor.notice("read_as_meant", message, alt=alternative)
    return parse_range(cursor, subject)


def parse_span(
    cursor: Cursor, subject: Subject, span: re.Match[str], end: int, meant: str
) -> Filter:
    """`[500-599]`."""
    start, cursor.position = cursor.position, end
    cursor.read_as_meant(start, meant)
    low, high = (Quantity(int(span[name]), "") for name in BOUNDS)
    return Range(subject.field, low, high, True, True)


def parse_bracketed(cursor: Cursor, subject: Subject) -> Filter:
    """Parse a list in brackets, as JSON writes it."""
    start = cursor.position
    cursor.take_character("[")
    cursor.skip_blanks()
    members = [parse_value(cursor, subject, IN_RANGE)]
    cursor.skip_blanks()
    while cursor.take_character(","):
        cursor.skip_blanks()
        members.append(parse_value(cursor, subject, IN_RANGE))
        cursor.skip_blanks()
    if not cursor.take_character("]"):
        raise cursor.unexpected([",", "]"])
    written = cursor.text[start + 1 : cursor.position - 1].strip()
    cursor.read_as_meant(start, f"({written})")
    return join_members(subject, members)


def parse_in_call(cursor: Cursor, subject: Subject) -> Filter:
    """Parse what follows `f:in`: a plain list of values, or else a query whose first column has them."""
    mark = cursor.mark()
    found = try_list(cursor, subject)
    if found is not None:
        return found
    cursor.rewind(mark)
    cursor.take_character("(")
    cursor.skip_blanks()
    if cursor.at_end or cursor.sees_any(")"):
        raise cursor.unexpected(["a value", "a query"])
    query = cursor.parse_subquery()
    cursor.close_parenthesis(mark.position)
    return InQuery(subject.field, query)


def try_list(cursor: Cursor, subject: Subject) -> Filter | None:
    """Return a list of plain values, if there is one; a single test such as `in(a:b)` is not."""
    is_test = cursor.sees(tokens.LONE_TEST)
    try:
        found = parse_in(cursor, subject)
    except InvalidQuery:
        return None
    is_list = isinstance(found, OneOf) or subject.scope is not None
    is_single = isinstance(found, OneOf) and len(found.patterns) == 1
    return found if is_list and not (is_test and is_single) else None


def parse_value_group(cursor: Cursor, subject: Subject) -> Filter:
    """Parse values joined by OR, commas, AND and NOT, as tests of the one field."""
    start = cursor.position
    cursor.take_character("(")
    is_bare = False
    if REQUIRED_GROUP.match(cursor.text, start):
        return parse_required(cursor, start, subject)
    with cursor.nested(start):
        terms = [parse_value_and(cursor, subject)]
        while True:
            if cursor.take_character(",") or cursor.take(tokens.OR_OF_VALUES):
                terms.append(parse_value_and(cursor, subject))
            elif sees_value(cursor):
                is_bare = True
                terms.append(parse_value_and(cursor, subject))
            else:
                break
    cursor.close_parenthesis(start)
    lucene.leave_out_distance(cursor)
    return join_bare(cursor, start, subject, terms) if is_bare else join_values(subject, terms)


def parse_required(cursor: Cursor, start: int, subject: Subject) -> Filter:
    """`(+a -b +"c")` of Lucene: values with a plus are required, those with a minus excluded."""
    terms: list[Filter] = []
    with cursor.nested(start):
        while sees_value(cursor):
            cursor.take(tokens.PLUS_OF_VALUES)
            terms.append(parse_value_not(cursor, subject))
    cursor.close_parenthesis(start)
    lucene.leave_out_distance(cursor)
    return And(tuple(terms)) if len(terms) > 1 else terms[0]


def sees_value(cursor: Cursor) -> bool:
    return not cursor.at_end and not cursor.sees_any("|)")


def join_bare(cursor: Cursor, start: int, subject: Subject, terms: list[Filter]) -> Filter:
    """`f:(a b)`: a value can be only one of them, but a message may contain both, and `(>=400 <500)` is a range."""
    is_all = subject.is_message or all(isinstance(term, Compare | Not) for term in terms)
    operator, other = ("AND", "OR") if is_all else ("OR", "AND")
    written = cursor.text[start : cursor.position]
    alternative = " ".join(written[1:-1].split()).replace(" ", f" {other} ")
    message = f"{show(written)} is read with {operator} between the values"
    data = {"alt": f"({alternative})"} if tokens.QUOTES.isdisjoint(written) else {}
    if data:
        data["alt"] = cursor.replace(start, cursor.position, data["alt"])
    cursor.notice("read_as_meant", message, **data)
    return And(tuple(terms)) if is_all else join_values(subject, terms)


def join_values(subject: Subject, terms: list[Filter]) -> Filter:
    """Return a single test of the list if values must equal one of them; messages only contain them."""
    if len(terms) == 1:
        return terms[0]
    patterns = tuple(term.pattern for term in terms if isinstance(term, Match))
    if len(patterns) == len(terms) and not subject.is_message and not subject.is_wild:
        return OneOf(subject.field, patterns)
    return Or(tuple(terms))


def parse_value_and(cursor: Cursor, subject: Subject) -> Filter:
    terms = [parse_value_not(cursor, subject)]
    while cursor.take(tokens.AND_OF_VALUES):
        terms.append(parse_value_not(cursor, subject))
    return And(tuple(terms)) if len(terms) > 1 else terms[0]


def take_minus(cursor: Cursor) -> bool:
    """Return whether a minus negates the value; in KQL, which writes `or` and `not`, it is part of the value."""
    if not cursor.sees(tokens.MINUS_OF_VALUES):
        return False
    before = cursor.text[max(0, cursor.position - LOOK_AROUND) : cursor.position]
    after = cursor.text[cursor.position : cursor.position + LOOK_AROUND]
    if LOWER_JOINT.search(before) or LOWER_JOINT.search(after):
        return False
    return cursor.take(tokens.MINUS_OF_VALUES) is not None


def parse_value_not(cursor: Cursor, subject: Subject) -> Filter:
    cursor.skip_blanks()
    start = cursor.position
    if any(map(cursor.take, tokens.VALUE_NEGATIONS)) or take_minus(cursor):
        with cursor.nested(start):
            return Not(parse_value_not(cursor, subject))
    if cursor.sees(tokens.KEYWORD):
        raise cursor.unexpected(["a value"])
    if cursor.sees_any("("):
        group = parse_value_group(cursor, subject)
        cursor.skip_blanks()
        return group
    return parse_member(cursor, subject)


def parse_member(cursor: Cursor, subject: Subject, has_equals: bool = False) -> Filter:
    """Parse one value and the blanks around it."""
    cursor.skip_blanks()
    member: Filter
    if subject.name is not None and (sign := cursor.take(tokens.COMPARISON)):
        cursor.skip_blanks()
        member = Compare(subject.name, tokens.COMPARISONS[sign], parse_limit(cursor, IN_LIST))
    elif subject.name is not None and cursor.sees_any("[{"):
        member = parse_range(cursor, subject)
    elif subject.name is not None and cursor.take(tokens.EXACT_SIGN):
        member = subject.exact(parse_text(cursor, IN_LIST))
    elif subject.name is not None and cursor.take(tokens.EXPRESSION_SIGN):
        member = parse_regex(cursor, subject, IN_LIST)
    elif subject.name is not None and (call := cursor.take_match(CALL)):
        member = parse_call(cursor, call.start(), call["name"], subject)
    else:
        member = parse_value(cursor, subject, IN_LIST, has_equals)
    cursor.skip_blanks()
    return member


def close_list(cursor: Cursor, start: int, joint: str) -> None:
    """Raise InvalidQuery for two adjacent values, because it is unknown which operator was omitted."""
    if not cursor.at_end and not cursor.sees_any("|)"):
        edit = f"{joint} " if joint.isalpha() else joint
        place = cursor.position if joint.isalpha() else len(cursor.text[: cursor.position].rstrip())
        written = f"a {joint} b" if joint.isalpha() else f"a{joint} b"
        raise cursor.error(
            f"two values without an operator, write {written}",
            cursor.position,
            expected=[joint, ")"],
            suggestion=cursor.replace(place, place, edit),
        )
    cursor.close_parenthesis(start)

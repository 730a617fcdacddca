"""Tests that are written like calls, as in LogsQL: `contains_all(a, b)`, `f:seq(a, b)`. All are in CALLS."""

import re
from collections.abc import Callable
from functools import partial
from ipaddress import IPv4Address, ip_address, ip_network, summarize_address_range
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import (
    MESSAGE,
    And,
    Binary,
    Call,
    Field,
    Filter,
    HasPattern,
    Literal,
    Network,
    Or,
    Pattern,
    Range,
    Regex,
    Truth,
    Wildcard,
    Word,
)
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import check_expression, parse_text
from logboom.lang.tokens import IN_LIST

STAR = compile_later(r"\*")
NO_LIMIT = compile_later(r"[-+]?inf(?:inity)?", re.IGNORECASE)
PLACEHOLDERS = {
    "<N>": r"(?:0x[0-9a-fA-F]+|[0-9][0-9a-fA-F]*)",
    "<UUID>": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "<IP4>": r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}",
    "<TIME>": r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?",
    "<DATE>": r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}",
    "<DATETIME>": r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?",
    "<W>": r"(?:\w+|\"[^\"]*\")",
}
PLACEHOLDER = compile_later(rf"({'|'.join(PLACEHOLDERS)})")
SUBQUERY = compile_later(r"[^()\"'`]*\|")


class Argument(NamedTuple):
    """A text in the parentheses; a prefix has a star after its quotes."""

    text: str
    is_prefix: bool
    start: int


class Request(NamedTuple):
    """A parsed call: `subject` is None if no field precedes it."""

    cursor: Cursor
    start: int
    name: str
    subject: Subject | None
    arguments: list[Argument]

    @property
    def field(self) -> str:
        return MESSAGE if self.subject is None else self.subject.field

    @property
    def texts(self) -> list[str]:
        return [argument.text for argument in self.arguments]

    def refuse(self, message: str, suggestion: str | None = None) -> InvalidQuery:
        return self.cursor.error(message, self.start, self.cursor.position, (), suggestion)

    def contain(self, text: str) -> Filter:
        """Return the filter for a text that the message contains, or a value of the field."""
        if self.subject is None:
            return Word(text)
        if self.subject.is_message:
            return self.subject.match(Pattern.literal(text))
        return self.subject.match(make_pattern(Wildcard.ANY, text, Wildcard.ANY))

    def rewrite(self, test: str) -> str:
        """Return the query with the call in our own syntax."""
        return self.cursor.replace(self.start, self.cursor.position, test)


def make_pattern(*pieces: str | Wildcard) -> Pattern:
    parts: list[str | Wildcard] = []
    for piece in pieces:
        tokens.append_piece(parts, piece)
    return Pattern(tuple(parts))


def parse_call(cursor: Cursor, start: int, name: str, subject: Subject | None) -> Filter:
    """Parse a call from its opening parenthesis on; `start` is where the test began, at its field if it has one."""
    opening = cursor.position
    request = Request(cursor, start, name.lower(), subject, [])
    cursor.take_character("(")
    cursor.skip_blanks()
    if cursor.sees(SUBQUERY):
        raise inner_query(request, opening)
    while not cursor.take_character(")"):
        if request.arguments and not cursor.take_character(","):
            cursor.close_parenthesis(opening)
        request.arguments.append(parse_argument(cursor))
    return CALLS[request.name](request)


def parse_argument(cursor: Cursor) -> Argument:
    cursor.skip_blanks()
    start = cursor.position
    quoted = cursor.take_quoted()
    text = parse_text(cursor, IN_LIST) if quoted is None else quoted
    is_prefix = bool(cursor.take(STAR)) or (quoted is None and text.endswith("*"))
    cursor.skip_blanks()
    return Argument(text.removesuffix("*") if quoted is None else text, is_prefix, start)


def inner_query(request: Request, opening: int) -> InvalidQuery:
    message = f"{request.name} takes texts here, a query goes into field:in(query)"
    suggestion = None
    if request.subject is not None:
        end = request.cursor.text.find("(", opening)
        name = request.cursor.text.rfind(":", 0, opening) + 1
        suggestion = request.cursor.replace(name, end, "in")
    return request.cursor.error(message, request.start, opening, ["a text"], suggestion)


def parse_networks(cursor: Cursor, start: int, subject: Subject) -> Filter:
    """Datadog's `CIDR(@ip, 10.0.0.0/8, …)`, from the first comma on."""
    networks: list[Filter] = []
    while cursor.take_character(","):
        text = parse_argument(cursor).text
        request = Request(cursor, start, "CIDR", subject, [Argument(text, False, start)])
        networks.append(lie_between_addresses(request))
    cursor.close_parenthesis(start)
    return Or(tuple(networks)) if len(networks) > 1 else networks[0]


def check_count(request: Request, *counts: int) -> None:
    if len(request.arguments) not in counts:
        expected = " or ".join(map(str, counts))
        given = len(request.arguments)
        raise request.refuse(f"{request.name} got {given} arguments, expected {expected}")


def check_some(request: Request) -> None:
    if not request.arguments:
        raise request.refuse(f"{request.name} got no arguments, expected a text")


def contain_all(request: Request) -> Filter:
    check_some(request)
    tests = tuple(map(request.contain, request.texts))
    return And(tests) if len(tests) > 1 else tests[0]


def contain_any(request: Request) -> Filter:
    check_some(request)
    tests = tuple(map(request.contain, request.texts))
    return Or(tests) if len(tests) > 1 else tests[0]


def contain_in_order(request: Request) -> Filter:
    """`seq(a, b)`: one text after the other."""
    check_some(request)
    if len(request.arguments) == 1:
        return request.contain(request.texts[0])
    pieces = [piece for text in request.texts for piece in (Wildcard.ANY, text)]
    if request.subject is None or request.subject.is_message:
        return Subject(MESSAGE).match(make_pattern(*pieces[1:]))
    return request.subject.match(make_pattern(*pieces, Wildcard.ANY))


def ignore_case(request: Request) -> Filter:
    """Return the filter for the text in the call; texts are always compared ignoring case."""
    check_count(request, 1)
    (argument,) = request.arguments
    if request.subject is None or request.subject.is_message:
        return request.contain(argument.text)
    end = (Wildcard.ANY,) if argument.is_prefix else ()
    return request.subject.match(make_pattern(argument.text, *end))


def equal_exactly(request: Request) -> Filter:
    check_count(request, 1)
    (argument,) = request.arguments
    subject = request.subject or Subject(MESSAGE)
    return (
        begin_exactly(subject, argument.text)
        if argument.is_prefix
        else subject.exact(argument.text)
    )


def begin_exactly(subject: Subject, text: str) -> Filter:
    """Return the filter for values that start with exactly this text, including its case."""
    return Regex(subject.field, "^" + re.sub(r"[^\w\s/\"'`:;,<>=@#%&~!-]", r"\\\g<0>", text))


def match_expression(request: Request) -> Filter:
    check_count(request, 1)
    (argument,) = request.arguments
    expression = check_expression(request.cursor, argument.start, argument.text)
    return (request.subject or Subject(MESSAGE)).regex(expression, ignores_case=False)


def have_pattern(request: Request) -> Filter:
    """`f:pattern("took <num> ms")`, as the pipe `patterns` shows it; a star after it matches the beginning."""
    check_count(request, 1)
    (argument,) = request.arguments
    if not argument.text:
        raise request.refuse("the pattern is empty, expected one that the pipe patterns shows")
    return HasPattern(request.field, argument.text, argument.is_prefix)


def equal_any(request: Request) -> Filter:
    """Return the filter for one of the values, also of a list."""
    check_some(request)
    subject = request.subject or Subject(MESSAGE)
    tests = tuple(subject.match(Pattern.literal(text)) for text in request.texts)
    return Or(tests) if len(tests) > 1 else tests[0]


def match_placeholders(before: str, after: str, request: Request) -> Filter:
    """`pattern_match("took <N> ms")`, with the placeholders of LogsQL."""
    check_count(request, 1)
    (argument,) = request.arguments
    pieces = PLACEHOLDER.split(argument.text)
    body = "".join(PLACEHOLDERS.get(piece) or escape(piece) for piece in pieces)
    expression = check_expression(request.cursor, argument.start, f"{before}{body}{after}")
    return (request.subject or Subject(MESSAGE)).regex(expression, ignores_case=False)


def lie_between_addresses(request: Request) -> Filter:
    """Return the filter for a network, an address, or two addresses and everything between them."""
    check_count(request, 1, 2)
    try:
        networks = list_networks(request.texts)
    except (ValueError, TypeError) as error:
        message = f"{request.name} got {show(', '.join(request.texts))}, expected a network or two addresses"
        raise request.refuse(message) from error
    tests: list[Filter] = [Network(request.field, network) for network in networks]
    return Or(tuple(tests)) if len(tests) > 1 else tests[0]


def list_networks(texts: list[str]) -> list[str]:
    if len(texts) == 1:
        return [str(ip_network(texts[0], strict=False))]
    first, last = map(ip_address, texts)
    if isinstance(first, IPv4Address):
        return list(map(str, summarize_address_range(first, IPv4Address(str(last)))))
    return list(map(str, summarize_address_range(first, last)))


def lie_between_texts(request: Request) -> Filter:
    check_count(request, 2)
    low, high = request.texts
    return Range(request.field, low, high, includes_low=True, includes_high=False)


def have_length(request: Request) -> Filter:
    check_count(request, 2)
    length = Call("len", (Field(request.field),))
    low, high = (read_length(request, text) for text in request.texts)
    tests = [Binary(">=", length, Literal(low))] if low else []
    tests += [Binary("<=", length, Literal(high))] if high is not None else []
    if not tests:
        return (request.subject or Subject(MESSAGE)).match(Pattern((Wildcard.ANY,)))
    return Truth(tests[0] if len(tests) == 1 else Binary("AND", *tests))


def read_length(request: Request, text: str) -> int | None:
    number = text.replace("_", "")
    if not number.isdecimal() and not NO_LIMIT.fullmatch(text):
        raise request.refuse(f"{request.name} got {show(text)}, expected a number of characters")
    return int(number) if number.isdecimal() else None


def compare_fields(operator: str) -> Callable[[Request], Filter]:
    """`f:eq_field(g)`."""

    def compare(request: Request) -> Filter:
        check_count(request, 1)
        return Truth(Binary(operator, Field(request.field), Field(request.texts[0])))

    return compare


def refuse_type(request: Request) -> Filter:
    """Raise InvalidQuery for a test of a type: here types belong to values, not to columns."""
    kinds = {"string": "string", "iso8601": "time"}
    kind = kinds.get((request.texts or [""])[0], "number")
    test = f'eval(typeof({request.field}) == "{kind}")'
    message = "value_type is about how values are stored, write typeof for the type of a value"
    raise request.refuse(message, request.rewrite(test))


CALLS: dict[str, Callable[[Request], Filter]] = {
    "contains_all": contain_all,
    "contains_any": contain_any,
    "contains_common_case": contain_any,
    "eq_field": compare_fields("=="),
    "equals_common_case": equal_any,
    "exact": equal_exactly,
    "i": ignore_case,
    "ipv4_range": lie_between_addresses,
    "ipv6_range": lie_between_addresses,
    "json_array_contains_any": equal_any,
    "le_field": compare_fields("<="),
    "len_range": have_length,
    "lt_field": compare_fields("<"),
    "pattern": have_pattern,
    "pattern_match": partial(match_placeholders, "", ""),
    "pattern_match_full": partial(match_placeholders, "^", "$"),
    "pattern_match_prefix": partial(match_placeholders, "^", ""),
    "pattern_match_suffix": partial(match_placeholders, "", "$"),
    "re": match_expression,
    "seq": contain_in_order,
    "string_range": lie_between_texts,
    "value_type": refuse_type,
}
NAMES = "|".join(CALLS)
CALL = compile_later(rf"(?P<name>{NAMES})(?=\()", re.IGNORECASE)
# Without a field it is a test only if the parentheses contain a list of texts.
LONE_CALL = compile_later(
    r"(?P<name>contains_all|contains_any|contains_common_case|exact|i|len_range|re|seq"
    r"|pattern_match(?:_full|_prefix|_suffix)?|ipv[46]_range|string_range|equals_common_case"
    r"|eq_field|le_field|lt_field|value_type)"
    rf"(?=\(\s*+{tokens.LISTED_TEXT}"
    rf"(?:,\s*+{tokens.LISTED_TEXT})*+\)(?:[\s)|]|\Z))"
)

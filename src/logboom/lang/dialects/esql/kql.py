"""KQL inside ES|QL: `KQL("event.action:start and not user.name:(root or adm*)")`, as a filter of ours."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Compare,
    Exists,
    Filter,
    Match,
    Not,
    Pattern,
    Quantity,
    Wildcard,
)
from logboom.lang.dialects.matching import join_and, join_or
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.textual import read_wildcards
from logboom.lang.tokens import COMPARISONS, decode_number

TOKENS = compile_later(
    r'(?P<blank>\s++)|(?P<text>"(?:[^"\\]++|\\.)*+")|(?P<sign><=|>=|[<>:()])|(?P<name>(?:[^\s"<>:(){}\\]|\\.)++)'
)
ESCAPE = compile_later(r"\\(.)")
WORDS = ("and", "or", "not")


def read_kql(text: str) -> Filter:
    """Raise InvalidQuery for words without a field, which would be searched in all fields."""
    scanner = Scanner(text, TOKENS, "KQL")
    found = read_any(scanner)
    if not scanner.at_end:
        raise scanner.unexpected("and, or or the end")
    return found


def read_any(scanner: Scanner) -> Filter:
    terms = [read_all(scanner)]
    while scanner.take_word("or"):
        terms.append(read_all(scanner))
    return join_or(terms)


def read_all(scanner: Scanner) -> Filter:
    terms = [read_term(scanner)]
    while scanner.take_word("and"):
        terms.append(read_term(scanner))
    return join_and(terms)


def read_term(scanner: Scanner) -> Filter:
    scanner.enter()
    if scanner.take_word("not"):
        found: Filter = Not(read_term(scanner))
    elif scanner.take_sign("("):
        found = read_any(scanner)
        scanner.expect_sign(")")
    else:
        found = read_test(scanner)
    scanner.depth -= 1
    return found


def read_test(scanner: Scanner) -> Filter:
    """`field : value`, `field : (a or b)` or `field >= 5`."""
    place = scanner.peek()
    field = read_text(scanner, "a field")
    if field == "@timestamp":
        message = "tests of the time are not supported in KQL, write them beside it"
        raise scanner.error(message, place.start, place.end)
    if scanner.take_sign(":"):
        return read_values(scanner, field)
    sign = scanner.take_sign(*COMPARISONS)
    if sign is None:
        raise scanner.unexpected('":" after the name of a field')
    limit = read_text(scanner, "a value")
    number = decode_number(limit)
    return Compare(field, COMPARISONS[sign.text], limit if number is None else Quantity(number))


def read_values(scanner: Scanner, field: str) -> Filter:
    if not scanner.take_sign("("):
        return read_value(scanner, field)
    scanner.enter()
    alternatives = [[read_negatable(scanner, field)]]
    while joint := scanner.take_word("or", "and"):
        if joint.text.lower() == "or":
            alternatives.append([])
        alternatives[-1].append(read_negatable(scanner, field))
    scanner.expect_sign(")")
    scanner.depth -= 1
    return join_or(map(join_and, alternatives))


def read_negatable(scanner: Scanner, field: str) -> Filter:
    if scanner.take_word("not"):
        return Not(read_values(scanner, field))
    return read_values(scanner, field)


def read_value(scanner: Scanner, field: str) -> Filter:
    """Return the test of a whole value; only without quotes a star is a wildcard."""
    is_quoted = scanner.peek().kind == "text"
    written = scanner.peek().text
    text = read_text(scanner, "a value")
    if is_quoted or "*" not in written:
        return Match(field, Pattern.literal(text))
    parts = read_wildcards(written, "*", "\0")
    return Exists(field) if parts == (Wildcard.ANY,) else Match(field, Pattern(parts))


def read_text(scanner: Scanner, expected: str) -> str:
    token = scanner.peek()
    is_word = token.kind == "name" and token.text.lower() not in WORDS
    written = token.text[1:-1] if token.kind == "text" else token.text
    if not (is_word or token.kind == "text") or not written:
        raise scanner.unexpected(expected)
    scanner.take()
    return ESCAPE.sub(r"\1", written)

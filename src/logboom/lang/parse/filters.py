"""Filters: what an event must be like. NOT binds before AND, AND before OR."""

from collections.abc import Callable
from functools import partial

from logboom.lang import tokens
from logboom.lang.ast import (
    MESSAGE,
    And,
    Compare,
    Comparison,
    Everything,
    Exact,
    Exists,
    Filter,
    Match,
    Not,
    Or,
    Pattern,
    Wildcard,
    Word,
)
from logboom.lang.parse.cursor import Cursor, show

MAX_PATTERN_LENGTH = 1024
FILTER_EXPECTED = ["a word", "field:value", "("]


def parse_filter(cursor: Cursor) -> Filter:
    """Everything up to a pipe, a closing parenthesis or the end."""
    terms = [parse_and(cursor)]
    while cursor.take(tokens.OR):
        terms.append(parse_and(cursor))
    return Or(tuple(terms)) if len(terms) > 1 else terms[0]


def parse_and(cursor: Cursor) -> Filter:
    terms = [parse_not(cursor)]
    while cursor.take(tokens.AND) or not ends_and(cursor):
        terms.append(parse_not(cursor))
    return And(tuple(terms)) if len(terms) > 1 else terms[0]


def ends_and(cursor: Cursor) -> bool:
    return cursor.at_end or cursor.sees_any("|)") or cursor.sees(tokens.OR)


def parse_not(cursor: Cursor) -> Filter:
    """One term and the blanks after it."""
    cursor.skip_blanks()
    start = cursor.position
    if cursor.take(tokens.NEGATION):
        with cursor.nested(start):
            return Not(parse_not(cursor))
    term = parse_group(cursor) if cursor.sees_any("(") else parse_term(cursor)
    cursor.skip_blanks()
    return term


def parse_group(cursor: Cursor) -> Filter:
    start = cursor.position
    cursor.take_character("(")
    with cursor.nested(start):
        inside = parse_filter(cursor)
    if not cursor.take_character(")"):
        place = len(cursor.text[: cursor.position].rstrip())
        raise cursor.error(
            'this parenthesis is never closed, expected ")"',
            start,
            expected=[")"],
            suggestion=cursor.replace(place, place, ")"),
        )
    return inside


def parse_term(cursor: Cursor) -> Filter:
    """A test of a field, a phrase or a word."""
    start = cursor.position
    if cursor.sees(tokens.KEYWORD):
        raise cursor.unexpected(FILTER_EXPECTED)
    phrase = cursor.take_quoted()
    name = cursor.take(tokens.NAME) if phrase is None else phrase
    if name is not None and (operator := take_operator(cursor, is_quoted=phrase is not None)):
        return parse_test(cursor, name, operator, start)
    if phrase is not None:
        return Word(phrase)
    cursor.position = start
    return parse_word(cursor)


def take_operator(cursor: Cursor, is_quoted: bool) -> str | None:
    """The operator after a name, if this is the test of a field and not text."""
    text, position = cursor.text, cursor.position
    if tokens.LIST_OPERATOR.match(text, position):
        cursor.skip_blanks()
        raise cursor.unexpected(["an operator"])
    if not is_quoted and tokens.TEXT_OPERATOR.match(text, position):
        return None
    if operator := cursor.take(tokens.GLUED_OPERATOR):
        return operator
    operator = cursor.take(tokens.SPACED_OPERATOR)
    return operator.strip() if operator else None


def parse_test(cursor: Cursor, name: str, operator: str, start: int) -> Filter:
    end = cursor.position
    if operator not in TESTS:
        raise cursor.error(
            f"unknown operator {show(operator)}, expected one of {' '.join(TESTS)}",
            end - len(operator),
            end,
            expected=list(TESTS),
        )
    cursor.skip_blanks()
    has_keyword = cursor.position > end and cursor.sees(tokens.KEYWORD)
    if cursor.at_end or cursor.sees_any("|)") or has_keyword:
        written = cursor.text[start:end]
        raise cursor.error(f"expected a value after {show(written)}", start, end, ["a value"])
    return TESTS[operator](cursor, name)


def parse_match(cursor: Cursor, name: str) -> Filter:
    start = cursor.position
    parts = parse_value(cursor, wildcards="*?")
    if parts == (Wildcard.ANY,):
        return Exists(name)
    return Match(name, make_pattern(cursor, start, parts))


def make_pattern(cursor: Cursor, start: int, parts: tuple[str | Wildcard, ...]) -> Pattern:
    """The pattern that was read from `start`; with wildcards its length has a limit."""
    pattern = Pattern(parts)
    length = cursor.position - start
    if pattern.text is None and length > MAX_PATTERN_LENGTH:
        message = f"a pattern of {length} characters, expected at most {MAX_PATTERN_LENGTH}"
        raise cursor.error(message, start, cursor.position)
    return pattern


def parse_mismatch(cursor: Cursor, name: str) -> Filter:
    return Not(parse_match(cursor, name))


def parse_exact(cursor: Cursor, name: str) -> Filter:
    parts = parse_value(cursor, wildcards="")
    return Exact(name, "".join(part for part in parts if isinstance(part, str)))


def parse_compare(operator: Comparison, cursor: Cursor, name: str) -> Filter:
    start = cursor.position
    number = cursor.take(tokens.NUMBER)
    if number is None or not cursor.sees(tokens.END_OF_VALUE):
        cursor.position = start
        raise cursor.unexpected(["a number"])
    value = tokens.decode_number(number)
    if value is None:
        message = f"the number {show(number)} is too large, expected at most 1e308"
        raise cursor.error(message, start, cursor.position, ["a number"])
    return Compare(name, operator, value)


TESTS: dict[str, Callable[[Cursor, str], Filter]] = {
    ":": parse_match,
    "=": parse_match,
    "!=": parse_mismatch,
    ":=": parse_exact,
    "==": parse_exact,
    ">": partial(parse_compare, ">"),
    ">=": partial(parse_compare, ">="),
    "<": partial(parse_compare, "<"),
    "<=": partial(parse_compare, "<="),
    ":>": partial(parse_compare, ">"),
    ":>=": partial(parse_compare, ">="),
    ":<": partial(parse_compare, "<"),
    ":<=": partial(parse_compare, "<="),
}


def parse_value(cursor: Cursor, wildcards: str) -> tuple[str | Wildcard, ...]:
    """The pieces of a value; inside quotes nothing is wild."""
    parts: tuple[str | Wildcard, ...]
    quoted = cursor.take_quoted()
    if quoted is not None:
        parts = Pattern.literal(quoted).parts
    elif cursor.sees_any(tokens.VALUE_STARTS_RESERVED):
        raise cursor.unexpected(["a value"])
    else:
        start = cursor.position
        raw = cursor.take(tokens.VALUE)
        assert raw is not None, "the caller saw a value"
        if wildcards:
            refuse_reserved_form(cursor, start, raw)
        parts = tokens.decode_run(raw, wildcards)
    if not cursor.sees(tokens.END_OF_VALUE):
        raise cursor.unexpected(["a blank after the value"])
    return parts


def parse_word(cursor: Cursor) -> Filter:
    """Unquoted text. Stars at its ends add nothing to a search for a substring."""
    if cursor.sees_any("{"):
        raise cursor.unexpected(FILTER_EXPECTED)
    start = cursor.position
    raw = cursor.take(tokens.WORD)
    if raw is None:
        raise cursor.unexpected(FILTER_EXPECTED)
    if raw.startswith("/"):
        refuse_reserved_form(cursor, start, raw)
    if tokens.ALL_FIELDS.match(raw):
        return parse_all_fields(cursor, start, raw)
    parts = list(tokens.decode_run(raw, wildcards="*"))
    if parts[0] is Wildcard.ANY:
        del parts[0]
    if parts and parts[-1] is Wildcard.ANY:
        del parts[-1]
    if not parts:
        return Everything()
    pattern = make_pattern(cursor, start, tuple(parts))
    return Match(MESSAGE, pattern) if pattern.text is None else Word(pattern.text)


def parse_all_fields(cursor: Cursor, start: int, raw: str) -> Filter:
    if raw == "*:*":
        return Everything()
    message = f"{show(raw)} does not name a field, expected a field name before the colon"
    raise cursor.error(message, start, start + 1, ["a field name"])


def refuse_reserved_form(cursor: Cursor, start: int, raw: str) -> None:
    form = tokens.name_reserved_form(raw)
    if form is None:
        return
    raise cursor.error(
        f"{show(raw)} reads as {form}, expected text; quote it to match it as it stands",
        start,
        cursor.position,
        ["text"],
        cursor.replace(start, cursor.position, tokens.quote(raw)),
    )

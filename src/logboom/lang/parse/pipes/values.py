"""Pipes that change values in place: `fillnull` and `replace`."""

from logboom.lang.ast import FillNull, Replace
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    goes_on,
    parentheses,
    parse_names,
    parse_text,
    take_comma,
)
from logboom.lang.parse.pipes.translated.rewritten import check_all_replaced
from logboom.lang.tokens import decode_number

BOOLEANS = {"true": True, "false": False}
DEFAULT_VALUE = 0


def parse_fill_null(cursor: Cursor) -> FillNull:
    """`fillnull [value=]0 [field, …]`; a value is a number, true, false or quoted, or follows `value=`."""
    value: str | int | float | bool = DEFAULT_VALUE
    if cursor.take(tokens.VALUE) or cursor.sees(tokens.PLAIN_VALUE):
        value = parse_value(cursor)
        take_comma(cursor)
    return FillNull(value, () if ends_pipe(cursor) else parse_names(cursor))


def parse_value(cursor: Cursor) -> str | int | float | bool:
    start = cursor.position
    written = cursor.take(tokens.NUMBER)
    if written is not None:
        cursor.skip_blanks()
        number = decode_number(written)
        if number is None:
            message = f"the number {show(written)} is too large, expected at most 1e308"
            raise cursor.error(message, start, cursor.position, ["a number"])
        return number
    if boolean := cursor.take(tokens.BOOLEAN):
        return BOOLEANS[boolean.strip().lower()]
    return parse_text(cursor, "a value")


def parse_replace(cursor: Cursor) -> Replace:
    """`replace "old" with "new", … [in field, …]`, or `replace ("old", "new") at field`."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            pairs = [parse_pair(cursor, is_parenthesised=True)]
    else:
        pairs = [parse_pair(cursor)]
        while goes_on(cursor, tokens.IN):
            pairs.append(parse_pair(cursor))
    fields = parse_names(cursor, tokens.LIMIT) if cursor.take(tokens.IN) else ()
    check_all_replaced(cursor)
    return Replace(tuple(pairs), fields)


def parse_pair(cursor: Cursor, is_parenthesised: bool = False) -> tuple[str, str]:
    start = cursor.position
    old = parse_text(cursor)
    if not old:
        message = "an empty text cannot be replaced, expected some text"
        raise cursor.error(message, start, cursor.position, ["a text in quotes"])
    has_divider = take_comma(cursor) if is_parenthesised else cursor.take(tokens.WITH)
    if not has_divider:
        raise cursor.unexpected(["," if is_parenthesised else "with"])
    return old, parse_text(cursor)

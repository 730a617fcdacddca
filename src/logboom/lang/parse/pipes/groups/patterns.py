"""Pipes that group by constant parts and by change: `patterns` and `diff`."""

from logboom.lang.ast import MESSAGE, Diff, Patterns, Quantity
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import ends_pipe, parentheses, parse_group_names, parse_name
from logboom.lang.parse.quantities import parse_duration
from logboom.lang.tokens import PIPE_KEYWORD


def parse_patterns(cursor: Cursor) -> Patterns:
    """`patterns [from field] [by field, …]`."""
    field = MESSAGE
    if cursor.take(tokens.FROM) or not (ends_pipe(cursor) or cursor.sees(PIPE_KEYWORD)):
        field = parse_name(cursor)
    return Patterns(field, parse_group_names(cursor))


def parse_diff(cursor: Cursor) -> Diff:
    """`diff (previous 1h) [by field, …]`."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            previous = parse_previous(cursor)
    else:
        previous = parse_previous(cursor)
    return Diff(previous, parse_group_names(cursor))


def parse_previous(cursor: Cursor) -> Quantity:
    if not cursor.take(tokens.PREVIOUS):
        raise cursor.unexpected(["previous 1h"])
    previous = parse_duration(cursor)
    cursor.skip_blanks()
    return previous

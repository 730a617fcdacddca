"""Pipes that choose and name columns: `fields`, `drop` and `rename`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Drop, Fields, Rename
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import goes_on, parentheses, parse_wild_name

NOT_AS = compile_later(r"(?:to\b|->)\s*+", re.IGNORECASE)


def parse_fields(cursor: Cursor) -> Fields | Drop:
    """`fields a, b*`; `fields - a` drops."""
    if cursor.take_character("-"):
        cursor.skip_blanks()
        return parse_drop(cursor)
    cursor.take_character("+")
    cursor.skip_blanks()
    return Fields(parse_wild_names(cursor))


def parse_drop(cursor: Cursor) -> Drop:
    return Drop(parse_wild_names(cursor))


def parse_wild_names(cursor: Cursor) -> tuple[str, ...]:
    if not cursor.sees_any("("):
        return parse_bare_wild_names(cursor)
    with parentheses(cursor):
        return parse_bare_wild_names(cursor)


def parse_bare_wild_names(cursor: Cursor) -> tuple[str, ...]:
    names = [parse_wild_name(cursor)]
    while goes_on(cursor):
        names.append(parse_wild_name(cursor))
    return tuple(names)


def parse_rename(cursor: Cursor) -> Rename:
    """`rename a as b, …`; `rename a.* as b.*` for many at once."""
    pairs = [parse_pair(cursor)]
    while goes_on(cursor):
        pairs.append(parse_pair(cursor))
    return Rename(tuple(pairs))


def parse_pair(cursor: Cursor) -> tuple[str, str]:
    old = parse_wild_name(cursor)
    if not cursor.take(tokens.AS):
        start = cursor.position
        end = start + len(cursor.take(NOT_AS) or "")
        cursor.position = start
        repaired = f"{cursor.text[:start].rstrip()} as {cursor.text[end:]}"
        raise cursor.unexpected(["as"], repaired)
    return old, parse_wild_name(cursor, "a new name")

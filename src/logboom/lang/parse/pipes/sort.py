"""`sort`, and the keys that others sort by as well."""

import re
from dataclasses import replace

from logboom.lang.ast import Sort, SortKey
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import NEVER, goes_on, parentheses, parse_count, parse_name


def parse_sort(cursor: Cursor) -> Sort:
    """`sort [by] -a, b [limit 10]`, or `sort by (a desc, b)`; a limit of 0 is none."""
    limit = None
    if cursor.take(tokens.LIMIT) or cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor) or None
    cursor.take(tokens.BY)
    keys = parse_sort_keys(cursor, tokens.LIMIT)
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor) or None
    return Sort(keys, limit)


def parse_sort_keys(cursor: Cursor, stop: re.Pattern[str] = NEVER) -> tuple[SortKey, ...]:
    """Behind parentheses `desc` turns all keys in them."""
    if not cursor.sees_any("("):
        return parse_bare_sort_keys(cursor, stop)
    with parentheses(cursor):
        keys = parse_bare_sort_keys(cursor, NEVER)
    if cursor.take(tokens.DESCENDING):
        return tuple(replace(key, descending=not key.descending) for key in keys)
    cursor.take(tokens.ASCENDING)
    return keys


def parse_bare_sort_keys(cursor: Cursor, stop: re.Pattern[str]) -> tuple[SortKey, ...]:
    keys = [parse_sort_key(cursor)]
    while goes_on(cursor, stop):
        keys.append(parse_sort_key(cursor))
    return tuple(keys)


def parse_sort_key(cursor: Cursor) -> SortKey:
    """`field`, `-field`, `+field`, `field desc` or `field asc`, and the blanks after it."""
    descending = cursor.take_character("-")
    if not descending:
        cursor.take_character("+")
    cursor.skip_blanks()
    field = parse_name(cursor, "a field to sort by")
    if cursor.take(tokens.DESCENDING):
        descending = True
    else:
        cursor.take(tokens.ASCENDING)
    return SortKey(field, descending)

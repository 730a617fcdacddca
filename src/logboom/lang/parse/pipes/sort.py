"""`sort`, and the keys that others sort by as well."""

import re
from dataclasses import replace

from logboom.lang.ast import Sort, SortKey
from logboom.lang.format.values import format_name
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    NEVER,
    ends_pipe,
    goes_on,
    parentheses,
    parse_count,
    parse_name,
)


def parse_sort(cursor: Cursor) -> Sort:
    """`sort [by] -a, b [limit 10]`, or `sort by (a desc, b)`; a limit of 0 is none."""
    limit = None
    if cursor.take(tokens.LIMIT) or cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor) or None
    cursor.take(tokens.BY)
    start = cursor.position
    direction = cursor.take_match(tokens.DIRECTION)
    cursor.take(tokens.BY)
    if ends_pipe(cursor):
        raise cursor.unexpected(["a field to sort by"], suggest_key(cursor))
    keys = parse_sort_keys(cursor, tokens.LIMIT)
    if direction:
        keys = turn(cursor, start, keys, is_descending=direction["direction"].lower() == "desc")
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor) or None
    return Sort(keys, limit)


def suggest_key(cursor: Cursor) -> str:
    """The query with what is sorted by most: counts if there are any, else the time."""
    before, after = cursor.text[: cursor.position].rstrip(), cursor.text[cursor.position :]
    key = "-count" if re.search(r"\|\s*+(?:stats\s++count|top|rare)\b", before) else "-_time"
    return f"{before} {key} {after}".rstrip()


def turn(
    cursor: Cursor, start: int, keys: tuple[SortKey, ...], *, is_descending: bool
) -> tuple[SortKey, ...]:
    """The keys after a direction that stands before them; of several nobody can tell which it turns."""
    sign = "-" if is_descending else ""
    meant = ", ".join(sign + format_name(key.field) for key in keys)
    if len(keys) > 1 or keys[0].descending:
        message = "a direction before the fields, expected - before each field to turn"
        end = len(cursor.text[: cursor.position].rstrip())
        suggestion = cursor.replace(start, end, meant)
        raise cursor.error(message, start, cursor.position, ["-"], suggestion)
    cursor.read_as_meant(start, meant)
    return (replace(keys[0], descending=is_descending),)


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
    start = cursor.position
    sign = "-" if cursor.take_character("-") else ""
    if cursor.take(tokens.DASH):
        sign = "-"
        cursor.read_as_meant(start, sign)
    if not sign and cursor.take_character("+"):
        sign = "+"
    cursor.skip_blanks()
    field = parse_sort_field(cursor)
    order = cursor.position
    is_descending = bool(cursor.take(tokens.DESCENDING))
    is_ascending = not is_descending and bool(cursor.take(tokens.ASCENDING))
    if (sign == "-" and is_ascending) or (sign == "+" and is_descending):
        written = cursor.text[start : cursor.position].strip()
        message = f"{show(written)} asks for both directions, expected one of them"
        end = len(cursor.text[: cursor.position].rstrip())
        suggestion = cursor.replace(len(cursor.text[:order].rstrip()), end, "")
        raise cursor.error(message, start, end, ["-", "asc", "desc"], suggestion)
    return SortKey(field, descending=sign == "-" or is_descending)


def parse_sort_field(cursor: Cursor) -> str:
    """A field, which Splunk may say how to compare: `num(size)`; here numbers always are as numbers."""
    if not cursor.take(tokens.SORT_KIND):
        return parse_name(cursor, "a field to sort by")
    with parentheses(cursor):
        return parse_name(cursor, "a field to sort by")

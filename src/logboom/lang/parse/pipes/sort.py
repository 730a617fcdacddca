"""`sort`, `first` and `last`, and the keys that others sort by as well."""

import re

from msgspec.structs import replace

from logboom.lang.ast import Aggregate, Dedup, Key, Offset, Pipe, Sort, SortKey, StreamStats
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
    parse_names,
)


def parse_sort(cursor: Cursor) -> tuple[Pipe, ...]:
    """`sort [by] -a, b [limit 10]`, or `sort by (a desc, b)`, with LogsQL's options; a limit of 0 is no limit."""
    limit = None
    if cursor.take(tokens.LIMIT) or cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor) or None
    cursor.take(tokens.BY)
    start = cursor.position
    direction = cursor.take_match(tokens.DIRECTION)
    cursor.take(tokens.BY)
    if ends_pipe(cursor):
        raise cursor.unexpected(["a field to sort by"], suggest_key(cursor))
    keys = parse_sort_keys(cursor, tokens.SORT_OPTION)
    if direction:
        keys = turn(cursor, start, keys, is_descending=direction["direction"].lower() == "desc")
    return finish_sort(cursor, keys, limit)


def parse_first(cursor: Cursor) -> tuple[Pipe, ...]:
    """`first [10] by (key, …) [partition by (field, …)] [rank as name]`."""
    count = parse_count(cursor, least=1) if cursor.sees(tokens.NUMBER_START) else 1
    cursor.take(tokens.BY)
    keys = parse_sort_keys(cursor, tokens.SORT_OPTION)
    return finish_sort(cursor, keys, count)


def parse_last(cursor: Cursor) -> tuple[Pipe, ...]:
    """Parse `last`, which is `first` with the order of its keys reversed."""
    count = parse_count(cursor, least=1) if cursor.sees(tokens.NUMBER_START) else 1
    cursor.take(tokens.BY)
    keys = parse_sort_keys(cursor, tokens.SORT_OPTION)
    turned = tuple(SortKey(key.field, not key.descending) for key in keys)
    return finish_sort(cursor, turned, count)


def finish_sort(cursor: Cursor, keys: tuple[SortKey, ...], limit: int | None) -> tuple[Pipe, ...]:
    """Parse what may follow the keys: `limit`, `offset`, `partition by` and `rank`."""
    groups: tuple[str, ...] = ()
    rank, skipped = None, 0
    while not ends_pipe(cursor):
        if cursor.take(tokens.PARTITION_BY):
            groups = parse_names(cursor, tokens.SORT_OPTION)
        elif cursor.take(tokens.LIMIT):
            limit = parse_count(cursor) or None
        elif cursor.take(tokens.OFFSET):
            skipped = parse_count(cursor)
        elif cursor.take(tokens.RANK):
            rank = take_rank(cursor)
        else:
            break
    return (*list_sorting(cursor, keys, groups, limit, skipped), *list_rank(rank, groups))


def list_sorting(
    cursor: Cursor,
    keys: tuple[SortKey, ...],
    groups: tuple[str, ...],
    limit: int | None,
    skipped: int,
) -> tuple[Pipe, ...]:
    if not groups:
        most = None if limit is None else limit + skipped
        return (Sort(keys, most), Offset(skipped)) if skipped else (Sort(keys, limit),)
    if limit is None or skipped:
        raise cursor.unexpected(["limit 10"])
    return (Dedup(groups, limit, keys),)


def take_rank(cursor: Cursor) -> str:
    """Return the name after `rank`, with or without `as`."""
    is_named = cursor.take(tokens.AS) or not ends_pipe(cursor)
    return parse_name(cursor) if is_named else "rank"


def list_rank(name: str | None, groups: tuple[str, ...]) -> tuple[Pipe, ...]:
    """Return the pipes that add the place of each row, counted from 1 in each group."""
    if name is None:
        return ()
    keys = tuple(map(Key, groups))
    return (StreamStats((Aggregate("count", name=name),), keys),)


def suggest_key(cursor: Cursor) -> str:
    """Return the query with the most likely sort key: counts if there are any, else the time."""
    before, after = cursor.text[: cursor.position].rstrip(), cursor.text[cursor.position :]
    key = "-count" if re.search(r"\|\s*+(?:stats\s++count|top|rare)\b", before) else "-_time"
    return f"{before} {key} {after}".rstrip()


def turn(
    cursor: Cursor, start: int, keys: tuple[SortKey, ...], *, is_descending: bool
) -> tuple[SortKey, ...]:
    """Return the keys after a direction that precedes them; with several keys it is ambiguous."""
    sign = "-" if is_descending else ""
    meant = ", ".join(sign + format_name(key.field) for key in keys)
    if len(keys) > 1 or keys[0].descending:
        message = "a direction before the fields, expected - before each field in descending order"
        end = len(cursor.text[: cursor.position].rstrip())
        suggestion = cursor.replace(start, end, meant)
        raise cursor.error(message, start, cursor.position, ["-"], suggestion)
    cursor.read_as_meant(start, meant)
    return (replace(keys[0], descending=is_descending),)


def parse_sort_keys(cursor: Cursor, stop: re.Pattern[str] = NEVER) -> tuple[SortKey, ...]:
    """Parse keys; after parentheses `desc` applies to all keys in them."""
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
    if ends_pipe(cursor):
        return SortKey(field, descending=sign == "-")
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
    """Parse a field, perhaps in a call such as Splunk's `num(size)`; numbers are always compared as numbers."""
    if not cursor.take(tokens.SORT_KIND):
        return parse_name(cursor, "a field to sort by")
    with parentheses(cursor):
        return parse_name(cursor, "a field to sort by")

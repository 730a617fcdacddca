"""Pipes that add rows or columns from elsewhere: `join`, `union` and `lookup`."""

import re
from typing import Literal, TypeAlias

from logboom.lang.ast import Join, Lookup, Union
from logboom.lang.format.values import format_name
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import leave_out_options, take_options
from logboom.lang.parse.pipes.parts import (
    goes_on,
    parse_count,
    parse_name,
    parse_names,
    parse_subquery,
)

JoinKind: TypeAlias = Literal["inner", "left"]
JOIN_KINDS: dict[str, JoinKind] = {"inner": "inner", "left": "left", "outer": "left"}


def parse_join(cursor: Cursor) -> Join:
    """`join [by] field, … [inner|left] (query)`; the kind may come first as `type=left`, or last."""
    kind, most = take_join_options(cursor, None, 1)
    is_by = cursor.take(tokens.BY) is not None
    has_parentheses = is_by and cursor.sees_any("(")
    cursor.take(tokens.ON)
    fields = parse_names(cursor, tokens.JOIN_OPTION)
    kind, most = take_join_options(cursor, take_kind(cursor) or kind, most)
    query = parse_subquery(cursor)
    kind = take_kind(cursor) or kind
    if kind is None and has_parentheses:
        kind = read_as_left(cursor)
    return Join(fields, query, kind or "inner", most)


def take_join_options(
    cursor: Cursor, kind: JoinKind | None, most: int
) -> tuple[JoinKind | None, int]:
    while True:
        if cursor.take(tokens.TYPE):
            kind = parse_type(cursor)
        elif cursor.take(tokens.MAX):
            most = parse_count(cursor)
        elif options := take_options(cursor, ("usetime", "earlier", "overwrite", "left", "right")):
            leave_out_options(cursor, options)
        else:
            return kind, most


def read_as_left(cursor: Cursor) -> JoinKind:
    """Add the notice that the join keeps rows without a partner, as in LogsQL, and return that kind."""
    end = len(cursor.text[: cursor.position].rstrip())
    message = "join by (…) keeps rows without a partner as in LogsQL, write inner to leave them out"
    cursor.notice("read_as_meant", message, alt=cursor.replace(end, end, " inner"))
    return "left"


def parse_type(cursor: Cursor) -> JoinKind:
    start = cursor.position
    kind = JOIN_KINDS.get(parse_name(cursor, "inner or left").lower())
    if kind is None:
        cursor.position = start
        raise cursor.unexpected(list(JOIN_KINDS))
    return kind


def take_kind(cursor: Cursor) -> JoinKind | None:
    match = cursor.take_match(tokens.JOIN_KIND)
    return JOIN_KINDS[match["kind"].lower()] if match else None


def parse_union(cursor: Cursor) -> Union:
    """`union (query)`."""
    leave_out_options(cursor, take_options(cursor, ("extendtimerange", "maxtime", "maxout")))
    return Union(parse_subquery(cursor))


def parse_lookup(cursor: Cursor) -> Lookup:
    """`lookup table column [as field], … [output column [as field], …]`."""
    leave_out_options(cursor, take_options(cursor, ("local", "update", "event_time_field")))
    table = parse_name(cursor, "the name of a table")
    start = cursor.position
    keys = parse_pairs(cursor, tokens.OUTPUT)
    if len(keys) == 1 and keys[0][0] != keys[0][1]:
        add_order_notice(cursor, start, *keys[0])
    keyword = cursor.take(tokens.OUTPUT)
    outputs = parse_pairs(cursor, tokens.OUTPUT) if keyword else ()
    return Lookup(table, keys, outputs, bool(keyword) and "new" in (keyword or "").lower())


def parse_pairs(cursor: Cursor, stop: re.Pattern[str]) -> tuple[tuple[str, str], ...]:
    pairs = [parse_pair(cursor)]
    while goes_on(cursor, stop):
        pairs.append(parse_pair(cursor))
    return tuple(pairs)


def parse_pair(cursor: Cursor) -> tuple[str, str]:
    """Parse a column of the table, and the field that it equals or becomes."""
    column = parse_name(cursor, "a column of the table")
    return column, parse_name(cursor) if cursor.take(tokens.AS) else column


def add_order_notice(cursor: Cursor, start: int, column: str, field: str) -> None:
    """Add the notice how two names were read: both may be columns, and their order differs between languages."""
    end = len(cursor.text[: cursor.position].rstrip())
    message = (
        f"{show(column)} is read as the column of the table and {show(field)} as the field, as in Splunk, "
        "unless the table has only the other one"
    )
    alternative = cursor.replace(start, end, f"{format_name(field)} as {format_name(column)}")
    cursor.notice("read_as_meant", message, alt=alternative)

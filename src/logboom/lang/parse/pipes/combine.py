"""Pipes that bring in rows or columns from elsewhere: `join`, `union` and `lookup`."""

from typing import Literal, TypeAlias

from logboom.lang.ast import Join, Lookup, Union
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import parse_name, parse_names, parse_subquery

JoinKind: TypeAlias = Literal["inner", "left"]
JOIN_KINDS: dict[str, JoinKind] = {"inner": "inner", "left": "left", "outer": "left"}


def parse_join(cursor: Cursor) -> Join:
    """`join [by] field, … [inner|left] (query)`; the kind may come first as `type=left`, or last."""
    kind = parse_type(cursor) if cursor.take(tokens.TYPE) else None
    cursor.take(tokens.ON)
    fields = parse_names(cursor, tokens.JOIN_KIND)
    kind = take_kind(cursor) or kind
    query = parse_subquery(cursor)
    return Join(fields, query, take_kind(cursor) or kind or "inner")


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
    return Union(parse_subquery(cursor))


def parse_lookup(cursor: Cursor) -> Lookup:
    """`lookup table field [as key] [output column, …]`."""
    table = parse_name(cursor, "the name of a table")
    field = parse_name(cursor)
    key = parse_name(cursor, "a column of the table") if cursor.take(tokens.AS) else field
    outputs = parse_names(cursor) if cursor.take(tokens.OUTPUT) else ()
    return Lookup(table, field, key, outputs)

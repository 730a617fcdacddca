"""Pipes that count values: `top` and `rare`."""

from logboom.lang.ast import Rare, Top
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    parse_count,
    parse_group_names,
    parse_names,
)


def parse_top(cursor: Cursor) -> Top:
    """`top [5] field, … [by field, …]`, or `top 5 by (field, …)`."""
    return Top(*parse_rank(cursor))


def parse_rare(cursor: Cursor) -> Rare:
    return Rare(*parse_rank(cursor))


def parse_rank(cursor: Cursor) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Fields, limit and groups."""
    limit = DEFAULT_COUNT
    if cursor.take(tokens.LIMIT) or cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor, least=1)
    fields = parse_group_names(cursor, tokens.LIMIT) or parse_names(cursor, tokens.LIMIT)
    by = parse_group_names(cursor, tokens.LIMIT)
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor, least=1)
    return fields, limit, by

"""Pipes that count values: `top` and `rare`."""

from logboom.lang.ast import Rare, Top
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.format.values import format_name
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    parse_count,
    parse_group_names,
    parse_names,
)

RANK_OPTION = tokens.any_of(tokens.LIMIT, tokens.LAST_COUNT, tokens.ASCENDING, tokens.DESCENDING)


def parse_top(cursor: Cursor) -> Top:
    """`top [5] field, … [by field, …]`, or `top 5 by (field, …)`."""
    return Top(*parse_rank(cursor))


def parse_rare(cursor: Cursor) -> Rare:
    return Rare(*parse_rank(cursor))


def parse_rank(cursor: Cursor) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Fields, limit and groups."""
    start = cursor.position
    limit = DEFAULT_COUNT
    if cursor.take(tokens.LIMIT) or cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor, least=1)
    fields = parse_group_names(cursor, RANK_OPTION) or parse_names(cursor, RANK_OPTION)
    check_not_sorting(cursor, start, fields, limit)
    limit = take_last_count(cursor) or limit
    by = parse_group_names(cursor, tokens.LIMIT)
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor, least=1)
    return fields, limit, by


def take_last_count(cursor: Cursor) -> int | None:
    """The number in `top host 10`."""
    start = cursor.position
    if not cursor.sees(tokens.LAST_COUNT):
        return None
    count = parse_count(cursor, least=1)
    cursor.read_as_meant(start, f"limit={count}")
    return count


def check_not_sorting(cursor: Cursor, start: int, fields: tuple[str, ...], limit: int) -> None:
    """`top 10 by latency desc` sorts rows in Kusto; here it would count values."""
    if not (cursor.sees(tokens.DESCENDING) or cursor.sees(tokens.ASCENDING)):
        return
    sign = "-" if cursor.take(tokens.DESCENDING) else ""
    cursor.take(tokens.ASCENDING)
    keys = ", ".join(sign + format_name(field) for field in fields)
    name = cursor.text.rfind("top", 0, start)
    repaired = f"sort {keys} limit {limit} "
    suggestion = cursor.replace(name, cursor.position, repaired).rstrip() if name >= 0 else None
    message = "top counts values and has no order, write sort for the first rows"
    raise cursor.error(message, start, cursor.position, ["|", "the end"], suggestion)

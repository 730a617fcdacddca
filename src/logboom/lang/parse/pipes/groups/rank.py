"""Pipes that count values: `top` and `rare`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Drop, Pipe, Rare, Rename, Top
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.format.values import format_name
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import FALSE, read_flag, take_options
from logboom.lang.parse.pipes.parts import (
    MAX_COUNT,
    parse_count,
    parse_group_names,
    parse_name,
    parse_names,
)
from logboom.lang.parse.pipes.sort import list_rank, take_rank

SHOWN_OPTIONS = ("showperc", "showcount", "countfield", "percentfield", "useother", "otherstr")
SHOWN_OPTION = compile_later(rf"(?:{'|'.join(SHOWN_OPTIONS)})\s*+=", re.IGNORECASE)
RANK_OPTION = tokens.any_of(
    *(tokens.LIMIT, tokens.LAST_COUNT, tokens.ASCENDING, tokens.DESCENDING),
    *(tokens.HITS, tokens.RANK, SHOWN_OPTION),
)


def parse_top(cursor: Cursor) -> tuple[Pipe, ...]:
    """`top [5] field, … [by field, …]`, or `top 5 by (field, …) [hits as name] [rank [as name]]`."""
    shown = Shown()
    top = Top(*parse_rank(cursor, shown))
    if cursor.take(tokens.HITS):
        shown.options["countfield"] = parse_name(cursor)
    rank = take_rank(cursor) if cursor.take(tokens.LAST_RANK) else None
    first, *changes = shown.change(top)
    return first, *list_rank(rank, top.by), *changes


def parse_rare(cursor: Cursor) -> tuple[Pipe, ...]:
    shown = Shown()
    return shown.change(Rare(*parse_rank(cursor, shown)))


class Shown:
    """The names of the count columns, and which are shown, according to Splunk's options."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}

    def read(self, cursor: Cursor) -> None:
        self.options |= take_options(cursor, SHOWN_OPTIONS)
        for name in ("useother", "otherstr"):
            if self.options.pop(name, "f").lower() not in FALSE:
                cursor.notice("read_as_meant", f"{name}= is ignored")
        for name in ("showperc", "showcount"):
            if name in self.options:
                read_flag(cursor, cursor.position, name, self.options[name])

    def change(self, rank: Top | Rare) -> tuple[Pipe, ...]:
        hidden = [
            column
            for option, column in (("showcount", "count"), ("showperc", "percent"))
            if self.options.get(option, "t").lower() in FALSE
        ]
        renamed = [
            (column, self.options[option])
            for option, column in (("countfield", "count"), ("percentfield", "percent"))
            if option in self.options and column not in hidden
        ]
        drop = (Drop(tuple(hidden)),) if hidden else ()
        rename = (Rename(tuple(renamed)),) if renamed else ()
        return (rank, *drop, *rename)


def parse_rank(cursor: Cursor, shown: Shown) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Parse fields, limit and groups; a limit of 0 is no limit."""
    start = cursor.position
    limit = DEFAULT_COUNT
    shown.read(cursor)
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor) or MAX_COUNT
    elif cursor.sees(tokens.NUMBER_START):
        limit = parse_count(cursor, least=1)
    shown.read(cursor)
    fields = parse_group_names(cursor, RANK_OPTION) or parse_names(cursor, RANK_OPTION)
    check_not_sorting(cursor, start, fields, limit)
    shown.read(cursor)
    limit = take_last_count(cursor) or limit
    by = parse_group_names(cursor, RANK_OPTION)
    if cursor.take(tokens.LIMIT):
        limit = parse_count(cursor) or MAX_COUNT
    shown.read(cursor)
    return fields, limit, by


def take_last_count(cursor: Cursor) -> int | None:
    """Return the number in `top host 10`."""
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

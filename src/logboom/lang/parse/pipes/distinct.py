"""Pipes that drop repetitions: `dedup` and `uniq`."""

from logboom.lang.ast import Dedup, SortKey, Uniq
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import parse_count, parse_names
from logboom.lang.parse.pipes.sort import parse_sort_keys


def parse_dedup(cursor: Cursor) -> Dedup:
    """`dedup field, … [keep 2] [sort -_time, …]`, or `dedup 2 field, …`."""
    keep = 1
    if cursor.take(tokens.KEEP) or cursor.sees(tokens.NUMBER_START):
        keep = parse_count(cursor, least=1)
    cursor.take(tokens.BY)
    fields = parse_names(cursor, tokens.DEDUP_OPTION)
    keys: tuple[SortKey, ...] = ()
    while True:
        if cursor.take(tokens.KEEP):
            keep = parse_count(cursor, least=1)
        elif cursor.take(tokens.SORT):
            cursor.take(tokens.BY)
            keys = parse_sort_keys(cursor, tokens.KEEP)
        else:
            return Dedup(fields, keep, keys)


def parse_uniq(cursor: Cursor) -> Uniq:
    """`uniq [by] field, …`."""
    cursor.take(tokens.BY)
    return Uniq(parse_names(cursor))

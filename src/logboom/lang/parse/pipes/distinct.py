"""Pipes that drop repetitions: `dedup` and `uniq`."""

from logboom.lang.ast import Dedup, Limit, Pipe, SortKey, Uniq
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import read_flag, take_options
from logboom.lang.parse.pipes.parts import ends_pipe, parse_count, parse_names
from logboom.lang.parse.pipes.sort import parse_sort_keys

DEDUP_OPTIONS = ("consecutive", "keepevents", "keepempty")
UNIQ_OPTION = tokens.any_of(tokens.WITH_HITS, tokens.LIMIT)


def parse_dedup(cursor: Cursor) -> Dedup:
    """`dedup field, … [keep 2] [sort -_time, …]`, or `dedup 2 field, …`."""
    keep = 1
    if cursor.take(tokens.KEEP) or cursor.sees(tokens.NUMBER_START):
        keep = parse_count(cursor, least=1)
    cursor.take(tokens.BY)
    take_dedup_options(cursor)
    fields = parse_names(cursor, tokens.DEDUP_OPTION)
    keys: tuple[SortKey, ...] = ()
    while True:
        take_dedup_options(cursor)
        if cursor.take(tokens.KEEP):
            keep = parse_count(cursor, least=1)
        elif cursor.take(tokens.SORT):
            cursor.take(tokens.BY)
            keys = parse_sort_keys(cursor, tokens.DEDUP_OPTION)
        else:
            return Dedup(fields, keep, keys)


def take_dedup_options(cursor: Cursor) -> None:
    """Raise InvalidQuery for Splunk options that change which rows are dropped."""
    start = cursor.position
    for name, value in take_options(cursor, DEDUP_OPTIONS).items():
        if read_flag(cursor, start, name, value):
            message = f"dedup has no option {name}, expected fields and how many rows to keep"
            raise cursor.error(message, start, cursor.position)


def parse_uniq(cursor: Cursor) -> tuple[Pipe, ...]:
    """`uniq [by] field, … [with hits] [limit 10]`."""
    start = cursor.position
    if cursor.take(tokens.SHELL_COUNT):
        raise counting_uniq(cursor, start)
    cursor.take(tokens.BY)
    fields = parse_names(cursor, UNIQ_OPTION)
    cursor.take(tokens.WITH_HITS)
    limit = (Limit(parse_count(cursor)),) if cursor.take(tokens.LIMIT) else ()
    return Uniq(fields), *limit


def counting_uniq(cursor: Cursor, start: int) -> InvalidQuery:
    """Return an error about `uniq -c`, which counts in the shell."""
    end = cursor.position
    name = cursor.text.lower().rfind("uniq", 0, start)
    field = "message " if ends_pipe(cursor) else ""
    suggestion = cursor.replace(name, end, f"stats count by {field}").rstrip()
    message = "uniq does not count, write stats count by the field"
    return cursor.error(message, start, end, ["a field name"], suggestion if name >= 0 else None)

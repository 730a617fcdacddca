"""Whole queries: a filter and the pipes after it."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Everything, Pipe, Query
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import parse_pipe
from logboom.lang.parse.pipes.sources import lift_filter
from logboom.lang.parse.terms import sees_firm_term
from logboom.lang.tokens import PIPE_ENDS, QUOTED_TEXT

SOURCE = compile_later(r"\|\s*+(?:search|tstats|mstats|multisearch)\s", re.IGNORECASE)
BARE_SOURCE = compile_later(
    r"(?:tstats|mstats|inputlookup|multisearch)\s++(?=[\w(\[])", re.IGNORECASE
)
OTHER_SOURCE = compile_later(
    r"(?:rest|makeresults|metadata|datamodel|savedsearch|loadjob|gentimes|dbxquery)\b(?!\s*+[:=])",
    re.IGNORECASE,
)
"""In brackets they need no bar either."""
OPTIONS = compile_later(
    r"options\((?P<options>\s*+[a-z_]++\s*+=\s*+[\w.]++\s*+(?:,\s*+[a-z_]++\s*+=\s*+[\w.]++\s*+)*+)\)\s*+"
)
FIRST_WORDS = frozenset("owsfWSF")
"""What these start with."""
SOURCE_LETTERS = frozenset("tmirdslgTMIRDSLG")
LEADING_PIPE = compile_later(r"(?:where|search|filter)\s++", re.IGNORECASE)
PIPED = compile_later(rf"(?:{QUOTED_TEXT}|[^\"'`|])++\|")
"""Text up to a pipe."""


def skip_leading_pipe(cursor: Cursor) -> None:
    """`where status = 500` without a bar: before the test of a field the word is ignored.

    So is `search` in `search error | stats count`: prose has no pipes.
    """
    start = cursor.position
    word = cursor.take(LEADING_PIPE)
    is_command = word is not None and word.strip().lower() == "search" and cursor.sees(PIPED)
    if word and (is_command or sees_firm_term(cursor)):
        message = f'"{word.strip()}" before the filter is ignored'
        cursor.notice(
            "read_as_meant",
            message,
            alt=cursor.replace(start, start + len(word), f'"{word.strip()}" '),
        )
    else:
        cursor.position = start


def skip_options(cursor: Cursor) -> None:
    """`options(concurrency=2)` of LogsQL says how to run a query, not what it finds."""
    start = cursor.position
    options = cursor.take_match(OPTIONS)
    if options is None:
        return
    if "time_offset" in options["options"]:
        message = "options cannot move the time range, expected _time:5m offset 1h"
        raise cursor.error(message, start, cursor.position)
    cursor.leave_out(start)


def parse_query(cursor: Cursor) -> Query:
    """Parse everything up to an unmatched closing parenthesis or the end."""
    cursor.skip_blanks()
    if cursor.next in FIRST_WORDS:
        skip_options(cursor)
        skip_leading_pipe(cursor)
    if sees_source(cursor):
        pipes = [*parse_pipe(cursor), *parse_pipes(cursor)]
        return lift_filter(Everything(), pipes, is_source=True)
    is_empty = cursor.next in PIPE_ENDS
    filter_ = Everything() if is_empty else parse_filter(cursor)
    is_source = is_empty and cursor.sees(SOURCE)
    return lift_filter(filter_, parse_pipes(cursor), is_source)


def parse_pipes(cursor: Cursor) -> list[Pipe]:
    pipes: list[Pipe] = []
    while cursor.take_character("|"):
        pipes += parse_pipe(cursor)
    return pipes


def sees_source(cursor: Cursor) -> bool:
    """Return whether a source of rows follows without its bar, as in `append [tstats count]`."""
    if cursor.next not in SOURCE_LETTERS:
        return False
    if cursor.sees(BARE_SOURCE):
        return True
    return cursor.sees(OTHER_SOURCE) and cursor.text[: cursor.position].rstrip()[-1:] == "["

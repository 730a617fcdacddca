"""Whole queries: a filter and the pipes after it."""

from logboom.lang.ast import Everything, Pipe, Query
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import parse_pipe


def parse_query(cursor: Cursor) -> Query:
    """Everything up to an unmatched closing parenthesis or the end."""
    cursor.skip_blanks()
    is_empty = cursor.at_end or cursor.sees_any("|)")
    filter_ = Everything() if is_empty else parse_filter(cursor)
    pipes: list[Pipe] = []
    while cursor.take_character("|"):
        pipes.append(parse_pipe(cursor))
    return Query(filter_, tuple(pipes))

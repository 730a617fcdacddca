"""Queries in brackets, as in Splunk: `[search query]` after a pipe, or as a test."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Dedup,
    Drop,
    Eval,
    Fields,
    Filter,
    InQuery,
    Limit,
    Offset,
    Pipe,
    Query,
    Rare,
    Rename,
    Sort,
    Stats,
    Tail,
    Top,
    Uniq,
    Where,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor
from logboom.lang.tokens import CURLY_DOUBLE, CURLY_SINGLE, QUOTED

SEARCH = compile_later(r"search(?![\w.@$/-])\s*+", re.IGNORECASE)
SUBSEARCH = compile_later(r"\[\s*+(?:search\s|\|)", re.IGNORECASE)
# An apostrophe inside a word opens no quote.
BRACKET_PIECE = compile_later(rf"(?:\w'|[^\[\]\"'`{CURLY_DOUBLE}{CURLY_SINGLE}])++")
# The result of a query in brackets is turned into a filter anyway.
FORMAT_LAST = compile_later(r"\|\s*+format\s*+\Z", re.IGNORECASE)
RESERVED = frozenset({"search", "query"})
"""Columns that contain a piece of a search in Splunk."""


def parse_subsearch(cursor: Cursor) -> Filter:
    """`[search query | fields ip]` in a filter: the field equals one of the values that the query finds."""
    start = cursor.position
    query = parse_bracketed(cursor)
    columns = list_columns(query.pipes)
    if columns is None or len(columns) != 1 or columns[0].lower() in RESERVED:
        message = (
            "a query in a filter must give one field, expected | fields with its name at the end"
        )
        raise cursor.error(message, start, cursor.position, ["| fields"])
    return InQuery(columns[0], query)


def list_columns(pipes: tuple[Pipe, ...]) -> list[str] | None:
    """Return the columns that pipes leave, None if unknown."""
    columns: list[str] | None = None
    for pipe in pipes:
        match pipe:
            case Fields(names):
                columns = None if any("*" in name for name in names) else list(names)
            case Stats():
                columns = [key.field for key in pipe.keys]
                columns += [aggregate.name for aggregate in pipe.aggregates]
            case Top() | Rare():
                columns = [*pipe.by, *pipe.fields, "count", "percent"]
            case Uniq(fields):
                columns = [*fields, "count"]
            case Rename(pairs) if columns is not None:
                new = dict(pairs)
                columns = [new.get(name, name) for name in columns]
            case Drop(names) if columns is not None:
                columns = [name for name in columns if name not in names]
            case Eval(assignments) if columns is not None:
                columns += [name for name, _ in assignments if name not in columns]
            case Where() | Sort() | Limit() | Tail() | Offset() | Dedup():
                pass
            case _:
                columns = None
    return columns


def parse_bracketed(cursor: Cursor) -> Query:
    """Parse a query in brackets; its text ends at the closing one, which a filter would take as text."""
    start = cursor.position
    end = find_bracket(cursor)
    whole = cursor.text
    cursor.text = FORMAT_LAST.sub("", whole[:end])
    cursor.position = start + 1
    cursor.skip_blanks()
    cursor.take(SEARCH)
    try:
        query = cursor.parse_subquery()
        if not cursor.at_end:
            raise cursor.unexpected(["|", "]"])
    except InvalidQuery as error:
        error.extend_suggestion(whole[end:])
        raise
    finally:
        cursor.text = whole
    cursor.position = end + 1
    cursor.skip_blanks()
    return query


def find_bracket(cursor: Cursor) -> int:
    """Return where the bracket that opens here is closed; those inside quotes do not count."""
    position, depth = cursor.position, 0
    while position < len(cursor.text):
        character = cursor.text[position]
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return position
        match = QUOTED.match(cursor.text, position) or BRACKET_PIECE.match(cursor.text, position)
        position = match.end() if match else position + 1
    message = 'this bracket is never closed, expected "]"'
    raise cursor.error(
        message, cursor.position, expected=["]"], suggestion=cursor.text.rstrip() + "]"
    )

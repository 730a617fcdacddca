"""Text to syntax tree: a query is a filter and the pipes after it."""

from logboom.lang.ast import Everything, Pipe, Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import parse_pipe

MAX_QUERY_BYTES = 64 * 1024


def parse(text: str) -> Query:
    """Raises InvalidQuery and nothing else; a suggestion in it is a query that parses."""
    check_text(text)
    try:
        return parse_query(Cursor(text))
    except InvalidQuery as error:
        if error.suggestion is not None and not is_query(error.suggestion):
            error.drop_suggestion()
        raise


def check_text(text: str) -> None:
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        message = "half of a surrogate pair is no character, expected valid Unicode"
        raise InvalidQuery(message, error.start, error.end) from error
    if size_bytes > MAX_QUERY_BYTES:
        message = f"the query has {size_bytes} bytes, expected at most {MAX_QUERY_BYTES}"
        raise InvalidQuery(message, 0, len(text))


def is_query(text: str) -> bool:
    try:
        check_text(text)
        parse_query(Cursor(text))
    except InvalidQuery:
        return False
    return True


def parse_query(cursor: Cursor) -> Query:
    cursor.skip_blanks()
    is_empty = cursor.at_end or cursor.sees_any("|")
    filter_ = Everything() if is_empty else parse_filter(cursor)
    pipes: list[Pipe] = []
    while cursor.take_character("|"):
        pipes.append(parse_pipe(cursor))
    if not cursor.at_end:
        place = cursor.position
        raise cursor.unexpected(["|", "the end"], cursor.replace(place, place + 1, ""))
    return Query(filter_, tuple(pipes))

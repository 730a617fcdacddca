"""Text to syntax tree, with notices about what could have been read otherwise."""

from collections.abc import Callable

from logboom.lang.ast import And, Filter, Or, Query, Word
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.notices import Notice, Reading
from logboom.lang.parse.cursor import MAX_DEPTH, Cursor, know_nothing
from logboom.lang.parse.query import parse_query
from logboom.lang.tokens import quote

__all__ = ["MAX_QUERY_BYTES", "parse", "read"]

MAX_QUERY_BYTES = 64 * 1024
MAX_LINE_LENGTH = 200
SAFE_DEPTH = MAX_DEPTH // 3


def parse(text: str) -> Query:
    """Raises InvalidQuery and nothing else; a suggestion in it is a query that parses."""
    return read(text).query


def read(text: str, knows: Callable[[str], bool] = know_nothing) -> Reading:
    """As `parse`, with notices; `knows` says whether there is a field of that name."""
    check_text(text)
    cursor = Cursor(text, parse_query, knows)
    try:
        query = parse_whole(cursor)
        check_canonical(cursor, query)
    except InvalidQuery as error:
        if error.suggestion is not None and not is_query(error.suggestion):
            error.drop_suggestion()
        raise
    if is_long_paste(text, query):
        message = "a long text is searched word by word, search it as a phrase to find it as it is"
        cursor.notice("long_paste", message, alt=quote(text.strip()))
    return Reading(query, tuple(map(check_alternative, cursor.notices)))


def check_text(text: str) -> None:
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        message = "half of a surrogate pair is no character, expected valid Unicode"
        raise InvalidQuery(message, error.start, error.end) from error
    if size_bytes > MAX_QUERY_BYTES:
        message = f"the query has {size_bytes} bytes, expected at most {MAX_QUERY_BYTES}"
        raise InvalidQuery(message, 0, len(text))


def parse_whole(cursor: Cursor) -> Query:
    query = parse_query(cursor)
    if not cursor.at_end:
        place = cursor.position
        raise cursor.unexpected(["|", "the end"], cursor.replace(place, place + 1, ""))
    return query


def check_canonical(cursor: Cursor, query: Query) -> None:
    """The canonical text has more parentheses, at most twice as many: it must not be too deep either."""
    if cursor.deepest > SAFE_DEPTH and not is_query(format_query(query)):
        raise cursor.error(f"nested deeper than {MAX_DEPTH} levels with all its parentheses", 0)


def is_query(text: str) -> bool:
    try:
        check_text(text)
        parse_whole(Cursor(text, parse_query))
    except InvalidQuery:
        return False
    return True


def check_alternative(notice: Notice) -> Notice:
    """The notice, without an alternative that turned out not to be a query."""
    alternative = notice.data.get("alt")
    if alternative is None or is_query(alternative):
        return notice
    data = {name: value for name, value in notice.data.items() if name != "alt"}
    return Notice(notice.code, notice.message, data)


def is_long_paste(text: str, query: Query) -> bool:
    """A line too long for a query, or several, made of words for the most part."""
    line = text.strip()
    is_long = len(line) > MAX_LINE_LENGTH or "\n" in line
    if not is_long or query.pipes or not isinstance(query.filter, And):
        return False
    terms = query.filter.terms
    return not any(map(is_group, terms)) and sum(map(is_word, terms)) * 2 > len(terms)


def is_group(term: Filter) -> bool:
    return isinstance(term, And | Or)


def is_word(term: Filter) -> bool:
    return isinstance(term, Word)

"""Parses text to a syntax tree, with notices about ambiguities."""

from itertools import islice

from logboom.lang.ast import And, Filter, Or, Query, Word
from logboom.lang.dialects import Dialect, find_dialect, merge_expressions
from logboom.lang.dialects.kusto.recognition import find_word
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.notices import Notice, Reading
from logboom.lang.parse.comments import blank_comments
from logboom.lang.parse.cursor import MAX_DEPTH, Cursor, show
from logboom.lang.parse.query import parse_query
from logboom.lang.parse.slips.fences import blank_fence
from logboom.lang.parse.slips.habits import find_slips
from logboom.lang.parse.slips.repairs import list_repairs
from logboom.lang.parse.slips.sentences import find_sentence
from logboom.lang.parse.slips.shell import find_meant
from logboom.lang.parse.splunk import has_splunk_pipes
from logboom.lang.tokens import quote

__all__ = ["MAX_QUERY_BYTES", "parse", "read", "read_canonical"]

MAX_QUERY_BYTES = 64 * 1024
MAX_LINE_LENGTH = 200
SAFE_DEPTH = MAX_DEPTH // 3
MAX_CORRECTED_LENGTH = 4096
"""Longer queries are machine-made, and each correction is parsed again."""
SHORT_LENGTH = 500
"""Queries of other languages that are this short cannot have too many regular expressions or levels."""
MAX_REPAIRS = 5
MAX_CORRECTIONS = 3
"""Corrections, one after the other, until a query with several mistakes is valid."""


def parse(text: str) -> Query:
    """Parse a query; raise InvalidQuery and nothing else, with a suggestion that can be parsed."""
    return read(text).query


def read(text: str) -> Reading:
    """Parse a query like `parse`, and return it with its notices."""
    check_text(text)
    text = blank_fence(text)
    dialect = find_dialect(text)
    try:
        if dialect is not None:
            return read_dialect(dialect, text)
        uncommented = blank_comments(text)
        meant = find_meant(uncommented)
        if meant is not None and is_query(meant):
            return read_meant(text, meant)
        cursor = Cursor(uncommented, parse_query)
        query = parse_checked(cursor)
    except InvalidQuery as error:
        suggestion = correct(error.suggestion)
        if suggestion is None and (dialect is None or dialect.has_repairs):
            suggestion = find_repair(text, error)
        is_good = suggestion is not None and is_query(suggestion)
        error.replace_suggestion(suggestion if is_good else None)
        raise
    if isinstance(query.filter, Word) and query.pipes and (word := find_word(text)) is not None:
        message = (
            f"{show(word)} is searched as a word, write index:{word} for the index of that name"
        )
        cursor.notice("read_as_text", message, alt=text.replace(word, f"index:{word}", 1))
    if is_long_paste(text, query):
        message = "a long text is searched word by word, search it as a phrase to find it as it is"
        cursor.notice("long_paste", message, alt=quote(text.strip()))
    sentence = find_sentence(uncommented)
    notices = [*cursor.notices, *([sentence] if sentence else [])]
    return Reading(query, tuple(map(check_alternative, notices)))


def read_canonical(text: str) -> Reading:
    """Read canonical text: by the grammar alone, without trying other languages or habits."""
    check_text(text)
    cursor = Cursor(text, parse_query)
    cursor.is_canonical = True
    return Reading(parse_whole(cursor))


def read_dialect(dialect: Dialect, text: str) -> Reading:
    """Read a query of another language; a notice has its translation."""
    query = dialect.read(text)
    canonical = format_query(query)
    if len(canonical.encode()) > MAX_QUERY_BYTES:
        message = f"read as {dialect.name} the query has more than {MAX_QUERY_BYTES} bytes"
        raise InvalidQuery(message, 0, len(text))
    if len(text) > SHORT_LENGTH and not is_shallow(canonical):
        query = merge_expressions(query)
        canonical = format_query(query)
    if len(text) > SHORT_LENGTH and not is_shallow(canonical):
        raise InvalidQuery(f"{dialect.name}: too long for one query", 0, len(text))
    data = {"read_as": canonical}
    return Reading(query, (Notice("read_as_dialect", f"read as {dialect.name}", data),))


def read_meant(text: str, meant: str) -> Reading:
    """Read the query that a shell command means; a notice has it."""
    reading = read(meant)
    message = f"{show(text.strip())} is read as {show(meant)}"
    notice = Notice("read_as_meant", message, {"alt": quote(text.strip())})
    return Reading(reading.query, (check_alternative(notice), *reading.notices))


def check_text(text: str) -> None:
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        message = "half of a surrogate pair is not a character, expected valid Unicode"
        raise InvalidQuery(message, error.start, error.end) from error
    if size_bytes > MAX_QUERY_BYTES:
        message = f"the query has {size_bytes} bytes, expected at most {MAX_QUERY_BYTES}"
        raise InvalidQuery(message, 0, len(text))


def parse_checked(cursor: Cursor, corrections: int = MAX_CORRECTIONS) -> Query:
    """Parse the query at the start of a cursor; suggestions in errors may need further corrections."""
    check_habits(cursor.text, corrections)
    cursor.is_splunk = has_splunk_pipes(cursor.text)
    query = parse_whole(cursor)
    check_canonical(cursor, query)
    return query


def is_shallow(canonical: str) -> bool:
    try:
        parse_whole(Cursor(canonical, parse_query))
    except InvalidQuery:
        return False
    return True


def correct(text: str | None, corrections: int = MAX_CORRECTIONS) -> str | None:
    """Return the text if it is a query, else the query that its corrections lead to."""
    if text is None or corrections < 0 or len(text) > MAX_CORRECTED_LENGTH:
        return None
    dialect = find_dialect(text)
    try:
        if dialect is not None:
            dialect.read(text)
        else:
            parse_checked(Cursor(text, parse_query), corrections)
    except InvalidQuery as error:
        return correct(error.suggestion, corrections - 1)
    return text


def find_repair(text: str, error: InvalidQuery) -> str | None:
    """Return the query that a small repair makes of an invalid text."""
    if len(text) > MAX_CORRECTED_LENGTH:
        return None
    repaired = map(correct, islice(list_repairs(text, error.end), MAX_REPAIRS))
    return next(filter(None, repaired), None)


def is_query(text: str) -> bool:
    return correct(text) == text


def check_habits(text: str, corrections: int) -> None:
    """Raise InvalidQuery if the text is written in another way that would be parsed as mere words."""
    for slip in find_slips(text):
        suggestion = correct(slip.suggestion, corrections - 1)
        if suggestion is not None:
            raise InvalidQuery(slip.message, slip.start, slip.end, (), suggestion)


def parse_whole(cursor: Cursor) -> Query:
    query = parse_query(cursor)
    if not cursor.at_end:
        place = cursor.position
        raise cursor.unexpected(["|", "the end"], cursor.replace(place, place + 1, ""))
    return query


def check_canonical(cursor: Cursor, query: Query) -> None:
    """Raise InvalidQuery if the canonical text, which may have more parentheses, is nested too deeply."""
    if cursor.deepest > SAFE_DEPTH and not is_shallow(format_query(query)):
        raise cursor.error(f"nested deeper than {MAX_DEPTH} levels with all its parentheses", 0)


def check_alternative(notice: Notice) -> Notice:
    """Return the notice, without an alternative that is not a valid query."""
    alternative = notice.data.get("alt")
    if alternative is None or is_query(alternative):
        return notice
    data = {name: value for name, value in notice.data.items() if name != "alt"}
    return Notice(notice.code, notice.message, data)


def is_long_paste(text: str, query: Query) -> bool:
    """Return whether a text was pasted: a line too long for a query, or several, mostly of words."""
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

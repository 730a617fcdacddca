"""Parts that pipes share: names and lists of them, counts, texts, queries in parentheses."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.pipes import WILD_NAME
from logboom.lang.functions import SHORT_PERCENTILE, find_aggregate, name_column
from logboom.lang.parse.brackets import parse_bracketed
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.tokens import BY, PIPE_ENDS, PIPE_KEYWORD

MAX_COUNT = 10**9
NEVER = compile_later(r"(?!)")


def ends_pipe(cursor: Cursor) -> bool:
    return cursor.text[cursor.position : cursor.position + 1] in PIPE_ENDS


def take(cursor: Cursor, pattern: re.Pattern[str]) -> bool:
    return cursor.take(pattern) is not None


def parse_name(cursor: Cursor, expected: str = "a field name") -> str:
    """Parse a name and the blanks after it; `as`, `by` and `if` are names only in quotes."""
    start = cursor.position
    name = None if cursor.sees(PIPE_KEYWORD) else cursor.take_name()
    return finish_name(cursor, start, with_argument(cursor, name), expected)


def with_argument(cursor: Cursor, name: str | None) -> str | None:
    """Return the name of a column made by an aggregate: `sort -sum(bytes)`."""
    if not name or not cursor.sees_any("("):
        return name
    is_aggregate = find_aggregate(name) or SHORT_PERCENTILE.fullmatch(name.lower())
    argument = cursor.take(tokens.ARGUMENT) if is_aggregate else None
    return name_column(name + argument) if argument else name


def parse_wild_name(cursor: Cursor, expected: str = "a field name") -> str:
    """Parse a name that may contain stars."""
    start = cursor.position
    name = None
    if not cursor.sees(PIPE_KEYWORD):
        name = cursor.take_bare_name(WILD_NAME) or cursor.take_name()
        name = with_argument(cursor, name)
    return finish_name(cursor, start, name, expected)


def finish_name(cursor: Cursor, start: int, name: str | None, expected: str) -> str:
    if not name:
        cursor.position = start
        raise cursor.unexpected([expected])
    cursor.skip_blanks()
    return name


def parse_names(cursor: Cursor, stop: re.Pattern[str] = NEVER) -> tuple[str, ...]:
    """Parse one or more names, in parentheses or not; a list of bare names ends where `stop` matches."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            return parse_bare_names(cursor, NEVER)
    return parse_bare_names(cursor, stop)


def parse_bare_names(cursor: Cursor, stop: re.Pattern[str]) -> tuple[str, ...]:
    names = [parse_name(cursor)]
    while goes_on(cursor, stop):
        names.append(parse_name(cursor))
    return tuple(names)


def goes_on(cursor: Cursor, stop: re.Pattern[str] = NEVER) -> bool:
    """Return whether a list continues: after a comma, which may be omitted, unless that comes last."""
    start = cursor.position
    if take_comma(cursor):
        is_last = ends_pipe(cursor) or cursor.sees(BY)
        if is_last:
            cursor.leave_out(start)
        return not is_last
    is_over = ends_pipe(cursor) or cursor.sees_any("([") or cursor.sees(PIPE_KEYWORD)
    return not is_over and not cursor.sees(stop)


def take_comma(cursor: Cursor) -> bool:
    taken = cursor.take_character(",")
    if taken:
        cursor.skip_blanks()
    return taken


def parse_group_names(cursor: Cursor, stop: re.Pattern[str] = NEVER) -> tuple[str, ...]:
    """Parse the names after `by`, if present."""
    return parse_names(cursor, stop) if cursor.take(tokens.BY) else ()


def parse_count(cursor: Cursor, least: int = 0, most: int = MAX_COUNT) -> int:
    """Parse a whole number and the blanks after it."""
    start = cursor.position
    quoted = cursor.take_match(tokens.QUOTED_COUNT) if cursor.sees_any('"') else None
    written = quoted["count"] if quoted else cursor.take(tokens.COUNT)
    if written is None:
        raise cursor.unexpected(["a whole number"])
    count = int(written) if len(written) <= len(str(MAX_COUNT)) else MAX_COUNT + 1
    if not least <= count <= most:
        message = f"{show(written)} is out of range, expected {least} to {most}"
        raise cursor.error(message, start, cursor.position, ["a whole number"])
    cursor.skip_blanks()
    return count


def parse_text(cursor: Cursor, expected: str = "a text in quotes") -> str:
    """Parse a text in quotes, or one bare word, and the blanks after it."""
    text = cursor.take_quoted()
    if text is None:
        text = cursor.take(tokens.BARE_TEXT)
    if text is None:
        raise cursor.unexpected([expected])
    cursor.skip_blanks()
    return text


def parse_quoted(cursor: Cursor, expected: str) -> str:
    """Parse a text in quotes and the blanks after it."""
    text = cursor.take_quoted()
    if text is None:
        raise cursor.unexpected([expected])
    cursor.skip_blanks()
    return text


def parentheses(cursor: Cursor) -> "Parentheses":
    """Return a context for what is in the parentheses that open here, which it consumes with the blanks after them."""
    start = cursor.position
    if not cursor.take_character("("):
        raise cursor.unexpected(["("])
    cursor.skip_blanks()
    return Parentheses(cursor, start)


class Parentheses:
    """The inside of parentheses, which opened at `start`."""

    def __init__(self, cursor: Cursor, start: int) -> None:
        self._cursor = cursor
        self._start = start
        self._nesting = cursor.nested(start)

    def __enter__(self) -> None:
        self._nesting.__enter__()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._nesting.__exit__()
        if kind is None:
            close(self._cursor, self._start)


def close(cursor: Cursor, start: int) -> None:
    """Consume the parenthesis that closes the one at `start`, and the blanks behind it."""
    if not cursor.take_character(")"):
        place = len(cursor.text[: cursor.position].rstrip())
        if not cursor.at_end and not cursor.sees_any("|"):
            raise cursor.unexpected([")"], cursor.replace(place, place, ")"))
        raise cursor.error(
            'this parenthesis is never closed, expected ")"',
            start,
            expected=[")"],
            suggestion=cursor.replace(place, place, ")"),
        )
    cursor.skip_blanks()


def parse_subquery(cursor: Cursor) -> Query:
    """`(query)`, or `[search query]` as Splunk has it, and the blanks after it."""
    if cursor.sees_any("["):
        return parse_bracketed(cursor)
    with parentheses(cursor):
        return cursor.parse_subquery()


@contextmanager
def up_to(cursor: Cursor, end: int) -> Iterator[None]:
    """Parse as if the text ended there; all of it must be consumed."""
    whole, cursor.text = cursor.text, cursor.text[:end]
    try:
        yield
        if not cursor.at_end:
            raise cursor.unexpected(["the end"])
    except InvalidQuery as error:
        error.extend_suggestion(whole[end:])
        raise
    finally:
        cursor.text = whole
    cursor.skip_blanks()

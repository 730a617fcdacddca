"""A position in the query text: look-ahead, consuming matches, errors, notices."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.functions import settle_quoted_column
from logboom.lang.notices import Notice, NoticeCode
from logboom.lang.parse.splunk import leave_out_macros
from logboom.lang.tokens import (
    BLANKS,
    MACRO,
    MESSAGE_NAMES,
    NAME,
    OTHER_BLANKS,
    QUOTED,
    QUOTES,
    SPLUNK_TOKEN,
    TOKEN,
    decode_quoted,
    quote,
    settle_name,
)

MAX_DEPTH = 100
MAX_SHOWN = 40
SUBQUERY_LEVELS = 10
PIPE_START = compile_later(r"(?<!\s)\s*+\|\s*+[A-Za-z]{3,}+\s")


class Mark(NamedTuple):
    """The state to return to."""

    position: int
    notices: int


class Cursor:
    """A position in the query text.

    `parse_query` parses queries inside queries.
    `stars_in_quotes` says whether stars in quotes after `=` are wildcards, as they are in filters; `is_splunk`
    whether a test was parsed that only Splunk writes like this, `is_canonical` whether the text is in canonical form.
    `in_condition` says whether expressions are allowed in place of a filter, `named_operand` where a name in backticks
    occurred in it. The last test began at `test_start`; up to `pairs_end` a name, a colon and a blank are a test.
    """

    def __init__(self, text: str, parse_query: "Callable[[Cursor], Query] | None" = None) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.deepest = 0
        self.expressions = 0
        self.symbols = 0
        self.stars_in_quotes = True
        self.is_splunk = False
        self.is_canonical = False
        self.in_condition = False
        self.test_start = 0
        self.pairs_end = 0
        self.named_operand: int | None = None
        self.notices: list[Notice] = []
        self._parse_query = parse_query

    @property
    def at_end(self) -> bool:
        return self.position == len(self.text)

    @property
    def next(self) -> str:
        """The next character, empty at the end of the text."""
        return self.text[self.position : self.position + 1]

    def mark(self) -> Mark:
        return Mark(self.position, len(self.notices))

    def rewind(self, mark: Mark) -> None:
        """Go back to parse the text from there differently."""
        self.position = mark.position
        del self.notices[mark.notices :]

    def sees(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match(self.text, self.position) is not None

    def sees_any(self, characters: str) -> bool:
        """Return whether the next character is one of these; False at the end of the text."""
        character = self.text[self.position : self.position + 1]
        return character != "" and character in characters

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Consume a match and return it."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match[0]

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        return match

    def take_character(self, character: str) -> bool:
        taken = self.text.startswith(character, self.position)
        self.position += taken
        return taken

    def skip_blanks(self) -> None:
        character = self.text[self.position : self.position + 1]
        if character.isspace() or character in OTHER_BLANKS:
            blanks = BLANKS.match(self.text, self.position)
            assert blanks is not None, "there may be no blanks"
            self.position = blanks.end()

    def take_quoted(self) -> str | None:
        """Return the text inside the quotes that open here, if any."""
        if self.text[self.position : self.position + 1] not in QUOTES:
            return None
        self.check_no_macro()
        match = self.take_match(QUOTED)
        if match is None:
            mark = self.text[self.position]
            raise self.error(
                f"this quote is never closed, expected another {mark}",
                self.position,
                expected=[mark],
                suggestion=self.replace(place := self.find_quote_end(), place, mark),
            )
        return decode_quoted(match)

    def check_no_macro(self) -> None:
        """Raise InvalidQuery for a macro; only in a query of Splunk every name in backticks is one."""
        macro = MACRO.match(self.text, self.position) if self.is_splunk else None
        if macro is not None:
            raise unknown_macro(self, macro)

    def find_quote_end(self) -> int:
        """Return where a missing closing quote most likely belongs: before the next pipe, or at the end."""
        bar = PIPE_START.search(self.text, self.position + 1)
        return bar.start() if bar else len(self.text)

    def take_name(self) -> str | None:
        """Return a field name, bare or quoted."""
        start = self.position
        quoted = self.take_quoted()
        if quoted is None:
            return self.take_bare_name()
        return settle_quoted_column(quoted, self.text[start])

    def take_bare_name(self, pattern: re.Pattern[str] = NAME) -> str | None:
        """Return a field name without quotes."""
        start = self.position
        written = self.take(pattern)
        if written is None:
            return None
        check_no_placeholder(self, start, written)
        return self.settle_name(written)

    def settle_name(self, written: str) -> str:
        """Return the field that an unquoted name stands for."""
        if written in MESSAGE_NAMES:
            message = f'"{written}" is read as "{MESSAGE}", in quotes it is a field of that name'
            self.notice("read_as_meant", message)
        return settle_name(written)

    def close_parenthesis(self, start: int) -> None:
        """Consume the parenthesis that closes the one at `start`, or raise InvalidQuery."""
        if not self.take_character(")"):
            place = len(self.text[: self.position].rstrip())
            raise self.error(
                'this parenthesis is never closed, expected ")"',
                start,
                expected=[")"],
                suggestion=self.replace(place, place, ")"),
            )

    def parse_subquery(self) -> Query:
        """Parse a query up to an unmatched closing parenthesis, which is not consumed."""
        assert self._parse_query is not None, "the cursor was given the whole grammar"
        with self.nested(self.position, SUBQUERY_LEVELS):
            return self._parse_query(self)

    def parse_text(self, text: str) -> Query:
        """Parse a separate query, which is quoted in this one."""
        assert self._parse_query is not None, "the cursor was given the whole grammar"
        return self._parse_query(self.continue_with(text))

    def continue_with(self, text: str) -> "Cursor":
        """Return a cursor for a text that replaces a part of this one."""
        inside = Cursor(text, self._parse_query)
        inside.depth = self.depth + SUBQUERY_LEVELS
        return inside

    def nested(self, start: int, levels: int = 1) -> "Nesting":
        """Return a context some levels deeper; trees stay shallow enough for every recursive function."""
        if self.depth + levels > MAX_DEPTH:
            raise self.error(f"nested deeper than {MAX_DEPTH} levels", start)
        return Nesting(self, levels)

    def notice(self, code: NoticeCode, message: str, **data: str) -> None:
        """Add a notice, unless there is one of its kind."""
        if not self.has_notice(code):
            self.notices.append(Notice(code, message, data))

    def has_notice(self, code: NoticeCode) -> bool:
        return any(notice.code == code for notice in self.notices)

    def read_as_meant(self, start: int, meant: str) -> None:
        """Report that the text from `start` up to here was parsed as what it clearly means."""
        written = self.text[start : self.position].strip()
        self.notice("read_as_meant", f"{show(written)} is read as {show(meant)}")

    def leave_out(self, start: int) -> None:
        """Report that the text from `start` up to here is ignored."""
        written = self.text[start : self.position].strip()
        self.notice("read_as_meant", f"{show(written)} is ignored")

    def error(
        self,
        message: str,
        start: int,
        end: int | None = None,
        expected: Sequence[str] = (),
        suggestion: str | None = None,
    ) -> InvalidQuery:
        """Return an error from `start` to `end`, by default one character long."""
        if end is None:
            end = min(start + 1, len(self.text))
        return InvalidQuery(message, start, end, expected, suggestion)

    def unexpected(self, expected: Sequence[str], suggestion: str | None = None) -> InvalidQuery:
        """Return an error about whatever comes next."""
        match = TOKEN.match(self.text, self.position)
        found = show(match[0]) if match else "end of the query"
        end = match.end() if match else self.position
        message = f"unexpected {found}, expected {join_alternatives(expected)}"
        return self.error(message, self.position, end, expected, suggestion)

    def replace(self, start: int, end: int, text: str) -> str:
        """Return the query with one edit, as a suggestion."""
        return self.text[:start] + text + self.text[end:]


class Nesting:
    """Some levels, while their contents are parsed."""

    def __init__(self, cursor: Cursor, levels: int) -> None:
        self._cursor = cursor
        self._levels = levels

    def __enter__(self) -> None:
        cursor = self._cursor
        cursor.depth += self._levels
        cursor.deepest = max(cursor.deepest, cursor.depth)

    def __exit__(self, *_: object) -> None:
        self._cursor.depth -= self._levels


def show(text: str) -> str:
    """Return a piece of the query for messages."""
    return quote(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def join_alternatives(alternatives: Sequence[str]) -> str:
    """Return alternatives as `a value, "(" or "|"`: signs are quoted, words are not."""
    shown = [text if text[0].isalpha() else f'"{text}"' for text in alternatives]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def check_no_placeholder(cursor: Cursor, start: int, text: str) -> None:
    """Raise InvalidQuery for `$name$` where its value is needed."""
    if text.startswith("$") and not cursor.is_canonical and SPLUNK_TOKEN.fullmatch(text):
        message = f"{show(text)} is a token of a Splunk dashboard, expected its value"
        raise cursor.error(message, start, cursor.position, ["the value of the token"])


def unknown_macro(cursor: Cursor, macro: re.Match[str]) -> InvalidQuery:
    """Return an error about a Splunk macro."""
    message = (
        f"the macro {show(macro['name'])} is not known here, expected the search it stands for; "
        "to search for the text, put it in double quotes"
    )
    suggestion = leave_out_macros(cursor.text)
    expected = ["the search of the macro"]
    return cursor.error(message, macro.start(), macro.end(), expected, suggestion)

"""A place in the query text: looks ahead, takes what matches, and words the errors."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from logboom.lang.errors import InvalidQuery
from logboom.lang.tokens import BLANKS, NAME, QUOTE, QUOTED, TOKEN, decode_quoted, quote

MAX_DEPTH = 100
MAX_SHOWN = 40


class Cursor:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    @property
    def at_end(self) -> bool:
        return self.position == len(self.text)

    def sees(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match(self.text, self.position) is not None

    def sees_any(self, characters: str) -> bool:
        """Whether the next character is one of these; the end of the text is none."""
        return not self.at_end and self.text[self.position] in characters

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Move past a match and return it."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match[0]

    def take_character(self, character: str) -> bool:
        taken = self.text.startswith(character, self.position)
        self.position += taken
        return taken

    def skip_blanks(self) -> None:
        self.take(BLANKS)

    def take_quoted(self) -> str | None:
        """The text inside the quotes that open here, if any do."""
        if not self.sees(QUOTE):
            return None
        match = QUOTED.match(self.text, self.position)
        if match is None:
            mark = self.text[self.position]
            raise self.error(
                f"this quote is never closed, expected another {mark}",
                self.position,
                expected=[mark],
                suggestion=self.text + mark,
            )
        self.position = match.end()
        return decode_quoted(match)

    def take_name(self) -> str | None:
        """A field name, bare or quoted."""
        quoted = self.take_quoted()
        return self.take(NAME) if quoted is None else quoted

    @contextmanager
    def nested(self, start: int) -> Iterator[None]:
        """One level deeper; trees stay shallow enough for every recursive reader."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nested deeper than {MAX_DEPTH} levels", start)
        yield
        self.depth -= 1

    def error(
        self,
        message: str,
        start: int,
        end: int | None = None,
        expected: Sequence[str] = (),
        suggestion: str | None = None,
    ) -> InvalidQuery:
        """An error from `start` to `end`, by default one character long."""
        if end is None:
            end = min(start + 1, len(self.text))
        return InvalidQuery(message, start, end, expected, suggestion)

    def unexpected(self, expected: Sequence[str], suggestion: str | None = None) -> InvalidQuery:
        """An error about whatever comes next."""
        match = TOKEN.match(self.text, self.position)
        found = show(match[0]) if match else "end of the query"
        end = match.end() if match else self.position
        message = f"unexpected {found}, expected {join_alternatives(expected)}"
        return self.error(message, self.position, end, expected, suggestion)

    def replace(self, start: int, end: int, text: str) -> str:
        """The query with one edit, to suggest."""
        return self.text[:start] + text + self.text[end:]


def show(text: str) -> str:
    """A piece of the query as messages print it."""
    return quote(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def join_alternatives(alternatives: Sequence[str]) -> str:
    """`a value, "(" or "|"`: signs are quoted, words are not."""
    shown = [text if text[0].isalpha() else f'"{text}"' for text in alternatives]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))

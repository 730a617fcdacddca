"""A position in a query of another language: look-ahead of one token, consuming tokens, errors."""

import re
from typing import NamedTuple

from logboom.lang.errors import InvalidQuery
from logboom.lang.tokens import quote

MAX_DEPTH = 30
"""Levels of nesting and consecutive operators; the canonical text has more parentheses and must stay readable."""
MAX_CHAIN = 80
MAX_SHOWN = 40


class Token(NamedTuple):
    """A token of a query.

    `kind` is the name of the matching group of the language's pattern, "end" after the last one.
    """

    kind: str
    text: str
    start: int
    end: int


class Scanner:
    """A position in a query.

    `pattern` has one named group per kind of token; whitespace and comments are the group `blank`.
    `language` is the language's name in errors.
    """

    def __init__(self, text: str, pattern: re.Pattern[str], language: str) -> None:
        self.text = text
        self.language = language
        self.position = 0
        self.depth = 0
        self._pattern = pattern
        self._next: Token | None = None

    def peek(self) -> Token:
        if self._next is None:
            self._next = self._scan()
        return self._next

    def _scan(self) -> Token:
        position, end = self.position, len(self.text)
        while position < end:
            match = self._pattern.match(self.text, position)
            if match is None or match.lastgroup is None:
                raise self.error(f"unexpected {show(self.text[position])}", position, position + 1)
            if match.lastgroup != "blank":
                return Token(match.lastgroup, match[0], match.start(), match.end())
            position = match.end()
        return Token("end", "", end, end)

    def take(self) -> Token:
        token = self.peek()
        self.position = token.end
        self._next = None
        return token

    def go_to(self, position: int) -> None:
        self.position = position
        self._next = None

    def sees_sign(self, *signs: str) -> bool:
        token = self.peek()
        return token.kind == "sign" and token.text in signs

    def take_sign(self, *signs: str) -> Token | None:
        return self.take() if self.sees_sign(*signs) else None

    def expect_sign(self, sign: str) -> Token:
        return self.take_sign(sign) or self._fail(f'"{sign}"')

    def sees_word(self, *words: str) -> bool:
        """Return whether one of these lower-case words is next; quoted names do not count."""
        token = self.peek()
        return token.kind == "name" and token.text.lower() in words

    def take_word(self, *words: str) -> Token | None:
        return self.take() if self.sees_word(*words) else None

    def expect_word(self, word: str) -> Token:
        return self.take_word(word) or self._fail(word)

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what the caller's pattern matches at the next token."""
        match = pattern.match(self.text, self.peek().start)
        if match is not None:
            self.go_to(match.end())
        return match

    @property
    def at_end(self) -> bool:
        return self.peek().kind == "end"

    def enter(self, levels: int = 1) -> None:
        """Enter one or more levels; the caller subtracts them from `depth` afterwards."""
        self.depth += levels
        if self.depth > MAX_DEPTH:
            token = self.peek()
            raise self.error(f"nested deeper than {MAX_DEPTH} levels", token.start, token.end)

    def error(self, message: str, start: int, end: int) -> InvalidQuery:
        return InvalidQuery(f"{self.language}: {message}", start, end)

    def unexpected(self, expected: str) -> InvalidQuery:
        token = self.peek()
        found = show(token.text) if token.text else "end of the query"
        return self.error(f"unexpected {found}, expected {expected}", token.start, token.end)

    def _fail(self, expected: str) -> Token:
        raise self.unexpected(expected)


def show(text: str) -> str:
    """Return a piece of the query for messages."""
    return quote(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")

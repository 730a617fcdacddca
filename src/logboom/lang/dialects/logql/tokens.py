"""The tokens of LogQL, and a reader for them."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.tokens import quote

MAX_DEPTH = 30
MAX_EXPRESSIONS = 50
MAX_OPERATIONS = 50
"""Operators of a metric query, and functions of a template: each makes the tree deeper."""
MAX_SHOWN = 40
DURATION_UNIT = r"(?:ns|us|\u00b5s|\u03bcs|ms|[smhdwy])"
STRING = r'"(?:[^"\\]++|\\.)*+"|`[^`]*+`'
VARIABLE = r"\$\{[^}\s]++\}|\$[A-Za-z_]\w*+"
TOKEN = compile_later(
    r"(?:\s++|#[^\n]*+)*+(?:"
    rf"(?P<string>{STRING})"
    r"|(?P<name>[A-Za-z_][\w.]*+)"
    r"|(?P<flag>--[a-z][a-z-]*+)"
    r"|(?P<sign>\|[=~>]|![=~>]|=~|[=><]=|[|=<>{}()\[\],:+*/%^-])"
    rf"|(?P<duration>(?:[0-9]++(?:\.[0-9]++)?{DURATION_UNIT})++(?![A-Za-z0-9_]))"
    r"|(?P<bytes>[0-9]++(?:\.[0-9]++)?(?:[kKmMgGtTpP][iI]?[bB]|[bB])(?![A-Za-z0-9_]))"
    r"|(?P<number>0[xX][0-9a-fA-F]++|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
    rf"|(?P<variable>{VARIABLE})"
    r"|(?P<end>\Z)"
    r"|(?P<other>.))",
    re.DOTALL,
)
ESCAPE = compile_later(
    r"\\(?:(?P<plain>[abfnrtv\\'\"])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))"
)
PLAIN_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
LARGEST_CODE = 0x10FFFF


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def decode_string(written: str) -> str:
    """Return the text of a string token; a backslash that escapes nothing in Go stays."""
    body = written[1:-1]
    return body if written[0] == "`" or "\\" not in body else ESCAPE.sub(decode_escape, body)


def decode_escape(match: re.Match[str]) -> str:
    if plain := match["plain"]:
        return PLAIN_ESCAPES.get(plain, plain)
    digits, base = (match["octal"], 8) if match["octal"] else (match[0][2:], 16)
    code = int(digits, base)
    is_character = code <= LARGEST_CODE and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character else match[0]


class TokenReader:
    """Reads the tokens of a query.

    `translated` makes a query of the last complete part, to suggest it in a later error. `has_variables` says that
    a dollar sign in a text may start a variable of a dashboard.
    """

    def __init__(self, text: str, *, has_variables: bool = True) -> None:
        self.text = text
        self.has_variables = has_variables
        self.tokens = fold_names(list(split(text)))
        self.place = 0
        self.depth = 0
        self.expressions = 0
        self.operations = 0
        self.translated: Callable[[], Query] | None = None

    @cached_property
    def grouped(self) -> tuple[str, ...]:
        """The labels in some `by (…)` of the query."""
        found: dict[str, None] = {}
        is_inside = False
        for before, token in pairwise(self.tokens):
            if before.text == "by" and token.text == "(":
                is_inside = True
            elif token.text == ")":
                is_inside = False
            elif is_inside and token.kind == "name":
                found[token.text] = None
        return tuple(found)

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    @property
    def last(self) -> Token:
        """The token that was taken last."""
        return self.tokens[self.place - 1]

    def sees(self, *texts: str) -> bool:
        """Return whether the next token is one of these signs or names; a string never is."""
        token = self.tokens[self.place]
        return token.text in texts and token.kind != "string"

    def sees_kind(self, *kinds: str) -> bool:
        return self.tokens[self.place].kind in kinds

    def sees_after(self, *texts: str) -> bool:
        """Return whether the token after the next one is one of these."""
        after = self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        return after.text in texts and after.kind != "string"

    def take(self) -> Token:
        token = self.tokens[self.place]
        if token.kind != "end":
            self.place += 1
        return token

    def take_sign(self, *texts: str) -> bool:
        """Consume the next token if it is one of these."""
        seen = self.sees(*texts)
        self.place += seen
        return seen

    def expect(self, text: str) -> Token:
        if not self.sees(text):
            raise self.unexpected([text])
        return self.take()

    def expect_kind(self, kind: str, expected: str) -> Token:
        if not self.sees_kind(kind):
            raise self.unexpected([expected])
        return self.take()

    def take_text(self, expected: str = "a text in quotes") -> str:
        return decode_string(self.expect_kind("string", expected).text)

    def take_name(self, expected: str = "a label") -> str:
        if self.sees_kind("variable"):
            message = f"{show(self.next.text)} is a variable, write the name of a field instead"
            raise self.refuse(message, self.next)
        return self.expect_kind("name", expected).text

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(f"nested deeper than {MAX_DEPTH} levels", self.next)
        yield
        self.depth -= 1

    def count_operation(self, token: Token) -> None:
        self.operations += 1
        if self.operations > MAX_OPERATIONS:
            raise self.refuse(f"more than {MAX_OPERATIONS} operations in one query", token)

    def refuse(
        self, message: str, first: Token, last: Token | None = None, expected: Sequence[str] = ()
    ) -> InvalidQuery:
        """Return an error about the text from one token to another."""
        return InvalidQuery(message, first.start, (last or first).end, expected)

    def unexpected(self, expected: Sequence[str]) -> InvalidQuery:
        token = self.next
        found = "end of the query" if token.kind == "end" else show(token.text)
        message = f"unexpected {found}, expected {' or '.join(map(name_expected, expected))}"
        return self.refuse(message, token, expected=expected)


def split(text: str) -> Iterator[Token]:
    """Yield the tokens without whitespace and comments; the last one is the end."""
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None, "every character belongs to a token"
        yield Token(kind, match[kind], *match.span(kind))
        if kind == "end":
            return


def fold_names(tokens: list[Token]) -> list[Token]:
    """Return the tokens with functions and `by` in lower case; the case of labels counts."""
    for place, (token, after) in enumerate(pairwise(tokens)):
        if token.kind == "name" and after.text.lower() in ("(", "by", "without"):
            tokens[place] = token._replace(text=token.text.lower())
    return tokens


def show(text: str) -> str:
    """Return a piece of the query for messages."""
    return quote(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def name_expected(text: str) -> str:
    return text if text[0].isalpha() else f'"{text}"'

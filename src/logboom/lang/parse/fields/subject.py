"""The subject of a test: a field, or one of the few names that mean more than a field."""

from typing import Literal, NamedTuple

from logboom.lang import tokens
from logboom.lang.ast import (
    LONE_STAR,
    MESSAGE,
    AnyField,
    Everything,
    Exact,
    Exists,
    Filter,
    Match,
    Not,
    Or,
    Pattern,
    Regex,
    ScopeFilter,
    SomeField,
)

SCOPES: dict[str, Literal["env", "index"]] = {"env": "env", "index": "index"}


class Subject(NamedTuple):
    """A quoted name is always a field; no name stands for any field, one with wildcards for some of them."""

    name: str | None
    is_quoted: bool = False
    is_wild: bool = False

    @property
    def field(self) -> str:
        assert self.name is not None, "only patterns are looked for in any field"
        return self.name

    @property
    def is_time(self) -> bool:
        return not self.is_quoted and self.name in tokens.TIME_NAMES

    @property
    def is_message(self) -> bool:
        return self.name == MESSAGE

    @property
    def scope(self) -> Literal["env", "index"] | None:
        return None if self.is_quoted or self.name is None else SCOPES.get(self.name)

    def match(self, pattern: Pattern) -> Filter:
        if self.name is None:
            return AnyField(pattern) if pattern.parts not in ((), LONE_STAR) else Everything()
        if self.is_wild:
            return SomeField(self.name, pattern) if pattern.parts else Everything()
        if not pattern.parts:
            return self.empty()
        if (scope := self.scope) is not None:
            return ScopeFilter(scope, pattern)
        return Exists(self.name) if pattern.parts == LONE_STAR else Match(self.name, pattern)

    def empty(self) -> Filter:
        """Return the test for no value, or an empty text."""
        return Or((Not(Exists(self.field)), Exact(self.field, "")))

    def exact(self, text: str) -> Filter:
        if self.scope and text:
            return ScopeFilter(self.scope, Pattern.literal(text))
        return Exact(self.field, text)

    def regex(self, expression: str, ignores_case: bool) -> Filter:
        """Return the test of an expression; for `env` and `index`, of the partition's field or the event's own."""
        own = Regex(self.field, expression, ignores_case)
        return Or((Regex(f"_{self.scope}", expression, ignores_case), own)) if self.scope else own

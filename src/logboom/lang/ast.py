"""The syntax tree: frozen, comparable, free of positions.

Every tree has a text (`format.format_query`) that parses back to an equal tree; the assertions
below exclude the few shapes for which that could not hold.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, Self, TypeAlias

MESSAGE = "message"

Comparison: TypeAlias = Literal[">", ">=", "<", "<="]


class Wildcard(Enum):
    """Not a string enumeration: a wildcard must never equal the character that spells it."""

    ANY = "*"
    ONE = "?"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal pieces and wildcards in order; no parts at all is the empty text."""

    parts: tuple[str | Wildcard, ...]

    def __post_init__(self) -> None:
        assert "" not in self.parts, "a literal piece is never empty"
        for left, right in zip(self.parts, self.parts[1:], strict=False):
            assert isinstance(left, Wildcard) or isinstance(right, Wildcard), "pieces are merged"
            assert not (left is right is Wildcard.ANY), "neighbouring stars are one"

    @classmethod
    def literal(cls, text: str) -> Self:
        return cls((text,) if text else ())

    @property
    def text(self) -> str | None:
        """The whole text when there is no wildcard in it."""
        match self.parts:
            case ():
                return ""
            case (str(text),):
                return text
            case _:
                return None


@dataclass(frozen=True, slots=True)
class Everything:
    """Every event in scope."""


@dataclass(frozen=True, slots=True)
class Word:
    """The message contains the text, in any case."""

    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A value of the field equals the pattern, in any case; the message field contains it."""

    field: str
    pattern: Pattern

    def __post_init__(self) -> None:
        assert self.pattern.parts != (Wildcard.ANY,), "a lone star is Exists"


@dataclass(frozen=True, slots=True)
class Exact:
    """A value of the field equals the text byte for byte."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Exists:
    field: str


@dataclass(frozen=True, slots=True)
class Compare:
    """The field's first value is a number, or reads as one, and stands so to `number`."""

    field: str
    operator: Comparison
    number: int | float


@dataclass(frozen=True, slots=True)
class Not:
    term: "Filter"


@dataclass(frozen=True, slots=True)
class And:
    terms: tuple["Filter", ...]

    def __post_init__(self) -> None:
        assert len(self.terms) > 1, "one term needs no AND"


@dataclass(frozen=True, slots=True)
class Or:
    terms: tuple["Filter", ...]

    def __post_init__(self) -> None:
        assert len(self.terms) > 1, "one term needs no OR"


Filter: TypeAlias = Everything | Word | Match | Exact | Exists | Compare | Not | And | Or


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`function` in its canonical name; `name` is the column of the result."""

    function: str
    argument: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Stats:
    """One row per combination of the keys' values, or one row in all without keys."""

    aggregates: tuple[Aggregate, ...]
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        columns = self.columns
        assert self.aggregates, "stats computes something"
        assert len(set(columns)) == len(columns), "columns have distinct names"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the result, in order."""
        return self.keys + tuple(aggregate.name for aggregate in self.aggregates)


Pipe: TypeAlias = Stats


@dataclass(frozen=True, slots=True)
class Query:
    filter: Filter
    pipes: tuple[Pipe, ...] = ()

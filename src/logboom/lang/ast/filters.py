"""Filters: conditions that events must meet."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from logboom.base.structs import InternalStruct
from logboom.lang.ast.expressions import Expression
from logboom.lang.ast.values import LONE_STAR, Pattern, Quantity

if TYPE_CHECKING:
    from logboom.lang.ast.pipes import Query

MESSAGE = "message"

Comparison: TypeAlias = Literal[">", ">=", "<", "<="]
Limit: TypeAlias = Quantity | str
"""What values are compared with: a number, or a text (in the order of folded texts)."""


class Everything(InternalStruct, frozen=True):
    """Every event in scope."""


class Word(InternalStruct, frozen=True):
    """The message contains the text, ignoring case; without a message, any text of the event does."""

    text: str


class Match(InternalStruct, frozen=True):
    """A value of the field equals the pattern, ignoring case; the message field contains it."""

    field: str
    pattern: Pattern

    def __post_init__(self) -> None:
        assert self.pattern.parts, "an empty text is Exact"
        assert self.pattern.parts != LONE_STAR, "a lone star is Exists"


class Exact(InternalStruct, frozen=True):
    """A value of the field equals the text byte for byte."""

    field: str
    text: str


class OneOf(InternalStruct, frozen=True):
    """A value of the field equals one of the patterns: `f IN (a, b)`."""

    field: str
    patterns: tuple[Pattern, ...]

    def __post_init__(self) -> None:
        assert self.patterns, "a list has members"
        assert Pattern(LONE_STAR) not in self.patterns, "a lone star is Exists"
        assert Pattern(()) not in self.patterns, "an empty text is Exact"


class InQuery(InternalStruct, frozen=True):
    """A value of the field equals one that another query finds in its first column: `f:in(query)`."""

    field: str
    query: "Query"


class Exists(InternalStruct, frozen=True):
    field: str


class Compare(InternalStruct, frozen=True):
    """The field's first value compares to the limit; a number may also be spelled in a text."""

    field: str
    operator: Comparison
    limit: Limit


class Range(InternalStruct, frozen=True):
    """The field's first value is between two limits; None is no limit."""

    field: str
    low: Limit | None
    high: Limit | None
    includes_low: bool = True
    includes_high: bool = True

    def __post_init__(self) -> None:
        limits = {type(limit) for limit in (self.low, self.high) if limit is not None}
        assert len(limits) == 1, "a range has a limit, and limits are of one type"
        assert self.low is not None or self.includes_low, "no limit is written as included"
        assert self.high is not None or self.includes_high, "no limit is written as included"


class Network(InternalStruct, frozen=True):
    """A value of the field is an address inside the network, in canonical CIDR form."""

    field: str
    network: str


class Regex(InternalStruct, frozen=True):
    """The expression matches somewhere in a value of the field."""

    field: str
    expression: str
    ignores_case: bool = False


class HasPattern(InternalStruct, frozen=True):
    """A text of the field has this pattern, as shown by the pipe `patterns`; or its pattern starts like this."""

    field: str
    text: str
    is_prefix: bool = False

    def __post_init__(self) -> None:
        assert self.text, "a pattern is not empty"


class AnyField(InternalStruct, frozen=True):
    """Some value of some field contains the pattern, ignoring case: `*:word`."""

    pattern: Pattern

    def __post_init__(self) -> None:
        assert self.pattern.parts not in ((), LONE_STAR), "this would be everything"


class SomeField(InternalStruct, frozen=True):
    """A value of some field whose name matches `names`, in which `*` is any text, equals the pattern: `a.*.b:v`."""

    names: str
    pattern: Pattern

    def __post_init__(self) -> None:
        assert "*" in self.names, "one name is a Match"
        assert self.pattern.parts, "a value is not empty"


class During(InternalStruct, frozen=True):
    """The event's time is in a period as written: `_time:5m` (until now), `_time:2026-09-01`."""

    period: str


class Between(InternalStruct, frozen=True):
    """The event's time is between two times as written; None is no limit."""

    start: str | None
    end: str | None
    includes_start: bool = True
    includes_end: bool = False

    def __post_init__(self) -> None:
        assert self.start is not None or self.end is not None, "a range has a limit"
        assert self.start is not None or self.includes_start, "no limit is written so"
        assert self.end is not None or not self.includes_end, "no limit is written so"


class ScopeFilter(InternalStruct, frozen=True):
    """The event's environment or index matches, or its own field of that name does."""

    kind: Literal["env", "index"]
    pattern: Pattern

    def __post_init__(self) -> None:
        assert self.pattern.parts, "a name is not empty"


class Truth(InternalStruct, frozen=True):
    """The expression is true for the event; only after `where` and `if`."""

    expression: Expression


class Not(InternalStruct, frozen=True):
    term: "Filter"


class And(InternalStruct, frozen=True):
    terms: tuple["Filter", ...]

    def __post_init__(self) -> None:
        assert len(self.terms) > 1, "one term needs no AND"


class Or(InternalStruct, frozen=True):
    terms: tuple["Filter", ...]

    def __post_init__(self) -> None:
        assert len(self.terms) > 1, "one term needs no OR"


Filter: TypeAlias = (
    Everything
    | Word
    | Match
    | Exact
    | OneOf
    | InQuery
    | Exists
    | Compare
    | Range
    | Network
    | Regex
    | HasPattern
    | AnyField
    | SomeField
    | During
    | Between
    | ScopeFilter
    | Truth
    | Not
    | And
    | Or
)

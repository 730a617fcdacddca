"""The result of the shared expression parser: operators and calls under their names in the original language.

Positions count characters of the query, the end excluded, so that an error can name the position.
"""

from dataclasses import dataclass
from typing import TypeAlias

from logboom.lang.ast import Query


@dataclass(frozen=True, slots=True)
class Name:
    """A field, a column or a variable."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant:
    value: str | int | float | bool | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A duration; months have no fixed length and are kept separately."""

    length_ns: int
    months: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in our notation: `now-1h`, `2026-09-01T00:00:00Z`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call; `name` is in lower case."""

    name: str
    arguments: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Operation:
    """`operator` is one of OPERATORS in `lowering`, or `and`, `or`."""

    operator: str
    left: "Node"
    right: "Node"

    @property
    def start(self) -> int:
        return self.left.start

    @property
    def end(self) -> int:
        return self.right.end


@dataclass(frozen=True, slots=True)
class Opposite:
    """`not x`."""

    operand: "Node"
    start: int

    @property
    def end(self) -> int:
        return self.operand.end


@dataclass(frozen=True, slots=True)
class Minus:
    operand: "Node"
    start: int

    @property
    def end(self) -> int:
        return self.operand.end


@dataclass(frozen=True, slots=True)
class Sequence:
    """Several values: the list after `in`, the limits of `between`, an array."""

    members: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Star:
    """`*`, all columns or all rows."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """A query in parentheses, or a variable that stands for one."""

    query: Query
    start: int
    end: int


Node: TypeAlias = (
    Name
    | Constant
    | Span
    | Moment
    | Invocation
    | Operation
    | Opposite
    | Minus
    | Sequence
    | Star
    | Table
)

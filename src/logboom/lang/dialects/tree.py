"""The result of the shared expression parser: operators and calls under their names in the original language.

Positions count characters of the query, the end excluded, so that an error can name the position.
"""

from typing import TypeAlias

from logboom.base.structs import InternalStruct
from logboom.lang.ast import Filter, Query


class Name(InternalStruct, frozen=True):
    """A field, a column or a variable."""

    text: str
    start: int
    end: int


class Constant(InternalStruct, frozen=True):
    value: str | int | float | bool | None
    start: int
    end: int


class Span(InternalStruct, frozen=True):
    """A duration; months have no fixed length and are kept separately."""

    length_ns: int
    months: int
    start: int
    end: int


class Moment(InternalStruct, frozen=True):
    """A time in our notation: `now-1h`, `2026-09-01T00:00:00Z`."""

    text: str
    start: int
    end: int


class Invocation(InternalStruct, frozen=True):
    """A call; `name` is in lower case."""

    name: str
    arguments: tuple["Node", ...]
    start: int
    end: int


class Operation(InternalStruct, frozen=True):
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


class Opposite(InternalStruct, frozen=True):
    """`not x`."""

    operand: "Node"
    start: int

    @property
    def end(self) -> int:
        return self.operand.end


class Minus(InternalStruct, frozen=True):
    operand: "Node"
    start: int

    @property
    def end(self) -> int:
        return self.operand.end


class Sequence(InternalStruct, frozen=True):
    """Several values: the list after `in`, the limits of `between`, an array."""

    members: tuple["Node", ...]
    start: int
    end: int


class Star(InternalStruct, frozen=True):
    """`*`, all columns or all rows."""

    start: int
    end: int


class Table(InternalStruct, frozen=True):
    """A query in parentheses, or a variable that stands for one."""

    query: Query
    start: int
    end: int


class Test(InternalStruct, frozen=True):
    """A filter that another language writes as a text of its own; it is false where a value is missing."""

    filter: Filter
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
    | Test
)

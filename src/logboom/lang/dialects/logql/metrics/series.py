"""What a metric query computes, before it is known how it will be drawn.

A series is an expression of *leaves*, each an aggregate of one log query, for each combination of labels and each
time span; then steps that change its values, select some, or aggregate them again.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from msgspec import field
from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.lang.ast import Binary, Call, Expression, Field, Negative, Quantity, Query

AUTO: Final = "auto"
WHOLE: Final = "whole"
Span: TypeAlias = Quantity | Literal["auto", "whole"]
"""The length of one point of the series: a duration, an automatic one, or the whole time range."""


class Leaf(InternalStruct, frozen=True):
    """An aggregate of the events of a log query."""

    query: Query
    function: str
    argument: Expression | None = None
    parameter: int | float | None = None
    labels: tuple[str, ...] | None = None
    """Fewer labels than its series has, if the value is the sum over the others."""


class Test(InternalStruct, frozen=True):
    """Keep only points whose value compares to a number; or 1 if it does and 0 if not."""

    operator: str
    number: int | float
    is_bool: bool = False


class Compute(InternalStruct, frozen=True):
    """Each value is replaced by the result of the expression; VALUE stands for it."""

    expression: Expression


class Regroup(InternalStruct, frozen=True):
    """The values of points with the same labels, aggregated."""

    function: str
    labels: tuple[str, ...]


class Rank(InternalStruct, frozen=True):
    """Points sorted by value, the first few of each group."""

    descending: bool
    limit: int | None = None
    labels: tuple[str, ...] = ()


class Fill(InternalStruct, frozen=True):
    """Zero where there is no value."""


Step: TypeAlias = Test | Compute | Regroup | Rank | Fill
VALUE = Field("value")


class Series(InternalStruct, frozen=True):
    """`labels` is None for one series per stream, which here is a single one."""

    leaves: tuple[Leaf, ...]
    value: Expression
    span: Span
    labels: tuple[str, ...] | None = None
    steps: tuple[Step, ...] = field(default=())

    def then(self, step: Step) -> "Series":
        return replace(self, steps=(*self.steps, step))

    @property
    def is_plain(self) -> bool:
        """Whether it is a single aggregate."""
        return len(self.leaves) == 1 and not self.steps and self.value == name_leaf(0)


def name_leaf(place: int) -> Field:
    """Return the placeholder of a leaf in the expression of a series."""
    return Field(f"#{place}")


def rename(value: Expression, names: Mapping[Field, Expression]) -> Expression:
    """Return the expression with some fields replaced."""
    match value:
        case Field():
            return names.get(value, value)
        case Binary(operator, left, right):
            return Binary(operator, rename(left, names), rename(right, names))
        case Call(function, arguments):
            return Call(function, tuple(rename(each, names) for each in arguments))
        case Negative(operand):
            return Negative(rename(operand, names))
        case _:
            return value

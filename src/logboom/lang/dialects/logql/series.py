"""What a metric query computes, before it is known how it will be drawn.

A series is an expression of *leaves*, each an aggregate of one log query, for each combination of labels and
each span of time; then steps that change its values, choose among them, or aggregate them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from logboom.lang.ast import Binary, Call, Expression, Field, Negative, Quantity, Query

AUTO: Final = "auto"
WHOLE: Final = "whole"
Span: TypeAlias = Quantity | Literal["auto", "whole"]
"""How long one point of the series is: a duration, one that suits the chart, or all of the time asked for."""


@dataclass(frozen=True)
class Leaf:
    """An aggregate of the events of a log query."""

    query: Query
    function: str
    argument: Expression | None = None
    parameter: int | float | None = None
    labels: tuple[str, ...] | None = None
    """Fewer labels than its series has, if the value is the sum over the others."""


@dataclass(frozen=True)
class Test:
    """Only points whose value stands so to a number; or, for each, 1 if it does and 0 if not."""

    operator: str
    number: int | float
    is_bool: bool = False


@dataclass(frozen=True)
class Compute:
    """Each value becomes what the expression makes of it; VALUE stands for it."""

    expression: Expression


@dataclass(frozen=True)
class Regroup:
    """The values of points with the same labels, aggregated."""

    function: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Rank:
    """Points in the order of their values, the first so many of each group."""

    descending: bool
    limit: int | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fill:
    """Zero where there is no value."""


Step: TypeAlias = Test | Compute | Regroup | Rank | Fill
VALUE = Field("value")


@dataclass(frozen=True)
class Series:
    """`labels` is None for one series of each stream, which here is one in all."""

    leaves: tuple[Leaf, ...]
    value: Expression
    span: Span
    labels: tuple[str, ...] | None = None
    steps: tuple[Step, ...] = field(default=())

    def then(self, step: Step) -> "Series":
        return replace(self, steps=(*self.steps, step))

    @property
    def is_plain(self) -> bool:
        """Whether it is one aggregate and nothing else."""
        return len(self.leaves) == 1 and not self.steps and self.value == name_leaf(0)


def name_leaf(place: int) -> Field:
    """What stands for a leaf in the expression of a series."""
    return Field(f"#{place}")


def rename(value: Expression, names: Mapping[Field, Expression]) -> Expression:
    """The expression with others in the place of some fields."""
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

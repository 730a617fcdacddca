"""The arguments of functions and operators, each computed once."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import polars as pl

from logboom.base.errors import Invalid, TooLarge
from logboom.base.structs import InternalStruct
from logboom.engine.expressions.numeric import read_numbers
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.distinct import Distinct, fit
from logboom.engine.rows.memory import check_waiting
from logboom.engine.rows.size import measure_series
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.model.columns import DTYPES, Kind, Scalar
from logboom.model.event import KIND_OF_TYPE

MAX_VALUE_BYTES = 256 * 2**20
"""Maximum size of one value in all rows of a table: texts can be doubled repeatedly."""

MAX_PLACE = 2.0**40


class Constant(Value, frozen=True):
    """A value that is the same in every row."""

    value: Scalar | None = None

    @classmethod
    def of(cls, value: Scalar | None, kind: Kind | None = None) -> "Constant":
        if value is None:
            return cls()
        if type(value) is int:
            value = fit(value)
        kind = kind or KIND_OF_TYPE[type(value)]
        return cls({kind: pl.lit(value, DTYPES[kind])}, value=value)


class Arguments(InternalStruct, frozen=True):
    """The arguments of a function or operator.

    `frame` has the rows to compute for; `name` is the function's name in messages.
    """

    name: str
    values: tuple[Value, ...]
    frame: pl.DataFrame
    conditions: Conditions

    def __len__(self) -> int:
        return len(self.values)

    def text(self, place: int) -> pl.Expr:
        return self.values[place].text()

    def numbers(self, place: int) -> Value:
        """Return the number of an argument as an integer, a float or a time."""
        return self.settle(read_numbers(self.values[place]))

    def real(self, place: int) -> pl.Expr:
        return self.values[place].number()

    def whole(self, place: int) -> pl.Expr:
        """Return a position or length, clamped to what texts and lists can have."""
        return self.real(place).clip(-MAX_PLACE, MAX_PLACE).cast(pl.Int64)

    def constant(self, place: int, expected: str) -> Scalar:
        """Return an argument that must be a constant in the query."""
        value = self.values[place]
        if not isinstance(value, Constant) or value.value is None:
            raise Invalid(f"{self.name}: argument {place + 1} varies, expected {expected}")
        return value.value

    def map(self, function: Callable[..., object], *parts: pl.Expr, kind: Kind | None) -> Value:
        """Call a Python function once for each distinct combination of some parts."""
        found = Distinct.of(self.frame, parts).map(function, kind)
        return Value({kind: pl.lit(series) for kind, series in found.items()})

    def hold(self, part: pl.Expr) -> pl.Expr:
        """Compute an expression that is used more than once, so that it is not computed again each time."""
        return pl.lit(compute_rows(self.frame, part))

    def settle(self, value: Value) -> Value:
        """Return the computed value, without kinds that occur in no row."""
        return settle(value.parts, self.frame)

    @property
    def are_constant(self) -> bool:
        return all(isinstance(value, Constant) for value in self.values)


Builder: TypeAlias = Callable[[Arguments], Value]
"""Returns the value of a function; it refers to columns of the arguments' frame."""

ONE_ROW = pl.DataFrame(height=1)


def settle(parts: Mapping[Kind, pl.Expr], frame: pl.DataFrame) -> Value:
    settled: dict[Kind, pl.Expr] = {}
    total_bytes = 0
    for kind, part in parts.items():
        check_waiting()
        series = compute_rows(frame, part).cast(DTYPES[kind])
        if kind is Kind.FLOAT:
            # JSON has no infinity, and NaN counts as no value.
            series = series.set(~series.is_finite(), None)
        if series.null_count() < len(series):
            total_bytes += check_size(series)
            settled[kind] = pl.lit(series)
    return Value(settled, size_bytes=total_bytes)


def check_size(series: pl.Series) -> int:
    """Return the size of a computed series; raise TooLarge if it exceeds the limit."""
    size_bytes = measure_series(series)
    if size_bytes > MAX_VALUE_BYTES:
        raise TooLarge(
            f"a computed value takes {size_bytes} bytes, expected at most {MAX_VALUE_BYTES}"
        )
    return size_bytes


def read_constant(value: Value) -> Constant:
    """Return the constant of a value computed for one row; lists stay as they are."""
    for kind, part in value.parts.items():
        return Constant.of(pl.select(part).item(), kind)
    return Constant()

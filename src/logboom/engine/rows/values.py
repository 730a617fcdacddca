"""Values for tests and functions: an expression for each kind that a value may have."""

import math
from collections.abc import Callable, Mapping

import msgspec
import polars as pl
from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.base.texts import NUMBER
from logboom.engine.rows.division import divide
from logboom.engine.rows.table import Table
from logboom.model.columns import Kind, Scalar

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
MAX_EXACT = 2.0**53
"""Every integer up to this one is a float as well."""
BOOLEANS = {"true": True, "false": False}
NS_PER_S = 1e9

ValueTest = Callable[[pl.Expr, Kind], pl.Expr]
"""Builds the test of a value, given its expression and kind."""


class Value(InternalStruct, frozen=True):
    """In each row at most one of the parts is not null: that is the value there."""

    parts: Mapping[Kind, pl.Expr] = field(default_factory=dict)
    size_bytes: int | None = None
    """Its size in all rows, once it is computed."""

    @classmethod
    def of_field(cls, table: Table, name: str) -> "Value":
        return cls({column.kind: pl.col(column.name) for column in table.find_columns(name)})

    def first(self) -> "Value":
        """Return the first of multiple values."""
        parts: dict[Kind, pl.Expr] = {}
        for kind, part in self.parts.items():
            scalar = part.list.first() if kind.is_list else part
            known = parts.get(kind.element)
            parts[kind.element] = scalar if known is None else pl.coalesce(known, scalar)
        return Value(parts)

    def exists(self) -> pl.Expr:
        """Return whether there is a value; never null."""
        return pl.any_horizontal([part.is_not_null() for part in self.parts.values()] or [NEVER])

    def number(self) -> pl.Expr:
        """Return the first value as a number, times in seconds; null if it is not one."""
        numbers = [read_number(part, kind) for kind, part in self.first().parts.items()]
        return pl.coalesce(numbers) if numbers else pl.lit(None, pl.Float64)

    def text(self) -> pl.Expr:
        """Return the first value as text; null if there is none."""
        texts = [as_text(part, kind) for kind, part in self.first().parts.items()]
        return pl.coalesce(texts) if texts else pl.lit(None, pl.String)

    def passes(self, test: ValueTest) -> pl.Expr:
        """Return whether some value passes a test; never null."""
        found = [search_part(part, kind, test) for kind, part in self.parts.items()]
        return pl.any_horizontal(found) if found else NEVER


NEVER = pl.lit(value=False)
ALWAYS = pl.lit(value=True)


def search_part(part: pl.Expr, kind: Kind, test: ValueTest) -> pl.Expr:
    if kind.is_list:
        passed = test(pl.element(), kind.element).fill_null(value=False)
        return part.list.eval(passed).list.any().fill_null(value=False)
    return test(part, kind).fill_null(value=False)


def read_number(part: pl.Expr, kind: Kind) -> pl.Expr:
    """Return a value of a kind as a number; booleans are not numbers."""
    if kind is Kind.STR:
        number = part.str.strip_chars().cast(pl.Float64, strict=False)
        return pl.when(part.str.contains(NUMBER)).then(number)
    if kind is Kind.BOOL:
        return pl.lit(None, pl.Float64)
    number = part.cast(pl.Float64)
    return divide(number, NS_PER_S) if kind is Kind.TIME else number


def as_text(value: pl.Expr, kind: Kind) -> pl.Expr:
    """Return a value of a kind as text, numbers and booleans as JSON writes them."""
    if kind is Kind.STR:
        return value
    if kind is Kind.TIME:
        moment = value.cast(pl.Datetime("ns"))
        return moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.9f").str.replace(r"\.?0+$", "") + "Z"
    return value.cast(pl.String)


def read_value(text: str, kind: Kind) -> Scalar | None:
    """Return the value of a kind that a text spells, or None if it does not."""
    if kind is Kind.STR:
        return text
    if kind is Kind.BOOL:
        return BOOLEANS.get(text.lower())
    try:
        number = msgspec.json.decode(text.encode(), type=int | float)
        return fit_int(number) if kind is Kind.INT else fit_real(number)
    except (msgspec.MsgspecError, UnicodeEncodeError, OverflowError):
        return None


def fit_int(number: int | float) -> int | None:
    """Return the integer, if an integer column can hold it, or None otherwise."""
    is_whole = math.isfinite(number) and number == int(number)
    return int(number) if is_whole and MIN_INT <= number <= MAX_INT else None


def fit_real(number: int | float) -> float | None:
    """Return the float that equals a number, or None if no float does.

    Integers beyond 64 bits are rounded, because events with such integers have the rounded float as their value.
    """
    real = float(number)
    return real if real == number or not MIN_INT <= number <= MAX_INT else None

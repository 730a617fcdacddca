"""Numbers for arithmetic: exact integers if both sides are integers, floats otherwise."""

from collections.abc import Callable

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.base.texts import NUMBER
from logboom.engine.rows.division import divide
from logboom.engine.rows.values import Value
from logboom.model.columns import Kind

WHOLE_NUMBER = r"^[-+]?[0-9]+$"
NUMBER_KINDS = (Kind.INT, Kind.FLOAT, Kind.TIME)
Combine = Callable[[pl.Expr, pl.Expr], pl.Expr]


def read_numbers(value: Value) -> Value:
    """Return the first value as an integer, a float or a time; texts that spell a number count."""
    first = value.first()
    parts = only(first, *NUMBER_KINDS).parts
    text = first.parts.get(Kind.STR)
    if text is None:
        return Value(parts)
    stripped = text.str.strip_chars()
    is_whole = stripped.str.contains(WHOLE_NUMBER)
    whole = pl.when(is_whole).then(stripped.cast(pl.Int64, strict=False))
    real = pl.when(text.str.contains(NUMBER) & whole.is_null()).then(
        stripped.cast(pl.Float64, strict=False)
    )
    finite = pl.when(real.is_finite()).then(real)
    spelled = {Kind.INT: whole, Kind.FLOAT: finite}
    return Value(
        {**parts, **{k: pl.coalesce(parts[k], e) if k in parts else e for k, e in spelled.items()}}
    )


def only(value: Value, *kinds: Kind) -> Value:
    return Value({kind: part for kind, part in value.parts.items() if kind in kinds})


def without(value: Value, *kinds: Kind) -> Value:
    return Value({kind: part for kind, part in value.parts.items() if kind not in kinds})


def as_real(numbers: Value) -> pl.Expr:
    """Return the numbers as floats, times in seconds."""
    parts = [
        divide(part.cast(pl.Float64), NS_PER_S) if kind is Kind.TIME else part.cast(pl.Float64)
        for kind, part in numbers.parts.items()
    ]
    return pl.coalesce(parts) if parts else pl.lit(None, pl.Float64)


def widen(part: pl.Expr) -> pl.Expr:
    """Return integers wide enough that no operation on two 64-bit numbers overflows."""
    return part.cast(pl.Int128)


def as_whole_ns(numbers: Value) -> pl.Expr:
    """Return seconds, or a time, as wide integers of nanoseconds."""
    parts = []
    for kind, part in numbers.parts.items():
        if kind is Kind.FLOAT:
            parts.append((part * NS_PER_S).round().cast(pl.Int128, strict=False))
        else:
            parts.append(widen(part) * (NS_PER_S if kind is Kind.INT else 1))
    return pl.coalesce(parts) if parts else pl.lit(None, pl.Int128)


def narrow(wide: pl.Expr) -> pl.Expr:
    """Return 64-bit integers; null for those that need more bits."""
    return wide.cast(pl.Int64, strict=False)


def combine(left: Value, right: Value, whole: Combine | None, real: Combine) -> Value:
    """Combine two numbers: with `whole` if both are integers and the result fits, else with `real`."""
    parts = {Kind.FLOAT: real(as_real(left), as_real(right))}
    if whole and Kind.INT in left.parts and Kind.INT in right.parts:
        exact = narrow(whole(widen(left.parts[Kind.INT]), widen(right.parts[Kind.INT])))
        parts = {Kind.INT: exact, Kind.FLOAT: pl.when(exact.is_null()).then(parts[Kind.FLOAT])}
    return Value(parts)


def tidy(number: pl.Expr) -> Value:
    """Return a float as an integer if it is a whole number that fits."""
    exact = number.map_batches(take_whole, return_dtype=pl.Int64, is_elementwise=True)
    rest = number.map_batches(take_others, return_dtype=pl.Float64, is_elementwise=True)
    return Value({Kind.INT: exact, Kind.FLOAT: rest})


def take_whole(numbers: pl.Series) -> pl.Series:
    """Return the whole numbers that fit as integers, and null for all others."""
    return numbers.set(numbers != numbers.floor(), None).cast(pl.Int64, strict=False)


def take_others(numbers: pl.Series) -> pl.Series:
    """Return the numbers that `take_whole` leaves out, and null for the ones that it returns."""
    return numbers.set(take_whole(numbers).is_not_null(), None)


def unify_numbers(value: Value) -> Value:
    """Return whole floats as integers, so that equal numbers are equal values."""
    parts = dict(value.parts)
    if Kind.FLOAT not in parts:
        return value
    real = parts[Kind.FLOAT]
    whole = pl.when(real == real.floor()).then(real).cast(pl.Int64, strict=False)
    parts[Kind.INT] = pl.coalesce(parts[Kind.INT], whole) if Kind.INT in parts else whole
    parts[Kind.FLOAT] = pl.when(whole.is_null()).then(real)
    return Value(parts)

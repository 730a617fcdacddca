"""Operators: arithmetic, comparison, logic, joining of texts."""

import math
import operator

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.engine.expressions.arguments import Arguments, Builder, Constant
from logboom.engine.expressions.compare import COMPARISONS, UNKNOWN
from logboom.engine.expressions.numeric import (
    Combine,
    as_real,
    as_whole_ns,
    combine,
    narrow,
    widen,
    without,
)
from logboom.engine.expressions.patterns import matches
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.division import divide
from logboom.engine.rows.values import Value
from logboom.model.columns import Kind

MAX_EXACT_POWER = 1e30
"""Powers below this are computed as wide integers first."""
LEAST_MOMENT_S = 5e8
"""Seconds since 1970 until a time in 1985; fifteen years are hardly ever meant as a duration."""
LARGE_QUOTIENT = 2.0**30
"""Up to this quotient the remainder of two floats is off by less than a millionth of the divisor."""
LARGE_EXPONENT = 100
"""An even number beyond which no power of 2 fits."""


def computes(whole: Combine | None, real: Combine) -> Builder:
    """Return the builder of an operation on two numbers."""
    return lambda arguments: combine(arguments.numbers(0), arguments.numbers(1), whole, real)


def add(arguments: Arguments) -> Value:
    """Add numbers, move a time by seconds, or concatenate other texts."""
    left, right = arguments.numbers(0), arguments.numbers(1)
    total = combine(left, right, operator.add, operator.add)
    moved = move_time(left, right, 1) + move_time(right, left, 1)
    return join_texts(replace_times(total, moved), left, right, arguments)


def subtract(arguments: Arguments) -> Value:
    """Subtract numbers, a time from a time, which gives seconds, or seconds from a time, which gives a time."""
    left, right = arguments.numbers(0), arguments.numbers(1)
    difference = combine(left, right, operator.sub, operator.sub)
    if Kind.TIME in left.parts and Kind.TIME in right.parts:
        between = widen(left.parts[Kind.TIME]) - widen(right.parts[Kind.TIME])
        seconds = divide(between.cast(pl.Float64), NS_PER_S)
        parts = {**difference.parts, Kind.FLOAT: pl.coalesce(seconds, difference.parts[Kind.FLOAT])}
        difference = Value(parts)
    moved = [
        pl.when(~is_moment(right)).then(time).otherwise(None) for time in move_time(left, right, -1)
    ]
    return replace_times(difference, moved)


def is_moment(value: Value) -> pl.Expr:
    """Return whether a number of seconds is a time since 1970 rather than a duration."""
    return (as_real(without(value, Kind.TIME)).abs() >= LEAST_MOMENT_S).fill_null(value=False)


def move_time(time: Value, by: Value, sign: int) -> list[pl.Expr]:
    """Return the time plus seconds, if one side is a time and the other a number."""
    numbers = without(by, Kind.TIME)
    if Kind.TIME not in time.parts or not numbers.parts:
        return []
    return [narrow(widen(time.parts[Kind.TIME]) + as_whole_ns(numbers) * sign)]


def replace_times(numbers: Value, times: list[pl.Expr]) -> Value:
    """Return the value with times instead of the numbers that they would be."""
    if not times:
        return numbers
    time = pl.coalesce(times)
    parts = {kind: pl.when(time.is_null()).then(part) for kind, part in numbers.parts.items()}
    return Value({**parts, Kind.TIME: time})


def join_texts(numbers: Value, left: Value, right: Value, arguments: Arguments) -> Value:
    texts = [value.first().parts.get(Kind.STR) for value in arguments.values]
    if texts[0] is None or texts[1] is None:
        return numbers
    joined = pl.when(~(left.exists() & right.exists())).then(texts[0] + texts[1])
    return Value({**numbers.parts, Kind.STR: joined})


def take_remainder(arguments: Arguments) -> Value:
    """Return the remainder, which has the sign of the divisor; null if that is 0."""
    left, right = arguments.numbers(0), arguments.numbers(1)
    remainder = combine(left, right, operator.mod, operator.mod)
    dividend, divisor = arguments.hold(as_real(left)), arguments.hold(nonzero(as_real(right)))
    is_large = arguments.hold((dividend / divisor).abs() > LARGE_QUOTIENT)
    if not compute_rows(arguments.frame, is_large).any():
        return remainder
    # Polars multiplies the whole quotient, of which a float has too few digits here.
    large = pl.when(is_large).then(dividend)
    found = arguments.map(math.fmod, large, divisor, kind=Kind.FLOAT).number()
    signed = pl.when(found * divisor < 0).then(found + divisor).otherwise(found)
    real = remainder.parts[Kind.FLOAT]
    exact = pl.when(is_large, real.is_not_null()).then(signed).otherwise(real)
    return Value({**remainder.parts, Kind.FLOAT: exact})


def nonzero(number: pl.Expr) -> pl.Expr:
    return pl.when(number != 0).then(number)


def raise_whole(base: pl.Expr, exponent: pl.Expr) -> pl.Expr:
    """Return an exact power of integers; null if it is not an integer, or too large."""
    size = base.cast(pl.Float64).pow(exponent.cast(pl.Float64)).abs()
    is_small = (exponent >= 0) & (size < MAX_EXACT_POWER)
    # A small result of a large exponent is 0, 1 or -1: then only its parity matters.
    low = pl.when(exponent > LARGE_EXPONENT).then(LARGE_EXPONENT + exponent % 2).otherwise(exponent)
    # Values outside are not computed, because wide integers overflow too.
    return pl.when(is_small).then(base).pow(pl.when(is_small).then(low))


def join(arguments: Arguments) -> Value:
    return Value({Kind.STR: arguments.text(0) + arguments.text(1)})


def negate(arguments: Arguments) -> Value:
    return combine(Constant.of(0), arguments.numbers(0), operator.sub, operator.sub)


def truth(value: Value) -> pl.Expr:
    """Return the value if it is a boolean, else null."""
    return value.first().parts.get(Kind.BOOL, UNKNOWN)


def both(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: truth(arguments.values[0]) & truth(arguments.values[1])})


def either(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: truth(arguments.values[0]) | truth(arguments.values[1])})


def invert(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: ~truth(arguments.values[0])})


def misses(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: ~matches(arguments).parts[Kind.BOOL]})


OPERATORS: dict[str, Builder] = {
    "OR": either,
    "AND": both,
    **COMPARISONS,
    "=~": matches,
    "!~": misses,
    "&": join,
    "+": add,
    "-": subtract,
    "*": computes(operator.mul, operator.mul),
    "/": computes(None, divide),
    "%": take_remainder,
    "^": computes(raise_whole, pl.Expr.pow),
}

"""Functions of numbers: integers stay integers."""

import operator
from collections.abc import Callable
from functools import reduce

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.expressions.compare import Relation, compare
from logboom.engine.expressions.conditionals import choose
from logboom.engine.expressions.numeric import as_real, narrow, tidy, widen, without
from logboom.engine.expressions.operators import OPERATORS
from logboom.engine.rows.division import divide
from logboom.engine.rows.values import MAX_EXACT, Value
from logboom.model.columns import Kind

MAX_DIGITS = 15


def applies(function: Callable[[pl.Expr], pl.Expr]) -> Builder:
    """Return the builder of a function of real numbers."""
    return lambda arguments: Value({Kind.FLOAT: function(arguments.real(0))})


def keeps_whole(change: Callable[[pl.Expr], pl.Expr]) -> Builder:
    """Return the builder of a function that returns whole numbers, and integers unchanged."""

    def build(arguments: Arguments) -> Value:
        return keep_whole(arguments.numbers(0), change)

    return build


def keep_whole(numbers: Value, change: Callable[[pl.Expr], pl.Expr]) -> Value:
    whole = numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64))
    changed = tidy(change(as_real(without(numbers, Kind.INT))))
    return Value(
        {
            Kind.INT: pl.coalesce(whole, changed.parts[Kind.INT]),
            Kind.FLOAT: changed.parts[Kind.FLOAT],
        }
    )


def take_size(arguments: Arguments) -> Value:
    numbers = arguments.numbers(0)
    wide = widen(numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64))).abs()
    exact = narrow(wide)
    real = pl.coalesce(as_real(without(numbers, Kind.INT)).abs(), wide.cast(pl.Float64))
    return Value({Kind.INT: exact, Kind.FLOAT: pl.when(exact.is_null()).then(real)})


def round_number(arguments: Arguments) -> Value:
    """Round half away from zero; the number of digits may be negative."""
    digits = arguments.constant(1, "a number of digits") if len(arguments) > 1 else 0
    if not isinstance(digits, int) or abs(digits) > MAX_DIGITS:
        raise Invalid(
            f"{arguments.name}: {digits!r} digits, expected {-MAX_DIGITS} to {MAX_DIGITS}"
        )
    numbers = arguments.numbers(0)
    if digits == 0:
        return keep_whole(numbers, round_half_away)
    factor = 10.0 ** abs(digits)
    if digits < 0:
        return round_off(numbers, 10**-digits)
    real = as_real(without(numbers, Kind.INT))
    rounded = divide(round_half_away(real * factor), factor)
    return Value(
        {
            Kind.INT: numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64)),
            # Larger floats are whole, and a multiple may be infinite.
            Kind.FLOAT: pl.when(real.abs() >= MAX_EXACT).then(real).otherwise(rounded),
        }
    )


def round_off(numbers: Value, factor: int) -> Value:
    """Round to a multiple of a power of ten: integers exactly, unless the multiple needs more than 64 bits."""
    wide = widen(numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64)))
    size = (wide.abs() + factor // 2) // factor * factor
    signed = pl.when(wide < 0).then(0 - size).otherwise(size)
    exact = narrow(signed)
    real = round_half_away(divide(as_real(without(numbers, Kind.INT)), factor)) * factor
    rounded = tidy(pl.coalesce(real, signed.cast(pl.Float64)))
    return Value(
        {
            Kind.INT: pl.coalesce(exact, rounded.parts[Kind.INT]),
            Kind.FLOAT: pl.when(exact.is_null()).then(rounded.parts[Kind.FLOAT]),
        }
    )


def round_half_away(number: pl.Expr) -> pl.Expr:
    return number.round(0, mode="half_away_from_zero")


def take_logarithm(arguments: Arguments) -> Value:
    """Return the logarithm to base 10, or to the second argument."""
    number = arguments.real(0)
    if len(arguments) == 1:
        return Value({Kind.FLOAT: number.log10()})
    return Value({Kind.FLOAT: divide(number.log(), arguments.real(1).log())})


def chooses(relation: Relation) -> Builder:
    """Return the least or greatest argument: numbers come before texts, those before booleans."""

    def build(arguments: Arguments) -> Value:
        def better(known: Value, other: Value) -> Value:
            ranks = [arguments.hold(rank(each)) for each in (other, known)]
            is_better = relation(*ranks) | (
                (ranks[0] == ranks[1]) & compare(other, known, relation, arguments)
            )
            takes_other = arguments.hold(other.exists() & (~known.exists() | is_better))
            return arguments.settle(choose(takes_other, other, known))

        firsts = (arguments.settle(value.first()) for value in arguments.values)
        return reduce(better, firsts)

    return build


def rank(value: Value) -> pl.Expr:
    is_boolean = value.parts.get(Kind.BOOL, pl.lit(None, pl.Boolean)).is_not_null()
    return pl.when(value.number().is_not_null()).then(0).when(is_boolean).then(2).otherwise(1)


def take_sign(arguments: Arguments) -> Value:
    return Value({Kind.INT: arguments.real(0).sign().cast(pl.Int64, strict=False)})


NUMBERS: dict[str, Builder] = {
    "abs": take_size,
    "ceil": keeps_whole(pl.Expr.ceil),
    "floor": keeps_whole(pl.Expr.floor),
    "round": round_number,
    "sqrt": applies(pl.Expr.sqrt),
    "pow": OPERATORS["^"],
    "exp": applies(pl.Expr.exp),
    "ln": applies(lambda number: number.log()),
    "log10": applies(pl.Expr.log10),
    "log": take_logarithm,
    "least": chooses(operator.lt),
    "greatest": chooses(operator.gt),
    "sign": take_sign,
    "mod": OPERATORS["%"],
}

"""Functions that choose between values."""

from functools import reduce

import polars as pl

from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.expressions.compare import is_equal
from logboom.engine.expressions.operators import truth
from logboom.engine.rows.values import Value
from logboom.model.columns import DTYPES


def choose(condition: pl.Expr, chosen: Value, otherwise: Value) -> Value:
    """Return one value where the condition is true, elsewhere the other, of any kinds."""
    kinds = dict.fromkeys((*chosen.parts, *otherwise.parts))
    return Value(
        {
            kind: pl.when(condition)
            .then(chosen.parts.get(kind, pl.lit(None, DTYPES[kind])))
            .otherwise(otherwise.parts.get(kind, pl.lit(None, DTYPES[kind])))
            for kind in kinds
        }
    )


def decide(arguments: Arguments) -> Value:
    """Compute `if` and `case`: the value after the first true condition, else the one without a condition."""
    pairs = list(zip(arguments.values[::2], arguments.values[1::2], strict=False))
    value = arguments.values[-1] if len(arguments) % 2 else Value()
    for condition, chosen in reversed(pairs):
        value = arguments.settle(choose(truth(condition), chosen, value))
    return value


def coalesce(arguments: Arguments) -> Value:
    return reduce(
        lambda known, other: arguments.settle(choose(known.exists(), known, other)),
        arguments.values,
    )


def nullify(arguments: Arguments) -> Value:
    left, right = arguments.values
    return choose(is_equal(left, right, arguments), Value(), left)


CONDITIONALS: dict[str, Builder] = {
    "if": decide,
    "case": decide,
    "coalesce": coalesce,
    "nullif": nullify,
}

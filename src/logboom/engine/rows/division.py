"""Exact division, and rounding down to multiples."""

import polars as pl

WHOLE_ERROR = 1e-15
"""The relative error of a quotient: a few units in its last place."""
DIGITS = 12
"""Decimals of a multiple: more would show its binary representation."""


def divide(dividend: pl.Expr, divisor: pl.Expr | float) -> pl.Expr:
    """Return the nearest float, in each row; not finite if the dividend is not.

    Polars divides by a constant by multiplying with its reciprocal: 3 / 10 is 0.30000000000000004, unless there is only
    one row. By a column it divides exactly, and the sum below is one.
    """
    return dividend / (dividend * 0 + divisor)


def floor_multiple(number: pl.Expr, size: pl.Expr | float) -> pl.Expr:
    """Round down to a multiple of a size.

    A value that is a multiple but for the error of a division, such as 0.3 of 0.1, stays as it is.
    """
    quotient = divide(number, size)
    nearest = quotient.round()
    is_whole = (quotient - nearest).abs() <= WHOLE_ERROR * quotient.abs()
    return (pl.when(is_whole).then(nearest).otherwise(quotient.floor()) * size).round(DIGITS)

"""Counted values: two lists of the same length, each value once and how often it was there."""

import polars as pl


def merge_counts(values: pl.Expr, counts: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """The counted values of several lists together, in order of the values."""
    all_values = values.explode().drop_nulls()
    place = all_values.arg_sort()
    ordered = all_values.gather(place)
    is_last = (ordered != ordered.shift(-1)).fill_null(value=True)
    totals = counts.explode().drop_nulls().gather(place).cum_sum().filter(is_last)
    return ordered.filter(is_last), totals - totals.shift(1).fill_null(0)

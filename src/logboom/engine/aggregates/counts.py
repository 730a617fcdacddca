"""Counted values: two lists of the same length, with each distinct value and its count."""

import polars as pl


def merge_counts(values: pl.Expr, counts: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the counted values of several lists merged, sorted by value."""
    all_values = values.explode().drop_nulls()
    ordered = all_values.sort()
    is_last = ordered.is_last_distinct()
    totals = cumulate_counts(values, counts).filter(is_last)
    return ordered.filter(is_last), totals - totals.shift(1, fill_value=0)


def cumulate_counts(values: pl.Expr, counts: pl.Expr) -> pl.Expr:
    """Return how many values of several lists are at most each of them, sorted by value."""
    return counts.explode().drop_nulls().sort_by(values.explode().drop_nulls()).cum_sum()

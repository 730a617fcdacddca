"""Expressions computed for every row of a frame, also those that are the same in all of them."""

import polars as pl


def compute_rows(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    """The value in each row.

    Polars does not repeat every single value by itself: not as the test of a large frame, which it
    filters in pieces, and not as what a comparison with a constant column gives.
    """
    series = frame.select(expression).to_series()
    if len(series) == frame.height:
        return series
    return series.new_from_index(0, frame.height)

"""Small steps on frames: computing an expression for every row, taking rows, and dropping columns."""

from collections.abc import Iterable, Sequence

import polars as pl

FEW = 16
"""Number of columns up to which dropping them one by one is faster."""


def compute_rows(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    """Return the value in each row.

    Polars does not always repeat a single value: not in a filter of a large frame, which it processes in pieces, and
    not in a comparison with a constant column.
    """
    series = frame.select(expression).to_series()
    if len(series) == frame.height:
        return series
    return series.new_from_index(0, frame.height)


def take_rows(frame: pl.DataFrame, rows: Sequence[int]) -> pl.DataFrame:
    """Return these rows, in this order; for a plain list of them Polars takes twice the time."""
    return frame[pl.Series(rows, dtype=pl.UInt32)]


def drop_columns(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return the frame without these columns; unknown names are ignored.

    `DataFrame.drop` builds and optimises a query plan, which costs more than the rest of a small query. Each column
    that is dropped alone takes time for every other one.
    """
    there = frozenset(names).intersection(frame.columns)
    if not there:
        return frame
    if len(there) > FEW:
        return frame[[name for name in frame.columns if name not in there]]
    rest = frame.clone()
    for name in there:
        rest.drop_in_place(name)
    return rest

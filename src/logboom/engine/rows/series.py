"""Series side by side."""

import polars as pl


def join_series(columns: list[pl.Series]) -> pl.DataFrame:
    """Return a frame of series of equal length; `DataFrame` itself spends most of a short query on what they may be."""
    if not columns:
        return pl.DataFrame()
    first, *others = columns
    return first.to_frame().hstack(others) if others else first.to_frame()

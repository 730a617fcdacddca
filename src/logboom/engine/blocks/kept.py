"""Columns as the cache keeps them: one that has the same text in all rows is that text and their number."""

from typing import NamedTuple

import polars as pl

from logboom.engine.rows.size import measure_series

Stretch = tuple[int, int]
"""Some rows of a block: the first row, and the number of rows."""


class Kept(NamedTuple):
    """A column, or its only text."""

    series: pl.Series
    size_bytes: int
    rows: int

    @classmethod
    def of(cls, series: pl.Series, extra_bytes: int = 0) -> "Kept":
        kept = pl.Series(series.name, [series[0]], pl.String) if is_same(series) else series
        return cls(kept, measure_series(kept) + extra_bytes, len(series))

    def read(self, stretch: Stretch | None = None) -> pl.Series:
        """Return the column, or some of its rows."""
        first, rows = stretch or (0, self.rows)
        if len(self.series) < self.rows:
            return self.series.new_from_index(0, rows)
        return self.series.slice(first, rows) if stretch else self.series


def is_same(series: pl.Series) -> bool:
    """Return whether all rows have the same text, or none has any; the views of texts take more than most numbers."""
    if series.dtype != pl.String or len(series) < 2:
        return False
    if series.null_count():
        return series.null_count() == len(series)
    return bool(series[0] == series[-1] and (series == series[0]).all())

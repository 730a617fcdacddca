"""Copies the texts of a few rows, which would otherwise keep the buffers of all rows they were filtered from."""

import io

import polars as pl

from logboom.engine.rows.size import measure
from logboom.engine.rows.table import BLOCK, Table

SHARE = 4
"""Rows are copied if they take at most a quarter of the memory of their source."""
LEAST_BYTES = 1 << 20
"""Below this size of the source, copying costs more than the memory is worth."""
NOTHING = pl.Series([""])
"""Adding it to texts copies them."""
TEXTS = pl.List(pl.String)


def detach_few(table: Table, source_bytes: int) -> Table:
    """Return the table, detached if it is much smaller than its source."""
    if source_bytes < LEAST_BYTES or SHARE * measure(table.frame) > source_bytes:
        return table
    return table.with_frame(detach(table.frame))


def detach(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with texts that do not refer to those of other rows."""
    columns = [copy_texts(series) for series in frame]
    return pl.DataFrame(columns) if columns else frame


def copy_texts(series: pl.Series) -> pl.Series:
    """Return the series, copied if it has texts; those of the block's path are shared by all rows anyway."""
    if series.dtype == pl.String and series.name != BLOCK:
        return series + NOTHING
    return copy_lists(series) if series.dtype == TEXTS else series


def copy_lists(series: pl.Series) -> pl.Series:
    """Copy texts in lists without the rest of the buffers that they refer to, which the newer layout would copy."""
    copy = io.BytesIO()
    series.to_frame().write_ipc_stream(copy, compat_level=pl.CompatLevel.oldest())
    copy.seek(0)
    return pl.read_ipc_stream(copy).to_series()

"""How many bytes rows take in memory."""

from collections.abc import Iterable

import polars as pl

from logboom.engine.rows.table import BLOCK, Table
from logboom.engine.rows.table import VIEW_BYTES as VIEW_BYTES

CELL_BYTES = 16
"""What one computed value takes, other than a long text: the value or the view, and whether it is there."""


def measure(frame: pl.DataFrame) -> int:
    """What a frame takes; rows share the text of their block's path."""
    schema = frame.schema
    size_bytes = int(frame.estimated_size())
    if BLOCK in schema:
        size_bytes -= int(frame[BLOCK].estimated_size())
    dtypes = schema.values()
    size_bytes += VIEW_BYTES * frame.height * sum(dtype == pl.String for dtype in dtypes)
    listed = [name for name, dtype in schema.items() if isinstance(dtype, pl.List)]
    return size_bytes + VIEW_BYTES * sum(count_texts(frame[name]) for name in listed)


def measure_table(table: Table) -> int:
    """What rows take with the lists that they share."""
    lists = [each for shared in table.shared.values() for each in shared.lists.values()]
    return measure(table.frame) + sum(map(measure_series, lists))


def measure_series(series: pl.Series) -> int:
    return int(series.estimated_size()) + VIEW_BYTES * count_texts(series)


def count_texts(series: pl.Series) -> int:
    """The texts in a series, also those in lists."""
    dtype = series.dtype
    if dtype == pl.String:
        return len(series)
    if isinstance(dtype, pl.List) and dtype.inner == pl.String:
        return int(series.list.len().sum() or 0)
    return 0


def measure_fields(table: Table, fields: Iterable[str]) -> int:
    """What the values of some fields take."""
    columns = dict.fromkeys(column for field in fields for column in table.find_columns(field))
    return sum(measure_series(table.frame[column.name]) for column in columns)

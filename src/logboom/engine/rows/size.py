"""The memory size of rows."""

from collections.abc import Iterable

import polars as pl

from logboom.engine.rows.table import BLOCK, Table
from logboom.engine.rows.table import VIEW_BYTES as VIEW_BYTES

CELL_BYTES = 16
"""The size of a computed value other than a long text: the value or its view, and its validity bit."""
TEXT_LIST = pl.List(pl.String())
TEXTS_IN_LISTS = pl.col(TEXT_LIST).list.len().sum()
"""Of each column, all in one call: of a small table the call takes longest."""


def measure(frame: pl.DataFrame) -> int:
    """Return the size of a frame; rows share the text of their block's path."""
    size_bytes = int(frame.estimated_size())
    dtypes = frame.dtypes
    texts = frame.height * sum([isinstance(dtype, pl.String) for dtype in dtypes])
    if TEXT_LIST in [dtype for dtype in dtypes if isinstance(dtype, pl.List)]:
        texts += sum(frame.select_seq(TEXTS_IN_LISTS).row(0))
    if BLOCK in frame.columns:
        size_bytes -= int(frame[BLOCK].estimated_size())
    return size_bytes + VIEW_BYTES * texts


def measure_table(table: Table) -> int:
    """Return the size of rows with the lists that they share."""
    lists = [each for shared in table.shared.values() for each in shared.lists.values()]
    return measure(table.frame) + sum(map(measure_series, lists))


def measure_series(series: pl.Series) -> int:
    return int(series.estimated_size()) + VIEW_BYTES * count_texts(series)


def count_texts(series: pl.Series) -> int:
    """Return the number of texts in a series, including those in lists."""
    dtype = series.dtype
    if dtype == pl.String:
        return len(series)
    return int(series.list.len().sum() or 0) if dtype == TEXT_LIST else 0


def measure_fields(table: Table, fields: Iterable[str]) -> int:
    """Return the size of the values of some fields."""
    columns = dict.fromkeys(column for field in fields for column in table.find_columns(field))
    return sum(measure_series(table.frame[column.name]) for column in columns)

"""Turns results that belong to a row and a column of a table into that table's columns."""

from collections.abc import Iterator

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import CELL_BYTES

ROW, COLUMN = internal("spread_row"), internal("spread_column")
COLUMN_BYTES = 2000
"""The memory of a column beside its values."""


class Cells(InternalStruct, frozen=True):
    """Where results go: `places` has for each cell, column by column, the index of its result."""

    places: pl.Series
    results: pl.DataFrame
    height: int
    width: int

    @classmethod
    def of(
        cls, results: pl.DataFrame, rows: pl.DataFrame, column: str, columns: list[str]
    ) -> "Cells":
        """Place results, each with the keys of its row and, in `column`, the name of one of the `columns`."""
        cells = rows.height * len(columns)
        reserve(
            cells * CELL_BYTES * max(results.width - rows.width, 1) + len(columns) * COLUMN_BYTES
        )
        numbers = pl.DataFrame({column: columns}, {column: pl.String}).with_row_index(COLUMN)
        placed = results.join(numbers, on=column, how="inner").join(
            rows.with_row_index(ROW), on=rows.columns, how="inner", nulls_equal=True
        )
        cell = placed.select(pl.col(COLUMN).cast(pl.Int64) * rows.height + pl.col(ROW)).to_series()
        numbered = pl.int_range(placed.height, dtype=pl.UInt32, eager=True)
        empty = pl.repeat(None, cells, dtype=pl.UInt32, eager=True)
        return cls(empty.scatter(cell, numbered), placed, rows.height, len(columns))

    def spread(self, name: str, empty: int | float | None) -> Iterator[pl.Series]:
        """Yield one result as columns, in the given order."""
        results = self.results[name]
        if isinstance(results.dtype, pl.List):
            # A slice of lists refers to the values of all of them, and is copied with these.
            yield from map(results.gather, self._split(self.places))
            return
        values = results.gather(self.places)
        yield from self._split(values if empty is None else values.fill_null(empty))

    def _split(self, cells: pl.Series) -> Iterator[pl.Series]:
        for number in range(self.width):
            yield cells.slice(number * self.height, self.height)

"""A block as the engine sees it: its index to decide by, its columns to read."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl

from logboom.base.errors import Corrupt, NotFound
from logboom.model.columns import Column, Kind, parse_column
from logboom.model.names import fold_name
from logboom.model.summary import ColumnSummary
from logboom.store.block.index import BlockIndex
from logboom.store.block.writer import BlockInfo

log = logging.getLogger(__name__)

ROW = "_row"
REST = "_rest"


@dataclass(frozen=True)
class Block:
    """One live block; `location` is what Polars opens."""

    info: BlockInfo
    index: BlockIndex
    location: str

    def find_columns(self, field: str) -> list[Column]:
        """The columns that hold values of a field, whatever its case."""
        folded = fold_name(field)
        candidates = (Column(folded, kind) for kind in Kind)
        return [column for column in candidates if column.name in self.index.columns]

    def list_columns(self) -> list[Column]:
        """Every column of the events' own fields."""
        return [parse_column(name) for name in self.index.columns]

    def summarise(self, column: Column) -> ColumnSummary:
        return self.index.columns[column.name]

    @property
    def has_overflow(self) -> bool:
        """Whether some events have fields that no column holds."""
        return self.index.overflow_rows > 0

    def scan(self) -> pl.LazyFrame:
        return pl.scan_parquet(self.location, row_index_name=ROW, glob=False)

    def read(self, columns: Iterable[str], first: int, last: int) -> pl.DataFrame:
        """Some columns of the rows from `first` to `last`, both included."""
        frame = self.scan().slice(first, last - first + 1)
        return frame.select(ROW, *dict.fromkeys(columns)).collect()


@contextmanager
def blame_block(path: str) -> Iterator[None]:
    """Name the block when what is done with it fails because it is damaged or gone."""
    try:
        yield
    except (OSError, NotFound, pl.exceptions.ComputeError) as error:
        log.exception("block cannot be read", extra={"block": path})
        raise Corrupt(path, 0, "the block cannot be read") from error

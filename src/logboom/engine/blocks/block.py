"""A block as the engine sees it: an index, which tells whether to read it, and columns."""

from collections.abc import Callable, Iterable, Iterator, KeysView
from functools import cached_property

import polars as pl
from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.engine.blocks.columns import ColumnCache, Use
from logboom.engine.blocks.events import EventCache
from logboom.engine.blocks.kept import Stretch
from logboom.engine.rows.table import ROW
from logboom.model.columns import Column
from logboom.model.names import fold_name
from logboom.model.summary import ColumnSummary
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import NANOSECONDS, select_columns
from logboom.store.block.parts import Part

TIME = "_time"
PIECE_GAP_ROWS = 1000


class Block(InternalStruct, frozen=True, dict=True, weakref=True):
    """One live block. Its file is read through the cache; Corrupt if it is damaged."""

    info: BlockInfo
    index: BlockIndex
    cache: ColumnCache
    events: EventCache
    use: Use
    is_local: Callable[[], bool]
    """Whether its file is on this machine."""
    stretch: Stretch | None = None
    """The rows to read, if not all of them. The index always describes the whole block."""

    @cached_property
    def zones(self) -> "list[Block]":
        """Ranges of the block's rows, each with an index of its own, as blocks that are never read."""
        return [replace(self, index=index) for index in self.index.zones]

    def find_columns(self, field: str) -> list[Column]:
        """Return the columns of a field, ignoring case."""
        return list(self.index.columns_by_field.get(fold_name(field), ()))

    def list_columns(self) -> list[Column]:
        """Return every column of the events' fields, without the service's own."""
        return [column for columns in self.index.columns_by_field.values() for column in columns]

    @property
    def fields(self) -> KeysView[str]:
        """The folded names of all fields that have columns."""
        return self.index.names_by_field.keys()

    def summarise(self, column: Column) -> ColumnSummary:
        return self.index.columns[self.locate(column)]

    def locate(self, column: Column) -> str:
        """Return the name of the column in the block."""
        return self.index.columns_by_field[column.field][column]

    @property
    def has_overflow(self) -> bool:
        """Whether some events have values that are not in a column of their own."""
        return self.index.overflow_rows > 0 or bool(self.index.doubled)

    @property
    def first_row(self) -> int:
        return self.stretch[0] if self.stretch else 0

    @property
    def rows(self) -> int:
        """The number of rows to read."""
        return self.stretch[1] if self.stretch else self.index.rows

    def read(self, columns: Iterable[str]) -> pl.DataFrame:
        """Return some columns of the rows to read, from the cache if possible."""
        return self.cache.read(self.info.path, self.use, columns, self.stretch)

    def read_slice(self, columns: Iterable[str], first: int, last: int) -> pl.DataFrame:
        """Return some columns of the rows `first` to `last`, inclusive; not cached."""
        wanted = list(dict.fromkeys((ROW, *columns)))

        def read(path: str) -> pl.DataFrame:
            scan = pl.scan_parquet(path, row_index_name=ROW, glob=False)
            return select_columns(scan.slice(first, last - first + 1), wanted).collect()

        return self.use(Part.of(wanted, [range(first, last + 1)]), read)

    def read_scattered(self, columns: Iterable[str], rows: list[int]) -> pl.DataFrame:
        """Return some columns of a few rows, given in ascending order; not cached.

        Polars decodes the times first, and of the other columns only the pages with rows of these times.
        """
        wanted = list(dict.fromkeys((ROW, *columns)))
        if not self.is_local():
            return self._read_pieces(wanted, rows)
        times_ns = self._read_times(rows)

        def read(path: str) -> pl.DataFrame:
            scan = pl.scan_parquet(path, row_index_name=ROW, glob=False, parallel="prefiltered")
            times = times_ns.cast(NANOSECONDS).cast(scan.collect_schema()[TIME])
            near = pl.col(TIME).is_between(times.min(), times.max())
            chosen = scan.filter(near & pl.col(TIME).is_in(times.implode()))
            return select_columns(chosen, wanted).collect()

        return self.use(Part.of(wanted), read).filter(pl.col(ROW).is_in(rows))

    def _read_pieces(self, columns: list[str], rows: list[int]) -> pl.DataFrame:
        """Do what `read_scattered` does for a remote file, where several small reads are faster than a large one."""
        pieces = list(find_pieces(rows))

        def read(path: str) -> pl.DataFrame:
            scan = pl.scan_parquet(path, row_index_name=ROW, glob=False)
            frames = pl.collect_all(
                select_columns(scan.slice(piece.start, len(piece)), columns) for piece in pieces
            )
            return pl.concat(frames)

        return self.use(Part.of(columns, pieces), read).filter(pl.col(ROW).is_in(rows))

    def _read_times(self, rows: list[int]) -> pl.Series:
        """Return the distinct times of some rows."""
        known = self.find([TIME])
        if known:
            return known[TIME].gather(rows).unique()
        near = self.read_slice([TIME], rows[0], rows[-1])
        return near.filter(pl.col(ROW).is_in(rows))[TIME].unique()

    def derive(self, name: str, compute: Callable[[], pl.Series]) -> pl.Series:
        """Return the result of `compute`, cached like a column of that name."""
        return self.cache.derive(self.info.path, name, compute, self.stretch)

    def find(self, columns: Iterable[str]) -> dict[str, pl.Series]:
        """Return the columns among these that are in the cache, with all rows."""
        return self.cache.find(self.info.path, columns)


def find_pieces(rows: list[int]) -> Iterator[range]:
    """Yield ranges that cover the given rows, in order; rows that are close together share a range."""
    first = last = rows[0]
    for row in rows:
        if row - last > PIECE_GAP_ROWS:
            yield range(first, last + 1)
            first = row
        last = row
    yield range(first, last + 1)

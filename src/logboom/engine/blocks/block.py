"""A block as the engine sees it: an index, which tells whether to read it, and columns."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TypeVar

import polars as pl
from msgspec.structs import replace

from logboom.base.clock import system_clock
from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import InternalStruct
from logboom.engine.blocks.columns import ColumnCache, Stretch, Use
from logboom.engine.blocks.events import EventCache
from logboom.engine.rows.table import ROW
from logboom.model.columns import Column
from logboom.model.names import fold_name
from logboom.model.summary import ColumnSummary
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import NANOSECONDS, select_columns
from logboom.store.block.parts import Part
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.indexes import IndexCache
from logboom.store.integrity.access import BlockAccess
from logboom.store.integrity.damage import DamagedBlocks
from logboom.store.options import INDEX_CACHE_BYTES

T = TypeVar("T")

TIME = "_time"
PIECE_GAP_ROWS = 1000
PARALLEL_BLOCKS = 16
"""How many blocks are examined at the same time when each may wait for the store."""
EVENTS_SHARE = 16
"""1/16 of the cache is for events of answers; the rest is for columns."""


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
        """The columns of a field, ignoring case."""
        return list(self.index.columns_by_field.get(fold_name(field), ()))

    def list_columns(self) -> list[Column]:
        """Every column of the events' fields, without the service's own."""
        return [column for columns in self.index.columns_by_field.values() for column in columns]

    @property
    def fields(self) -> KeysView[str]:
        """The folded names of all fields that have columns."""
        return self.index.names_by_field.keys()

    def summarise(self, column: Column) -> ColumnSummary:
        return self.index.columns[self.locate(column)]

    def locate(self, column: Column) -> str:
        """The name of the column in the block."""
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
        """Some columns of the rows to read, from the cache if possible."""
        return self.cache.read(self.info.path, self.use, columns, self.stretch)

    def read_slice(self, columns: Iterable[str], first: int, last: int) -> pl.DataFrame:
        """Some columns of the rows `first` to `last`, inclusive; not cached."""
        wanted = list(dict.fromkeys((ROW, *columns)))

        def read(path: str) -> pl.DataFrame:
            scan = pl.scan_parquet(path, row_index_name=ROW, glob=False)
            return select_columns(scan.slice(first, last - first + 1), wanted).collect()

        return self.use(Part.of(wanted, [range(first, last + 1)]), read)

    def read_scattered(self, columns: Iterable[str], rows: list[int]) -> pl.DataFrame:
        """Some columns of a few rows, given in ascending order; not cached.

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
        """The same for a remote file, of which several small reads are faster than one large read."""
        pieces = list(find_pieces(rows))

        def read(path: str) -> pl.DataFrame:
            scan = pl.scan_parquet(path, row_index_name=ROW, glob=False)
            frames = pl.collect_all(
                select_columns(scan.slice(piece.start, len(piece)), columns) for piece in pieces
            )
            return pl.concat(frames)

        return self.use(Part.of(columns, pieces), read).filter(pl.col(ROW).is_in(rows))

    def _read_times(self, rows: list[int]) -> pl.Series:
        """The distinct times of some rows."""
        known = self.find([TIME])
        if known:
            return known[TIME].gather(rows).unique()
        near = self.read_slice([TIME], rows[0], rows[-1])
        return near.filter(pl.col(ROW).is_in(rows))[TIME].unique()

    def derive(self, name: str, compute: Callable[[], pl.Series]) -> pl.Series:
        """The result of `compute`, cached like a column of that name."""
        return self.cache.derive(self.info.path, name, compute, self.stretch)

    def find(self, columns: Iterable[str]) -> dict[str, pl.Series]:
        """The columns among these that are in the cache, with all rows."""
        return self.cache.find(self.info.path, columns)


def find_pieces(rows: list[int]) -> Iterator[range]:
    """Ranges that cover the given rows, in order; rows that are close together share a range."""
    first = last = rows[0]
    for row in rows:
        if row - last > PIECE_GAP_ROWS:
            yield range(first, last + 1)
            first = row
        last = row
    yield range(first, last + 1)


class BlockReader:
    """Opens blocks and caches what was read of them. Thread-safe.

    If pickled, it becomes the receiving process's own reader of the same store.
    """

    def __init__(self, access: BlockAccess, indexes: IndexCache, cache_bytes: int) -> None:
        self._access = access
        self._indexes = indexes
        self._cache_bytes = cache_bytes
        for_events = cache_bytes // EVENTS_SHARE
        self.columns = ColumnCache(cache_bytes - for_events)
        self.events = EventCache(for_events)
        self._opened: dict[str, Block] = {}
        """Blocks whose indexes are cached."""
        indexes.on_evicted(lambda path: self._opened.pop(path, None))
        self._waiting = ThreadPoolExecutor(PARALLEL_BLOCKS, "blocks")

    def open(self, info: BlockInfo) -> Block:
        """Corrupt if both the block and its index are damaged."""
        index = self._indexes.read(info)
        opened = self._opened.get(info.path)
        if opened is not None and opened.index is index:
            return opened
        use = partial(self._access.use_part, info, index.file)
        is_local = partial(self._access.objects.is_local, info.path)
        opened = Block(info, index, self.columns, self.events, use, is_local)
        self._opened[info.path] = opened
        if info.path not in self._indexes:
            # It was evicted just now, before `_opened` had it.
            self._opened.pop(info.path, None)
        return opened

    @property
    def is_remote(self) -> bool:
        """Whether looking at an index may wait for the store."""
        return self._access.objects.is_remote

    def ask_each(self, ask: Callable[[BlockInfo], T], blocks: Sequence[BlockInfo]) -> Iterable[T]:
        """Call `ask` for every block; concurrently if each call may wait for the store."""
        if not self.is_remote or len(blocks) == 1:
            return map(ask, blocks)
        return self._waiting.map(ask, blocks)

    def report(self, info: BlockInfo, reason: str) -> None:
        """Set aside a block that another process found to be damaged."""
        self._access.damaged.set_aside(info, reason)

    def drop(self, paths: Iterable[str]) -> None:
        """Drop what is cached of removed blocks."""
        gone = set(paths)
        for path in gone:
            self._opened.pop(path, None)
        self.columns.drop(gone)
        self.events.drop(gone)

    def forget(self) -> None:
        """Drop everything that is cached."""
        self.columns.clear()
        self.events.clear()

    def __reduce__(self) -> tuple[object, ...]:
        return open_reader, (self._access.objects, self._cache_bytes)


READERS: dict[str, BlockReader] = {}
"""The readers of a worker process, by the location of their store."""


def open_reader(objects: ObjectStore, cache_bytes: int) -> BlockReader:
    place = objects.locate("")
    if place not in READERS:
        # The process that sends the work decides which blocks are live and which are damaged.
        damaged = DamagedBlocks(objects, system_clock, Snapshot, writes=False)
        access = BlockAccess(objects, damaged)
        indexes = IndexCache(access, INDEX_CACHE_BYTES)
        READERS[place] = BlockReader(access, indexes, cache_bytes)
    return READERS[place]

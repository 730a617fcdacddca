"""The column cache: decoded columns of blocks and what was derived from them, least recently used dropped first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

import polars as pl

from logboom.engine.blocks.kept import Kept, Stretch
from logboom.engine.rows.series import join_series
from logboom.engine.rows.size import measure_series
from logboom.store.block.layout import TIME, select_columns
from logboom.store.block.parts import Part

MAX_SIZES = 100_000
"""The number of columns whose size is remembered."""
MAX_SHARE = 2
"""A column that takes more than half of the cache is not cached: it would evict too much."""

Key = tuple[str, Stretch | None, str]
"""A block, its rows if not all, and a column."""
Use = Callable[[Part, Callable[[str], pl.DataFrame]], pl.DataFrame]
"""Calls a reader with the path of a block's file, of which at least this part is available."""


class ColumnCache:
    """Blocks never change, so neither do their columns. Thread-safe."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._columns: OrderedDict[Key, Kept] = OrderedDict()
        self._row_bytes: OrderedDict[tuple[str, str], float] = OrderedDict()

    def read(
        self,
        location: str,
        use: Use,
        names: Iterable[str],
        stretch: Stretch | None = None,
    ) -> pl.DataFrame:
        """Return these columns of the block at `location`, for all or some of its rows."""
        wanted = list(dict.fromkeys(names))
        found = self._find(location, wanted, stretch)
        missing = [name for name in wanted if name not in found]
        if missing:
            rows = None if stretch is None else [range(stretch[0], sum(stretch))]
            part = Part.of(missing, rows)
            frame = use(part, lambda file: read_columns(file, missing, stretch))
            self.note_sizes(location, frame)
            for series in frame:
                found[series.name] = series
                self._keep((location, stretch, series.name), series)
        return join_series([found[name] for name in wanted])

    def derive(
        self,
        location: str,
        name: str,
        compute: Callable[[], pl.Series],
        stretch: Stretch | None = None,
    ) -> pl.Series:
        """Return the result of `compute`, cached like a column of the block."""
        found = self._find(location, [name], stretch)
        if name in found:
            return found[name]
        series = compute()
        self._keep((location, stretch, name), series, extra_bytes=len(name))
        return series

    def find(self, location: str, names: Iterable[str]) -> dict[str, pl.Series]:
        """Return the columns among these that are cached."""
        return self._find(location, list(dict.fromkeys(names)), None)

    def find_row_bytes(self, location: str, name: str) -> float | None:
        """Return the size of a row of a column, or None if it was never read."""
        with self._lock:
            return self._row_bytes.get((location, name))

    def note_sizes(self, location: str, frame: pl.DataFrame) -> None:
        """Remember the size of rows of some columns."""
        sizes = {
            (location, series.name): measure_series(series) / max(len(series), 1)
            for series in frame
        }
        with self._lock:
            self._row_bytes.update(sizes)
            while len(self._row_bytes) > MAX_SIZES:
                self._row_bytes.popitem(last=False)

    def drop(self, locations: Iterable[str]) -> None:
        """Drop the columns of removed blocks."""
        gone = set(locations)
        with self._lock:
            for key in [key for key in self._columns if key[0] in gone]:
                self._size_bytes -= self._columns.pop(key).size_bytes
            for column in [column for column in self._row_bytes if column[0] in gone]:
                del self._row_bytes[column]

    def clear(self) -> None:
        """Drop all columns; the sizes of their rows are still remembered."""
        with self._lock:
            self._columns.clear()
            self._size_bytes = 0

    @property
    def size_bytes(self) -> int:
        """The size of the cached columns."""
        return self._size_bytes

    def _find(
        self, location: str, names: list[str], stretch: Stretch | None
    ) -> dict[str, pl.Series]:
        found = self._touch_all(location, names, stretch)
        return {name: kept.read(rows) for name, (kept, rows) in found.items()}

    def _touch_all(
        self, location: str, names: Iterable[str], stretch: Stretch | None
    ) -> dict[str, tuple[Kept, Stretch | None]]:
        """Return the cached columns among these, each with the rows of it to read."""
        found = {}
        with self._lock:
            for name in names:
                if whole := self._touch((location, None, name)):
                    found[name] = whole, stretch
                elif part := self._touch((location, stretch, name)):
                    found[name] = part, None
        return found

    def _touch(self, key: Key) -> Kept | None:
        """Return a cached column and mark it as most recently used."""
        if key not in self._columns:
            return None
        self._columns.move_to_end(key)
        return self._columns[key]

    def _keep(self, key: Key, series: pl.Series, extra_bytes: int = 0) -> None:
        kept = Kept.of(series, extra_bytes)
        if kept.size_bytes > self._capacity_bytes // MAX_SHARE:
            return
        with self._lock:
            if key in self._columns:
                return
            self._columns[key] = kept
            self._size_bytes += kept.size_bytes
            while self._size_bytes > self._capacity_bytes:
                self._size_bytes -= self._columns.popitem(last=False)[1].size_bytes


def read_columns(file: str, names: list[str], stretch: Stretch | None = None) -> pl.DataFrame:
    scan = pl.scan_parquet(file, glob=False)
    if stretch is not None:
        scan = scan.slice(*stretch)
    return mark_order(select_columns(scan, names).collect().rechunk())


def mark_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with its times marked as sorted if they are, so that this need not be checked again."""
    if TIME not in frame.columns or not frame[TIME].is_sorted():
        return frame
    return frame.replace_column(frame.get_column_index(TIME), frame[TIME].set_sorted())

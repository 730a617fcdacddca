"""The rows of several blocks in one order, a zone at a time, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import google_crc32c
import polars as pl
from arro3.io import read_parquet

from logboom.base.errors import Corrupt
from logboom.base.objects import ObjectStore
from logboom.model.columns import DTYPES, parse_column
from logboom.model.rows import CORE_SCHEMA
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import join_shapes
from logboom.store.block.parquet import ROW_GROUP_ROWS

T = TypeVar("T")

ORDER = ("_time", "_node", "_seq")
ZONE_ROWS = 50_000
ZONE_BYTES = 40 << 20
MANY_COLUMNS = 256
FEW_COLUMNS = 100
GROUP_BYTES = 24 << 20
"""Blocks with fewer columns and no larger row groups are read by these, which is the quickest way."""
BATCH_ROWS = 8192
BATCH_CELLS = 1 << 18
BATCH_BYTES = 8 << 20
WAITING_BYTES = 48 << 20
"""What may wait for older rows of other blocks; blocks that would make it more are left for another turn."""
VIEW_BYTES = 16
MAX_OPEN_COLUMNS = 1536
"""Columns of blocks that are read side by side; each costs memory beside its rows."""
MAX_PIECES = 64
"""Frames that may wait one by one; each costs memory beside its rows."""
OWN_SCHEMA: dict[str, pl.DataType] = {"_node": pl.String(), "_env": pl.String(), "_day": pl.Date()}


@dataclass(frozen=True)
class MergeInput:
    """A block to read, and what must be known of it before; its whole index would take too much memory.

    `names` are those of the columns of its fields. `is_odd` says that some values have no column of their own, so
    that no index of the block can be trusted for them.
    """

    info: BlockInfo
    names: tuple[str, ...]
    batch_rows: int
    is_odd: bool

    @classmethod
    def of(cls, info: BlockInfo, index: BlockIndex) -> "MergeInput":
        is_odd = index.overflow_rows > 0 or bool(index.doubled)
        return cls(info, tuple(index.columns), choose_batch_rows(index), is_odd)


def choose_batch_rows(index: BlockIndex) -> int:
    """How many rows of a block to read at once, so that they fit in memory whatever they hold."""
    row_bytes = max(zone.memory_bytes / zone.rows for zone in index.zones or [index])
    # What a flush writes is bounded, so that many rows are small rows.
    is_small = row_bytes * ROW_GROUP_ROWS <= GROUP_BYTES and index.rows >= BATCH_ROWS
    if is_small and len(index.columns) < FEW_COLUMNS:
        return ROW_GROUP_ROWS
    rows = min(BATCH_ROWS, BATCH_CELLS // (len(index.columns) + 1))
    if row_bytes:
        rows = min(rows, int(BATCH_BYTES / row_bytes))
    return max(rows, 1)


def unite_schemas(sources: Sequence[MergeInput]) -> pl.Schema:
    """The columns of a block that holds the rows of all of these."""
    columns = dict.fromkeys(parse_column(name) for source in sources for name in source.names)
    fields = {column.name: DTYPES[column.kind] for column in columns}
    return pl.Schema(CORE_SCHEMA | fields | OWN_SCHEMA)


class Cursor:
    """Reads the rows of a block, oldest first. No row to come is older than `bound_ns`."""

    def __init__(self, source: MergeInput, objects: ObjectStore) -> None:
        self._path = source.info.path
        self._left = source.info.rows
        self._batch_rows = source.batch_rows
        self.bound_ns = source.info.first_ns
        # Blocks of earlier releases may have other names for some columns.
        self._names = {
            name: parse_column(name).name
            for name in source.names
            if parse_column(name).name != name
        }

        def open_file(path: str) -> Iterator[pl.DataFrame]:
            verify(path, source.info)
            if any("\0" in name for name in self._names):
                return split_frame(pl.read_parquet(path, glob=False), source.batch_rows)
            if source.batch_rows == ROW_GROUP_ROWS:
                return read_slices(path, source)
            return map(pl.DataFrame, read_parquet(path, batch_size=source.batch_rows))

        self._frames = self._try(lambda: objects.use(self._path, open_file))

    @property
    def is_done(self) -> bool:
        return self._left <= 0

    @property
    def is_short(self) -> bool:
        """Whether all rows that are left are read at once."""
        return self._left <= self._batch_rows

    def read(self) -> pl.DataFrame:
        frame = join_shapes(self._try(lambda: next(self._frames))).rename(self._names)
        times = frame["_time"].cast(CORE_SCHEMA["_time"])
        frame = frame.replace_column(frame.get_column_index("_time"), times)
        self._left -= frame.height
        self.bound_ns = int(times.cast(pl.Int64)[-1])
        return frame

    def _try(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except (OSError, Corrupt):
            raise
        except Exception as error:
            raise Corrupt(self._path, 0, f"the block cannot be read: {error}") from error


def read_slices(path: str, source: MergeInput) -> Iterator[pl.DataFrame]:
    """The rows of a file, one row group or more at a time: smaller pieces would decode each of them anew."""
    scan = pl.scan_parquet(path, glob=False, parallel="none")
    for start in range(0, source.info.rows, source.batch_rows):
        yield scan.slice(start, source.batch_rows).collect()


def split_frame(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    return (frame.slice(start, rows) for start in range(0, frame.height, rows))


def verify(path: str, info: BlockInfo) -> None:
    """Corrupt unless the file is what was written: a merge must not give damage a good checksum."""
    if info.checksum is None:
        return
    with Path(path).open("rb") as file:
        checksum = 0
        while piece := file.read(1 << 20):
            checksum = google_crc32c.extend(checksum, piece)
    if checksum != info.checksum:
        raise Corrupt(info.path, 0, "its checksum is not that of the catalog")


class WaitingRows(NamedTuple):
    """Rows in order that wait for others."""

    frame: pl.DataFrame
    size_bytes: float

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "WaitingRows":
        return cls(frame, measure_memory(frame))

    def split(self, row: int) -> "tuple[WaitingRows, WaitingRows]":
        """The rows before a row, and the others."""
        share = self.size_bytes * row / max(self.frame.height, 1)
        head = WaitingRows(self.frame.head(row), share)
        return head, WaitingRows(self.frame.slice(row), self.size_bytes - share)


@dataclass
class RowMerger:
    """Reads blocks side by side. Those that do not fit in memory beside the others are put into `left`."""

    sources: list[MergeInput]
    objects: ObjectStore
    schema: pl.Schema
    give_way: Callable[[], None]
    left: list[MergeInput] = field(default_factory=list)
    _open: list[Cursor] = field(default_factory=list)
    _waiting: list[WaitingRows] = field(default_factory=list)

    def read_zones(self) -> Iterator[pl.DataFrame]:
        """All rows in order, in frames of one zone each."""
        closed = sorted(self.sources, key=lambda source: source.info.first_ns, reverse=True)
        while closed or self._open:
            self.give_way()
            oldest = min(self._open, key=lambda cursor: cursor.bound_ns, default=None)
            if oldest is None or (closed and closed[-1].info.first_ns <= oldest.bound_ns):
                self._open_source(closed.pop())
            else:
                self._read(oldest)
                yield from self._take_zones(self._find_bound(closed))
        yield from self._take_zones(None)

    def _open_source(self, source: MergeInput) -> None:
        while self._is_crowded and (short := [each for each in self._open if each.is_short]):
            self._read(short[0])
        has_room = not self._is_crowded and self._measure(self._waiting) < WAITING_BYTES
        if has_room or not self._open:
            self._open.append(Cursor(source, self.objects))
        else:
            self.left.append(source)

    @property
    def _is_crowded(self) -> bool:
        return (len(self._open) + 1) * len(self.schema) > MAX_OPEN_COLUMNS and bool(self._open)

    def _read(self, cursor: Cursor) -> None:
        self._waiting.append(WaitingRows.of(cursor.read()))
        if cursor.is_done:
            self._open.remove(cursor)
        small = [piece for piece in self._waiting if piece.frame.height < BATCH_ROWS]
        if len(small) > MAX_PIECES:
            large = [piece for piece in self._waiting if piece.frame.height >= BATCH_ROWS]
            self._waiting = [*large, WaitingRows.of(self._join(small))]

    def _find_bound(self, closed: list[MergeInput]) -> int | None:
        """No row that was not read is older than this; None when all were."""
        bounds = [cursor.bound_ns for cursor in self._open]
        bounds += [source.info.first_ns for source in closed[-1:]]
        return min(bounds, default=None)

    def _take_zones(self, bound_ns: int | None) -> Iterator[pl.DataFrame]:
        """The zones that are complete, as all of their rows are older than `bound_ns`."""
        is_end = bound_ns is None
        if not (is_end or self._fills_zone(self._waiting)):
            return
        halves = [piece.split(count_before(piece.frame, bound_ns)) for piece in self._waiting]
        ready = [head for head, _ in halves if head.frame.height]
        if not ready or not (is_end or self._fills_zone(ready)):
            return
        self._waiting = [tail for _, tail in halves if tail.frame.height]
        size_bytes = self._measure(ready)
        frame = self._join(ready)
        del ready, halves
        rows = max(1, min(ZONE_ROWS, int(self._zone_bytes * frame.height // max(size_bytes, 1))))
        whole = frame.height if is_end else frame.height // rows * rows
        if whole < frame.height:
            self._waiting.append(WaitingRows.of(frame.slice(whole)))
        for start in range(0, whole, rows):
            yield frame.slice(start, min(rows, whole - start))

    def _fills_zone(self, pieces: list[WaitingRows]) -> bool:
        rows = sum(piece.frame.height for piece in pieces)
        return rows >= ZONE_ROWS or self._measure(pieces) >= self._zone_bytes

    @property
    def _zone_bytes(self) -> int:
        """Less for rows of many columns, each of which takes memory beside its values."""
        return ZONE_BYTES if len(self.schema) <= MANY_COLUMNS else ZONE_BYTES // 3

    @staticmethod
    def _measure(pieces: list[WaitingRows]) -> float:
        return sum(piece.size_bytes for piece in pieces)

    def _join(self, pieces: list[WaitingRows]) -> pl.DataFrame:
        """The rows of all pieces in order, with every column."""
        # Blocks seldom overlap: then this is all the sorting there is.
        ordered = sorted((piece.frame for piece in pieces), key=lambda frame: frame["_time"][0])
        frame = pl.concat([pl.DataFrame(schema=self.schema), *ordered], how="diagonal")
        places = frame.select(ORDER).with_row_index("place").sort(ORDER)["place"]
        return frame.rechunk() if places.is_sorted() else frame[places]


def measure_memory(frame: pl.DataFrame) -> int:
    """The bytes that a frame takes; Polars does not count the 16 of every text beside what it says."""
    texts = sum(dtype == pl.String for dtype in frame.dtypes)
    return int(frame.estimated_size()) + VIEW_BYTES * texts * frame.height


def count_before(frame: pl.DataFrame, bound_ns: int | None) -> int:
    """How many rows, from the first on, are older."""
    if bound_ns is None:
        return frame.height
    return int(frame["_time"].cast(pl.Int64).search_sorted(bound_ns, side="left"))

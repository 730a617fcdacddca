"""The rows of several blocks in one order, a zone at a time, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import google_crc32c
import polars as pl
from arro3.io import read_parquet
from msgspec import field

from logboom.base.errors import Corrupt
from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.base.versions import BLOCK, PRECISE_BLOCK, Version
from logboom.model.columns import DTYPES, parse_column
from logboom.model.rows import CORE_SCHEMA
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import join_shapes, measure_memory, to_nanoseconds
from logboom.store.block.parquet import ROW_GROUP_ROWS, split_evenly

T = TypeVar("T")

ORDER = ("_time", "_node", "_seq")
ZONE_ROWS = 50_000
ZONE_BYTES = 40 << 20
MANY_COLUMNS = 256
FEW_COLUMNS = 100
"""Blocks with fewer columns are read by row groups, the fastest way, if there is enough memory."""
GROUP_BYTES = 24 << 20
BATCH_ROWS = 8192
BATCH_CELLS = 1 << 18
BATCH_BYTES = 8 << 20
OPEN_BYTES = 72 << 20
"""Memory for the row groups of the blocks that are read in parallel, and for rows that wait for older rows of others."""
UNMEASURED_BYTES = 64 << 20
"""Assumed memory for the rows of a block whose index does not tell; one flush made it."""
MAX_OPEN_COLUMNS = 1536
"""Columns of blocks that are read in parallel; each costs memory beside its rows."""
MAX_PIECES = 64
"""Frames that may wait separately; each costs memory beside its rows."""
OWN_SCHEMA: dict[str, pl.DataType] = {"_node": pl.String(), "_env": pl.String(), "_day": pl.Date()}


class MergeInput(InternalStruct, frozen=True):
    """A block to read, and what must be known about it; its whole index would take too much memory.

    `names` are the columns of its fields, `row_bytes` is the memory of a row. `is_odd` says that some values have no
    column of their own, so that the block's index cannot be trusted for them.
    """

    info: BlockInfo
    names: tuple[str, ...]
    row_bytes: float
    is_odd: bool

    @classmethod
    def of(cls, info: BlockInfo, index: BlockIndex) -> "MergeInput":
        is_odd = index.overflow_rows > 0 or bool(index.doubled)
        row_bytes = max(zone.memory_bytes / zone.rows for zone in index.zones or [index])
        return cls(info, tuple(index.columns), row_bytes or UNMEASURED_BYTES / index.rows, is_odd)

    @property
    def group_rows(self) -> int:
        """The rows of a row group of the block; earlier releases did not split those of a flush evenly."""
        if self.info.level == 0:
            return split_evenly(self.info.rows, ROW_GROUP_ROWS)
        return min(ROW_GROUP_ROWS, self.info.rows)

    @property
    def group_bytes(self) -> float:
        """The memory of a row group of the block: reading some of its rows may load all of them."""
        return self.row_bytes * self.group_rows

    @property
    def reads_groups(self) -> bool:
        """Whether to read it by row groups."""
        return self.group_bytes <= GROUP_BYTES and len(self.names) < FEW_COLUMNS

    @property
    def batch_rows(self) -> int:
        """How many rows to read at once."""
        if self.reads_groups:
            return self.group_rows
        rows = min(int(BATCH_BYTES / self.row_bytes), BATCH_CELLS // (len(self.names) + 1))
        return max(1, min(rows, BATCH_ROWS))


def unite_schemas(sources: Sequence[MergeInput]) -> pl.Schema:
    """Return the columns of a block with the rows of all of these."""
    columns = dict.fromkeys(parse_column(name) for source in sources for name in source.names)
    fields = {column.name: DTYPES[column.kind] for column in columns}
    return pl.Schema(CORE_SCHEMA | fields | OWN_SCHEMA)


def unite_versions(sources: Sequence[MergeInput]) -> Version:
    """Return the version of a block with the rows of all of these."""
    is_plain = all(source.info.version >= BLOCK for source in sources)
    return BLOCK if is_plain else PRECISE_BLOCK


class Cursor:
    """Reads the rows of a block, oldest first. No remaining row is older than `bound_ns`."""

    def __init__(self, source: MergeInput, objects: ObjectStore) -> None:
        self._path = source.info.path
        self._left = source.info.rows
        self._batch_rows = batch_rows = source.batch_rows
        self.group_bytes = source.group_bytes
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
                return split_frame(pl.read_parquet(path, glob=False), batch_rows)
            if source.reads_groups:
                return read_slices(path, source.info.rows, batch_rows)
            return map(pl.DataFrame, read_parquet(path, batch_size=batch_rows))

        self._frames = self._try(lambda: objects.use(self._path, open_file))

    @property
    def is_done(self) -> bool:
        return self._left <= 0

    @property
    def is_short(self) -> bool:
        """Whether all remaining rows are read at once."""
        return self._left <= self._batch_rows

    def read(self) -> pl.DataFrame:
        frame = join_shapes(self._try(lambda: next(self._frames))).rename(self._names)
        times = to_nanoseconds(frame["_time"])
        frame = frame.replace_column(frame.get_column_index("_time"), times)
        self._left -= frame.height
        self.bound_ns = int(times[-1])
        return frame

    def _try(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except (OSError, Corrupt):
            raise
        except Exception as error:
            raise Corrupt(self._path, 0, f"the block cannot be read: {error}") from error


def read_slices(path: str, rows: int, group_rows: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a file, one row group at a time: smaller pieces would decode it repeatedly."""
    scan = pl.scan_parquet(path, glob=False, parallel="none")
    for start in range(0, rows, group_rows):
        yield scan.slice(start, group_rows).collect()


def split_frame(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    return (frame.slice(start, rows) for start in range(0, frame.height, rows))


def verify(path: str, info: BlockInfo) -> None:
    """Raise Corrupt unless the file is what was written: a merge must not give damage a valid checksum."""
    if info.checksum is None:
        return
    with Path(path).open("rb") as file:
        checksum = 0
        while piece := file.read(1 << 20):
            checksum = google_crc32c.extend(checksum, piece)
    if checksum != info.checksum:
        raise Corrupt(info.path, 0, "its checksum is not that of the catalog")


class WaitingRows(NamedTuple):
    """Sorted rows that wait for others."""

    frame: pl.DataFrame
    size_bytes: float

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "WaitingRows":
        return cls(frame, measure_memory(frame))

    def split(self, row: int) -> "tuple[WaitingRows, WaitingRows]":
        """Return the rows before a row, and the others."""
        share = self.size_bytes * row / max(self.frame.height, 1)
        head = WaitingRows(self.frame.head(row), share)
        return head, WaitingRows(self.frame.slice(row), self.size_bytes - share)


class RowMerger(MutableStruct):
    """Reads blocks in parallel. Those that do not fit in memory are put into `left`."""

    sources: list[MergeInput]
    objects: ObjectStore
    schema: pl.Schema
    give_way: Callable[[], None]
    left: list[MergeInput] = field(default_factory=list)
    _open: list[Cursor] = field(default_factory=list)
    _waiting: list[WaitingRows] = field(default_factory=list)

    def read_zones(self) -> Iterator[pl.DataFrame]:
        """Yield all rows in order, in frames of one zone each."""
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
        open_bytes = sum(cursor.group_bytes for cursor in self._open) + source.group_bytes
        has_memory = max(open_bytes, self._measure(self._waiting)) <= OPEN_BYTES
        is_first = not (self._open or self._waiting)
        if is_first or (has_memory and not self._is_crowded):
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
        """Return a time before which no row is unread, or None if all were read."""
        bounds = [cursor.bound_ns for cursor in self._open]
        bounds += [source.info.first_ns for source in closed[-1:]]
        return min(bounds, default=None)

    def _take_zones(self, bound_ns: int | None) -> Iterator[pl.DataFrame]:
        """Yield the complete zones, whose rows are all older than `bound_ns`; at the end the rest too."""
        is_end = bound_ns is None
        while self._waiting:
            waiting = sum(piece.frame.height for piece in self._waiting)
            rows = self._count_zone_rows(waiting)
            if not is_end and waiting < rows:
                return
            heads = [count_before(piece.frame, bound_ns) for piece in self._waiting]
            if not is_end and sum(heads) < rows:
                return
            cut_ns = find_cut(self._waiting, heads, rows)
            ready = self._take_before(bound_ns if cut_ns is None else cut_ns)
            # Rows of the same time are taken together; there may be too many of them for one zone.
            yield from split_frame(self._join(ready), rows)

    def _count_zone_rows(self, waiting: int) -> int:
        """Return the number of rows in a zone, judged by the waiting rows."""
        row_bytes = self._measure(self._waiting) / waiting
        return max(1, min(ZONE_ROWS, int(self._zone_bytes / max(row_bytes, 1))))

    def _take_before(self, bound_ns: int | None) -> list[WaitingRows]:
        """Take out the rows that are older."""
        halves = [piece.split(count_before(piece.frame, bound_ns)) for piece in self._waiting]
        self._waiting = [tail for _, tail in halves if tail.frame.height]
        return [head for head, _ in halves if head.frame.height]

    @property
    def _zone_bytes(self) -> int:
        """Less for rows with many columns, each of which takes memory beside its values."""
        return ZONE_BYTES if len(self.schema) <= MANY_COLUMNS else ZONE_BYTES // 3

    @staticmethod
    def _measure(pieces: list[WaitingRows]) -> float:
        return sum(piece.size_bytes for piece in pieces)

    def _join(self, pieces: list[WaitingRows]) -> pl.DataFrame:
        """Return the rows of all pieces in order, with every column."""
        # Blocks seldom overlap, so usually no more sorting is needed.
        ordered = sorted((piece.frame for piece in pieces), key=lambda frame: frame["_time"][0])
        frame = pl.concat([pl.DataFrame(schema=self.schema), *ordered], how="diagonal")
        places = frame.select(ORDER).with_row_index("place").sort(ORDER)["place"]
        return frame.rechunk() if places.is_sorted() else frame[places]


def find_cut(pieces: Sequence[WaitingRows], heads: Sequence[int], rows: int) -> int | None:
    """Return the time before which the pieces have about this many rows, or None if there are no more."""
    if sum(heads) <= rows:
        return None
    firsts = [piece.frame["_time"].head(head) for piece, head in zip(pieces, heads, strict=True)]
    times = pl.concat(firsts).cast(pl.Int64).sort()
    cut_ns = int(times[rows])
    is_enough = times.search_sorted(cut_ns, side="left") >= rows // 2
    return cut_ns if is_enough else cut_ns + 1


def count_before(frame: pl.DataFrame, bound_ns: int | None) -> int:
    """Return how many rows, from the first, are older."""
    if bound_ns is None:
        return frame.height
    return int(frame["_time"].cast(pl.Int64).search_sorted(bound_ns, side="left"))

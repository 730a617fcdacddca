"""Writes batches as blocks: sorts by time, splits by environment and day, writes Parquet and index."""

import logging
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, NamedTuple

import google_crc32c
import msgspec
import polars as pl

from logboom.base.clock import NS_PER_DAY, Clock, format_day
from logboom.base.errors import Unavailable
from logboom.base.ids import make_ulid
from logboom.base.stores.objects import ObjectStore
from logboom.base.versions import Version
from logboom.model.batch import Batch
from logboom.model.rows import Rows
from logboom.model.shredder import ThreadShredders
from logboom.store.block.encoding import encode_index
from logboom.store.block.held import mark_held
from logboom.store.block.index import BlockIndex, IndexPart
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import TIME, choose_version, measure_memory
from logboom.store.block.output import CheckedFile, describe_file
from logboom.store.block.parquet import encode_frame

log = logging.getLogger(__name__)


class BlockPlace(NamedTuple):
    """A block to be written: its path, its environment and day, and the version of its file."""

    path: str
    env: str
    day: int
    version: Version
    level: int


class FileInfo(NamedTuple):
    """Sizes and checksums of a block's files."""

    size_bytes: int
    checksum: int
    index_checksum: int


def ignore_columns(_columns: Mapping[str, int]) -> None:
    """Ignore which columns blocks have."""


class BlockWriter:
    """Writes the blocks of one node. Thread-safe."""

    def __init__(
        self,
        objects: ObjectStore,
        shredders: ThreadShredders,
        node: str,
        clock: Clock,
        max_fields: int,
        note_columns: Callable[[Mapping[str, int]], None] = ignore_columns,
    ) -> None:
        """`note_columns` is called for every block with the number of rows that have each column."""
        self._objects = objects
        self.shredders = shredders
        self._node = node
        self._clock = clock
        self._max_fields = max_fields
        self._note_columns = note_columns

    def write(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        """Return one durable block for each environment and day; nothing refers to them yet.

        Events too wide for one block in memory make several.
        """
        blocks: list[BlockInfo] = []
        files: dict[str, bytes] = {}
        for env, day, rows in self._shred(batches):
            blocks.append(self._encode(env, day, rows, files))
        try:
            self._objects.put_all(files)
        except BaseException:
            # On a full disk every retry would leave more of them.
            self.discard(block.path for block in blocks)
            raise
        for name, data in files.items():
            # Queries for the newest events come to this node: they need not be fetched from the store again.
            self._objects.keep(name, data)
        return blocks

    def rehearse(self, batch: Batch) -> None:
        """Do everything that `write` does with a batch, except writing."""
        for env, day, rows in self._shred([batch]):
            self._encode(env, day, rows, {})

    def discard(self, paths: Iterable[str]) -> None:
        """Delete blocks that nothing refers to, if the disk allows it."""
        for path in paths:
            for name in (path, name_index(path)):
                try:
                    self._objects.delete(name)
                except (OSError, Unavailable):
                    log.exception("unused block not deleted", extra={"object": name})

    def _shred(self, batches: Sequence[Batch]) -> Iterator[tuple[str, int, Rows]]:
        """Yield the rows of every block: its environment, its day, its columns."""
        by_env: dict[str, list[Batch]] = {}
        for batch in batches:
            by_env.setdefault(batch.target.env, []).extend(batch.split())
        for env, of_env in by_env.items():
            shredder = self.shredders.shredder
            for day, order in split_days(*shredder.sort_rows(of_env)):
                while order:
                    rows = shredder.shred_rows(of_env, order, self._max_fields)
                    yield env, day, rows
                    order = order[rows.frame.height :]

    def _encode(self, env: str, day: int, rows: Rows, files: dict[str, bytes]) -> BlockInfo:
        """Add the files of a block to `files`."""
        place = self.choose_place(env, day, choose_version(rows.frame[TIME]))
        data = encode_frame(self._complete(rows.frame, place), rows.summaries, place.version)
        index = msgspec.structs.replace(describe_rows(rows), file=describe_file(data))
        encoded = encode_index(index)
        files[place.path], files[name_index(place.path)] = data, encoded
        file = FileInfo(len(data), google_crc32c.value(data), google_crc32c.value(encoded))
        last_seq = int(rows.frame["_seq"].max())  # type: ignore[arg-type]
        return self._describe(place, index, last_seq, file)

    def _complete(self, frame: pl.DataFrame, place: BlockPlace) -> pl.DataFrame:
        """Add the columns that are the same for all rows.

        The environment and the day are among them, because not every reader takes these from the catalog.
        """
        common = [
            pl.Series("_node", [self._node], pl.String),
            pl.Series("_env", [place.env], pl.String),
            pl.Series("_day", [place.day], pl.Int32).cast(pl.Date),
        ]
        return frame.hstack([series.new_from_index(0, frame.height) for series in common])

    def choose_place(self, env: str, day: int, version: Version, level: int = 0) -> BlockPlace:
        """Return the place of a new block."""
        path = f"blocks/{format_day(day)}/{make_ulid(self._clock())}.parquet"
        return BlockPlace(path, env, day, version, level)

    def publish_written(
        self, place: BlockPlace, write: Callable[[CheckedFile], BlockIndex], last_seq: int
    ) -> BlockInfo:
        """Make a block durable that `write` writes to a file; nothing refers to it yet."""

        def write_checked(file: IO[bytes]) -> tuple[CheckedFile, BlockIndex]:
            checked = CheckedFile(file)
            index = write(checked)
            if checked.failure is not None:
                raise checked.failure
            return checked, index

        written, index = self._objects.put_written(place.path, write_checked)
        encoded = encode_index(msgspec.structs.replace(index, file=written.describe()))
        self._objects.put_new(name_index(place.path), encoded)
        self._objects.keep(name_index(place.path), encoded)
        file = FileInfo(written.size_bytes, written.checksum, google_crc32c.value(encoded))
        return self._describe(place, index, last_seq, file)

    def _describe(
        self, place: BlockPlace, index: BlockIndex, last_seq: int, file: FileInfo
    ) -> BlockInfo:
        self._note_columns({name: summary.count for name, summary in index.columns.items()})
        return BlockInfo(
            place.path,
            place.env,
            place.day,
            index.rows,
            file.size_bytes,
            index.first_ns,
            index.last_ns,
            last_seq,
            self._node,
            place.level,
            file.checksum,
            file.index_checksum,
            version=place.version,
        )


def name_index(path: str) -> str:
    """Return the object that holds the index of the block at `path`."""
    return path.removesuffix(".parquet") + ".index"


def split_days(times: "array[int]", places: "array[int]") -> Iterator[tuple[int, "array[int]"]]:
    """Yield every day with the positions of its events; times and positions are in order."""
    start = 0
    while start < len(times):
        day = times[start] // NS_PER_DAY
        end = bisect_left(times, (day + 1) * NS_PER_DAY, lo=start)
        yield day, places[start:end]
        start = end


def describe_rows(rows: Rows) -> BlockIndex:
    frame = rows.frame
    times = frame["_time"].cast(pl.Int64)
    return BlockIndex(
        rows=frame.height,
        first_ns=int(times[0]),
        last_ns=int(times[-1]),
        indexes=describe_parts(frame["_index"], times),
        columns=rows.summaries,
        overflow_rows=frame.height - frame["_rest"].null_count(),
        memory_bytes=measure_memory(frame),
        held=mark_held(frame, list(rows.summaries)),
    )


def describe_parts(names: pl.Series, times: pl.Series) -> dict[str, IndexPart]:
    """Return the share of each index in rows that are ordered by time."""
    if names.n_unique() == 1:
        return {names[0]: IndexPart(names.len(), int(times[0]), int(times[-1]))}
    parts = (
        pl.DataFrame([names, times])
        .group_by("_index")
        .agg(pl.len(), pl.first("_time").alias("first"), pl.last("_time").alias("last"))
    )
    return {name: IndexPart(*part) for name, *part in parts.iter_rows()}

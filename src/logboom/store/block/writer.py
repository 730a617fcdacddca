"""Batches to blocks: sort by time, split by environment and day, write Parquet and index."""

import io
import logging
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from logboom.base.clock import NS_PER_DAY, Clock, format_day
from logboom.base.errors import Unavailable
from logboom.base.ids import make_ulid
from logboom.base.objects import ObjectStore
from logboom.model.batch import Batch
from logboom.model.rows import ROW_BITS, Rows
from logboom.model.shredder import ThreadShredders
from logboom.store.block.index import BlockIndex, IndexPart, encode_index
from logboom.store.block.info import BlockInfo

log = logging.getLogger(__name__)

COMPRESSION_LEVEL = 1
ROW_GROUP_ROWS = 16_384


class BlockWriter:
    """Writes the blocks of one node. May be used by any thread."""

    def __init__(
        self,
        objects: ObjectStore,
        shredders: ThreadShredders,
        node: str,
        clock: Clock,
        max_fields: int,
    ) -> None:
        self._objects = objects
        self._shredders = shredders
        self._node = node
        self._clock = clock
        self._max_fields = max_fields

    def write(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        """One durable block for each environment and day; nothing refers to them yet.

        Events so wide that a block would not fit in memory make more than one.
        """
        blocks: list[BlockInfo] = []
        paths: list[str] = []
        try:
            for env, day, rows in self._shred(batches):
                paths.append(f"blocks/{format_day(day)}/{make_ulid(self._clock())}.parquet")
                blocks.append(self._write_rows(paths[-1], env, day, rows))
        except BaseException:
            # On a full disk every further try would leave more of them.
            self.discard(paths)
            raise
        return blocks

    def discard(self, paths: Iterable[str]) -> None:
        """Delete blocks that nothing refers to, as far as the disk lets us."""
        for path in paths:
            for name in (path, name_index(path)):
                try:
                    self._objects.delete(name)
                except (OSError, Unavailable):
                    log.exception("unused block not deleted", extra={"object": name})

    def _shred(self, batches: Sequence[Batch]) -> Iterator[tuple[str, int, Rows]]:
        """The rows of every block: its environment, its day, its columns."""
        batches = [part for batch in batches for part in batch.split()]
        for env in dict.fromkeys(batch.target.env for batch in batches):
            of_env = [batch for batch in batches if batch.target.env == env]
            for day, order in split_days(of_env):
                while order:
                    rows = self._shredders.shredder.shred_rows(of_env, order, self._max_fields)
                    yield env, day, rows
                    order = order[rows.frame.height :]

    def _write_rows(self, path: str, env: str, day: int, rows: Rows) -> BlockInfo:
        # The environment and the day are columns too: not every reader takes them from the catalog.
        frame = rows.frame.with_columns(
            pl.lit(self._node).alias("_node"),
            pl.lit(env).alias("_env"),
            pl.lit(day, pl.Int32).cast(pl.Date).alias("_day"),
        )
        buffer = io.BytesIO()
        frame.write_parquet(
            buffer,
            compression="zstd",
            compression_level=COMPRESSION_LEVEL,
            statistics=False,
            row_group_size=ROW_GROUP_ROWS,
        )
        data = buffer.getvalue()
        index = describe_rows(rows)
        self._put(path, data)
        self._put(name_index(path), encode_index(index))
        last_seq = int(frame["_seq"].max())  # type: ignore[arg-type]
        return BlockInfo(
            path,
            env,
            day,
            index.rows,
            len(data),
            index.first_ns,
            index.last_ns,
            last_seq,
            self._node,
        )

    def _put(self, name: str, data: bytes) -> None:
        self._objects.put_new(name, data)
        # Whoever asks for the newest events asks here: they need not be fetched from where they just went.
        self._objects.keep(name, data)


def name_index(path: str) -> str:
    """The object that holds the index of the block at `path`."""
    return path.removesuffix(".parquet") + ".index"


def split_days(batches: Sequence[Batch]) -> Iterator[tuple[int, "array[int]"]]:
    """Every day with the places (batch << 32 | row) of its events, oldest event first."""
    times = [time_ns for batch in batches for time_ns in batch.scan.times_ns]
    places = [
        place
        for number, batch in enumerate(batches)
        for place in range(number << ROW_BITS, (number << ROW_BITS) + len(batch))
    ]
    in_order = sorted(times)
    if in_order != times:
        # Stable: of events of the same time the one that came first stays first.
        places = [places[at] for at in sorted(range(len(times)), key=times.__getitem__)]
    start = 0
    while start < len(in_order):
        day = in_order[start] // NS_PER_DAY
        end = bisect_left(in_order, (day + 1) * NS_PER_DAY, lo=start)
        yield day, array("q", places[start:end])
        start = end


def describe_rows(rows: Rows) -> BlockIndex:
    frame = rows.frame
    parts = frame.group_by("_index").agg(
        pl.len(), pl.col("_time").min().alias("first"), pl.col("_time").max().alias("last")
    )
    return BlockIndex(
        rows=frame.height,
        first_ns=int(frame["_time"][0]),
        last_ns=int(frame["_time"][-1]),
        indexes={
            name: IndexPart(events, first, last) for name, events, first, last in parts.iter_rows()
        },
        columns=rows.summaries,
        overflow_rows=frame.height - frame["_rest"].null_count(),
    )

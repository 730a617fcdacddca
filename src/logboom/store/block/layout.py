"""How a block's file differs from its frame in memory.

The time is a timestamp in the file: in milliseconds if no event has a more precise one, which takes two bytes less for
each event, else in nanoseconds. Inside the program, and in files of the first release, it is an integer, nanoseconds
since 1970. Shapes that hardly repeat are stored as lists of their parts, which do. The file names its version.
"""

from collections.abc import Iterable
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from logboom.base.versions import BLOCK, PRECISE_BLOCK, Version, check_version, parse_version

TIME = "_time"
NANOSECONDS = pl.Datetime("ns", "UTC")
STORED_TIMES = {BLOCK: pl.Datetime("ms", "UTC"), PRECISE_BLOCK: NANOSECONDS}
"""The type of the time in a file of each version."""
NS_PER_MS = 1_000_000
TIME_IN_MEMORY = pl.col(TIME).cast(NANOSECONDS).cast(pl.Int64)
SHAPE = "_shape"
SHAPE_PARTS = "_shape_parts"
SEPARATOR = ","
JOINED_SHAPE = pl.coalesce(SHAPE, pl.col(SHAPE_PARTS).list.join(SEPARATOR))
VIEW_BYTES = 16
FORMAT_KEY = "logboom.format"


def choose_version(times_ns: pl.Series) -> Version:
    """Return the version of a block with events of these times."""
    return PRECISE_BLOCK if (times_ns % NS_PER_MS != 0).any() else BLOCK


def to_stored(frame: pl.DataFrame, version: Version) -> pl.DataFrame:
    """Return the columns as they are stored in a file of this version."""
    # As a query plan this would take longer than writing a small block.
    times = frame[TIME].cast(NANOSECONDS).cast(STORED_TIMES[version])
    return frame.clone().replace_column(frame.get_column_index(TIME), times)


def to_nanoseconds(times: pl.Series) -> pl.Series:
    """Return the times of a file of any version, as used in memory."""
    return times.cast(NANOSECONDS).cast(pl.Int64)


def split_shapes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns with shapes split into parts; `join_shapes` reverses this."""
    return frame.with_columns(
        pl.lit(None, dtype=pl.String).alias(SHAPE),
        pl.col(SHAPE).str.split(SEPARATOR).alias(SHAPE_PARTS),
    )


def join_shapes(frame: pl.DataFrame) -> pl.DataFrame:
    if SHAPE_PARTS not in frame.columns:
        return frame
    return frame.with_columns(JOINED_SHAPE).drop(SHAPE_PARTS)


def list_columns(scan: pl.LazyFrame) -> list[str]:
    """Return the names of the columns of a scanned block, as used in memory."""
    return [name for name in scan.collect_schema().names() if name != SHAPE_PARTS]


def select_columns(scan: pl.LazyFrame, names: Iterable[str]) -> pl.LazyFrame:
    """Return some columns of a scanned block, as used in memory."""
    wanted = list(names)
    if SHAPE in wanted and SHAPE_PARTS in scan.collect_schema():
        scan = scan.with_columns(JOINED_SHAPE)
    # Polars may take a name for a pattern.
    selected = scan.select(by_name(wanted))
    return selected.with_columns(TIME_IN_MEMORY) if TIME in wanted else selected


def read_block(path: str) -> pl.DataFrame:
    """Return all columns of a block's file.

    Raise TooNew if a newer build wrote it in a format that this one cannot read.
    """
    check_file(path)
    frame = join_shapes(pl.read_parquet(Path(path).read_bytes()))
    return frame.with_columns(TIME_IN_MEMORY)


def check_file(path: str) -> None:
    """Raise TooNew if a newer build wrote the file."""
    check_version(path, parse_version(pl.read_parquet_metadata(path).get(FORMAT_KEY)), BLOCK)


def measure_memory(frame: pl.DataFrame) -> int:
    """Return the size of a frame in memory; Polars does not count the 16 bytes per text for its view."""
    texts = sum(dtype == pl.String for dtype in frame.dtypes)
    return int(frame.estimated_size()) + VIEW_BYTES * texts * frame.height

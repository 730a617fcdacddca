"""How a block's file differs from the frame it holds: the time is a timestamp there, and the file names its version.

Inside the program times are integers, nanoseconds since 1970. Blocks of the first release have them so in the file as well.
"""

from collections.abc import Iterable
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from logboom.base.versions import BLOCK, check_version, parse_version

TIME = "_time"
STORED_TIME = pl.Datetime("ns", "UTC")
FORMAT_KEY = "logboom.format"
FILE_METADATA = {FORMAT_KEY: str(BLOCK)}
"""What the file says of itself, beside the columns."""


def to_stored(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns as the file has them."""
    return frame.with_columns(pl.col(TIME).cast(STORED_TIME))


def select_columns(scan: pl.LazyFrame, names: Iterable[str]) -> pl.LazyFrame:
    """Some columns of a scanned block, as the program has them."""
    wanted = list(names)
    # A name given as a text may be taken as a pattern.
    selected = scan.select(by_name(wanted))
    return selected.with_columns(pl.col(TIME).cast(pl.Int64)) if TIME in wanted else selected


def read_block(path: str) -> pl.DataFrame:
    """All columns of a block's file; TooNew when a newer build wrote it in a way that this one cannot read."""
    check_file(path)
    return pl.read_parquet(Path(path).read_bytes()).with_columns(pl.col(TIME).cast(pl.Int64))


def check_file(path: str) -> None:
    """TooNew when a newer build wrote the file."""
    check_version(path, parse_version(pl.read_parquet_metadata(path).get(FORMAT_KEY)), BLOCK)

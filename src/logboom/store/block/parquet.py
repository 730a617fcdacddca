"""Writes the rows of a block as a Parquet file.

Columns whose values are known to repeat get a dictionary. It is not attempted if nearly all values are distinct,
because that would cost more than everything else.
"""

import io
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

import polars as pl
from arro3.io import write_parquet

from logboom.base.versions import Version
from logboom.model.summary import ColumnSummary
from logboom.store.block.layout import (
    FORMAT_KEY,
    SHAPE_PARTS,
    STORED_TIMES,
    TIME,
    split_shapes,
    to_stored,
)
from logboom.store.block.stream import FrameStream

ROW_GROUP_ROWS = 16_384
COMPRESSION = "zstd(2)"
"""Pages are 2 to 3 % smaller than at level 1, for at most a tenth more CPU. Level 3 saves 1 % more and costs more."""
PAGE_BYTES = 4 << 20
"""Usually a row group of lines of text is one page: lines of many programs become 3 % smaller than in pages of 1 MB."""
QUICK_COMPRESSION = "snappy"
"""For small blocks, of which a flush may have many: setting up the other compressor takes longer than their pages."""
QUICK_CELLS = 4096
BATCH_CELLS = 64 * 1024
"""How many cells are encoded at a time, while the interpreter lock is held."""
SAMPLE_ROWS = 4096
MIN_REPEATS = 3
"""How often each value of a sample must occur, on average, for a dictionary to pay off."""
SERIAL = frozenset({"_time", "_seq"})
"""Columns of growing numbers."""
MAX_DICTIONARIES = 256
"""Each takes about 70 kB of memory while a file is written, which pays off only in blocks with few columns."""
REPEATING = frozenset({"_index", "_node", "_env", "_day"})

Encoding = Literal["delta_binary_packed", "delta_length_byte_array"]
SPARE: dict[type[pl.DataType], Encoding] = {
    pl.Int64: "delta_binary_packed",
    pl.Datetime: "delta_binary_packed",
    pl.String: "delta_length_byte_array",
}
"""The encodings of columns without a dictionary, where they are better than the plain one."""
LONG_BYTES = 48
"""Texts of this average length or more are stored plain: similar ones compress better with their lengths, and read faster."""


class Writable(Protocol):
    """What a file is written to."""

    def write(self, data: bytes, /) -> int: ...


class Layout(NamedTuple):
    """The layout of a block's file: its version, its columns, and which of them get a dictionary.

    With `splits_shapes` shapes are stored in parts: this is slower to write, and pays off if they hardly repeat.
    """

    version: Version
    schema: pl.Schema
    dictionaries: Mapping[str, bool]
    row_group_rows: int
    splits_shapes: bool = False
    long_texts: frozenset[str] = frozenset()
    """Text columns whose values are long on average."""
    compression: str = COMPRESSION


def encode_frame(
    frame: pl.DataFrame, summaries: Mapping[str, ColumnSummary], version: Version
) -> bytes:
    """Return the file of a block that a flush writes: fast to encode; merging compresses it better later."""
    buffer = io.BytesIO()
    dictionaries = choose_dictionaries(frame.head(SAMPLE_ROWS), summaries)
    cells = frame.height * frame.width
    compression = QUICK_COMPRESSION if cells <= QUICK_CELLS else COMPRESSION
    layout = Layout(
        version,
        frame.schema,
        dictionaries,
        split_evenly(frame.height, ROW_GROUP_ROWS),
        long_texts=list_long_texts(frame.head(SAMPLE_ROWS)),
        compression=compression,
    )
    if cells <= BATCH_CELLS:
        write_stream(buffer, layout, to_stored(frame, version))
    else:
        write_frames(buffer, layout, iter([frame]))
    return buffer.getvalue()


def split_evenly(rows: int, group_rows: int) -> int:
    """Return the sizes of row groups of about `group_rows` rows, none of them much smaller.

    A small last group would cost as much metadata as a full one, and dictionaries that hardly repeat.
    """
    groups = max(1, round(rows / group_rows))
    return max(1, -(-rows // groups))


def write_frames(file: Writable, layout: Layout, frames: Iterator[pl.DataFrame]) -> None:
    """Write frames of one schema one after the other; exceptions from the iterator are raised here."""
    schema = pl.Schema({**layout.schema, TIME: STORED_TIMES[layout.version]})
    stored: Iterator[pl.DataFrame] = (
        to_stored(frame, layout.version) for frame in split_frames(frames)
    )
    if layout.splits_shapes:
        schema[SHAPE_PARTS] = pl.List(pl.String)
        stored = map(split_shapes, stored)
    stream = FrameStream(schema, stored)
    try:
        write_stream(file, layout, stream)
    except BaseException:
        if stream.failure is not None:
            raise stream.failure from None
        raise


def write_stream(file: Writable, layout: Layout, stream: pl.DataFrame | FrameStream) -> None:
    distinct = [
        name
        for name, repeats in layout.dictionaries.items()
        if not repeats and name not in layout.long_texts
    ]
    spare = {name: SPARE.get(layout.schema[name].base_type()) for name in distinct}
    write_parquet(
        stream,
        file,  # type: ignore[arg-type] # it needs no more of a file than this
        compression=layout.compression,
        column_dictionary_enabled=dict(layout.dictionaries),  # type: ignore[arg-type] # names are paths
        column_encoding={name: encoding for name, encoding in spare.items() if encoding},
        max_row_group_size=layout.row_group_rows,
        data_page_size_limit=PAGE_BYTES,
        key_value_metadata={FORMAT_KEY: str(layout.version)},
        skip_arrow_metadata=True,
    )


def split_frames(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    for frame in frames:
        rows = max(1, BATCH_CELLS // frame.width)
        for start in range(0, frame.height, rows):
            yield frame.slice(start, rows)


def choose_dictionaries(
    sample: pl.DataFrame, summaries: Mapping[str, ColumnSummary]
) -> dict[str, bool]:
    """Return the columns, except lists, whose values repeat: those with few values, by the index or by a sample."""
    chosen = {}
    for name, dtype in sample.schema.items():
        if dtype.is_nested():
            continue
        summary = summaries.get(name)
        if name in SERIAL:
            chosen[name] = False
        elif name in REPEATING or (summary is not None and summary.values is not None):
            chosen[name] = True
        else:
            chosen[name] = repeats(sample[name])
    surplus = [name for name, repeating in chosen.items() if repeating and name not in REPEATING]
    return chosen | dict.fromkeys(surplus[MAX_DICTIONARIES:], False)


def list_long_texts(sample: pl.DataFrame) -> frozenset[str]:
    return frozenset(
        series.name
        for series in sample
        if series.dtype == pl.String
        and series.estimated_size() >= LONG_BYTES * max(series.len() - series.null_count(), 1)
    )


def repeats(values: pl.Series) -> bool:
    present = values.len() - values.null_count()
    return present > 0 and values.n_unique() * MIN_REPEATS <= present

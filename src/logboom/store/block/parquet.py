"""How the rows of a block become a Parquet file."""

import io

import polars as pl

COMPRESSION_LEVEL = 1
ROW_GROUP_ROWS = 16_384


def encode_frame(frame: pl.DataFrame) -> bytes:
    """The file of a block that a flush writes: quick to make; merging compresses it better."""
    buffer = io.BytesIO()
    frame.write_parquet(
        buffer,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        statistics=False,
        row_group_size=ROW_GROUP_ROWS,
    )
    return buffer.getvalue()

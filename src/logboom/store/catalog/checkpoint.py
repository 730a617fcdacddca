"""Checkpoints of the catalog, made by the reference implementation, off the ingest path."""

import io
import logging
import os
from pathlib import Path

import polars as pl
from deltalake import DeltaTable

from logboom.base.files import replace_file, sync_directory
from logboom.store.catalog.catalog import LOG
from logboom.store.catalog.marks import PREFIX

log = logging.getLogger(__name__)

BUCKET_OPTIONS = {
    "timeout": "60s",
    "connect_timeout": "5s",
    "max_retries": "3",
    "retry_timeout": "15s",
}
"""How long a bucket is waited for; how to get there comes from the usual AWS_* variables."""


def write_checkpoint(root: Path | str) -> int:
    """Sum the log up to now in one file and drop commits a day older; returns the version.

    `root` is the store's directory, or the address of its bucket.
    """
    table = DeltaTable(root, storage_options=None if isinstance(root, Path) else BUCKET_OPTIONS)
    table.create_checkpoint()
    version = int(table.version())
    name = f"{LOG}/{version:020d}.checkpoint.parquet"
    drop_ended(root / name if isinstance(root, Path) else f"{root}/{name}")
    if isinstance(root, Path):
        sync_checkpoint(root / LOG, version)
    table.cleanup_metadata()
    log.info("catalog checkpoint written", extra={"version": version})
    return version


def drop_ended(place: Path | str) -> None:
    """Take marks that are no more out of a checkpoint; the library would keep their zeros for good.

    Its options could drop them by age alone, and with them what must stay, such as the nodes' positions.
    """
    frame = pl.read_parquet(place)
    number = pl.col("txn").struct
    is_mark = number.field("appId").str.starts_with(PREFIX)
    kept = frame.filter((is_mark & (number.field("version") == 0)).fill_null(value=False).not_())
    if kept.height == frame.height:
        return
    if isinstance(place, Path):
        replace_file(place, encode(kept))
    else:
        kept.write_parquet(place)


def encode(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def sync_checkpoint(folder: Path, version: int) -> None:
    """The library does not sync what it writes, and old commits go only once the checkpoint is safe."""
    for name in (f"{version:020d}.checkpoint.parquet", "_last_checkpoint"):
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
    sync_directory(folder)

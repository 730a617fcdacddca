"""Checkpoints of the catalog, made by the reference implementation, off the ingest path."""

import logging
import os
from pathlib import Path

from deltalake import DeltaTable

from logboom.base.files import sync_directory
from logboom.store.catalog import LOG

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
    if isinstance(root, Path):
        sync_checkpoint(root / LOG, version)
    table.cleanup_metadata()
    log.info("catalog checkpoint written", extra={"version": version})
    return version


def sync_checkpoint(folder: Path, version: int) -> None:
    """The library does not sync what it writes, and old commits go only once the checkpoint is safe."""
    for name in (f"{version:020d}.checkpoint.parquet", "_last_checkpoint"):
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
    sync_directory(folder)

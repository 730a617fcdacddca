"""Checkpoints of the catalog, made by the reference implementation, off the ingest path."""

import logging
import os
from pathlib import Path

from deltalake import DeltaTable

from logboom.base.files import sync_directory
from logboom.store.catalog import LOG

log = logging.getLogger(__name__)


def write_checkpoint(root: Path) -> int:
    """Sum the log up to now in one file and drop commits a day older; returns the version."""
    table = DeltaTable(root)
    table.create_checkpoint()
    version = int(table.version())
    folder = root / LOG
    # The library does not sync what it writes, and old commits go only once the checkpoint is safe.
    for name in (f"{version:020d}.checkpoint.parquet", "_last_checkpoint"):
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
    sync_directory(folder)
    table.cleanup_metadata()
    log.info("catalog checkpoint written", extra={"version": version})
    return version

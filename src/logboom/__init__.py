"""Logboom: log ingestion and search for any shipper, stored as plain Parquet."""

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from logboom.base.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from logboom.library import Logs

__all__ = ["__version__", "open"]


def open(
    path: str | PathLike[str], *, tables: "Mapping[str, pl.DataFrame] | None" = None
) -> "Logs":
    """Search the data directory of a service, or a store, from Python; see `logboom.library`."""
    # Imported here because reading the version should not load the engine.
    from logboom.library import Logs  # noqa: PLC0415

    return Logs(path, tables=tables)

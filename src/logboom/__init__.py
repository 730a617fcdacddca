"""Logboom: log ingestion and search, any shipper in, plain Parquet underneath."""

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
    # Not at the top: whoever only asks for the version should not wait for an engine.
    from logboom.library import Logs  # noqa: PLC0415

    return Logs(path, tables=tables)

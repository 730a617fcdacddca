"""Implements `logboom version --check`: can this build open a data directory? Changes nothing."""

from pathlib import Path

import typer

from logboom.base.errors import NotFound, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.base.version import __version__
from logboom.cli.screen import defuse
from logboom.control.documents.cipher import read_format
from logboom.control.documents.store import FOLDER as CONTROL
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.idempotency.answers import check_journal
from logboom.store.node import read_claims
from logboom.store.reader import StoreReader, find_store
from logboom.store.wal.log import list_segments
from logboom.store.wal.segment import read_header


def check_formats(directory: Path) -> None:
    """Print that this build can open the directory.

    Raise TooNew if a newer build wrote a format that this one cannot read.
    """
    if not directory.is_dir():
        raise NotFound(f"no directory {directory}")
    try:
        check_own_files(directory)
        objects = LocalObjects(find_store(directory))
        if objects.list(LOG):
            StoreReader(objects).snapshot()
        check_documents(objects)
    except OSError as error:
        raise Unavailable(f"{directory} cannot be read: {error}") from error
    typer.echo(f"logboom {__version__} can open {defuse(str(directory))}")


def check_own_files(directory: Path) -> None:
    """Check the files that a node keeps for itself, outside the store."""
    for segment in list_segments(directory / "wal"):
        read_header(segment)
    read_claims(directory / "claim")
    check_journal(directory / "idempotency.log")


def check_documents(objects: ObjectStore) -> None:
    """Check the control documents; their first line is never encrypted, so no key is needed."""
    for name in objects.list(CONTROL):
        for generation in sorted(objects.list(f"{CONTROL}/{name}"))[-1:]:
            path = f"{CONTROL}/{name}/{generation}"
            read_format(path, objects.read(path))

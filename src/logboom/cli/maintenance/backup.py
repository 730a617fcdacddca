"""`logboom backup` and `logboom restore`: copy everything, even while the service runs, and restore it."""

from pathlib import Path
from typing import Annotated

import typer

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, NotFound, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import ADDRESSES, Bucket, parse_place
from logboom.base.wording import count
from logboom.cli.options import DataDirectory, StoreAddress
from logboom.cli.screen import defuse
from logboom.config import Settings, load_settings

Destination = Annotated[
    str, typer.Argument(help="Directory or s3://bucket/prefix, empty or holding an earlier backup.")
]
Origin = Annotated[str, typer.Argument(help="Directory or s3://bucket/prefix that holds a backup.")]


def run_backup(
    destination: Destination, data: DataDirectory = None, store: StoreAddress = None
) -> None:
    """Back up the data of a service, running or stopped. Later runs copy only new blocks."""
    from logboom.store.backup.take import BackupSource, take_backup  # noqa: PLC0415 - not needed by others

    settings = load_settings({"data_dir": data, "store_url": store})
    check_present(settings)
    check_outside(destination, settings)
    source = BackupSource(settings.open_store(), settings.data_dir, find_secrets(settings))
    try:
        taken = take_backup(source, open_place(destination, settings), system_clock)
    except OSError as error:
        raise Unavailable(f"the backup failed: {error}") from error
    manifest = taken.manifest
    typer.echo(
        f"backed up node {manifest.node}: version {manifest.version}, {count(manifest.blocks, 'block')} with "
        f"{count(manifest.events, 'event')}; {count(taken.copied_bytes, 'byte')} copied"
    )
    for name in list_missing_secrets(settings):
        typer.echo(
            f"note: {defuse(name)} is not in the data directory and was not copied", err=True
        )
    report(taken.damaged, "in the store")


def run_restore(origin: Origin, data: DataDirectory = None, store: StoreAddress = None) -> None:
    """Restore a backup into an empty data directory and an empty store."""
    from logboom.store.backup.restore import (  # noqa: PLC0415 - not needed by others
        check_empty,
        open_backup,
        restore_backup,
    )

    settings = load_settings({"data_dir": data, "store_url": store})
    place = parse(origin)
    if isinstance(place, Path) and not place.is_dir():
        raise NotFound(f"no backup at {place}")
    source = open_place(origin, settings)
    open_backup(source)
    try:
        check_empty(settings.data_dir)
        objects = open_empty_store(settings)
        restored = restore_backup(source, settings.data_dir, objects, system_clock)
    except OSError as error:
        raise Unavailable(f"the backup cannot be restored: {error}") from error
    manifest = restored.manifest
    typer.echo(
        f"restored node {manifest.node} as of {manifest.made}: version {manifest.version}, "
        f"{count(manifest.blocks, 'block')} with {count(manifest.events, 'event')}"
    )
    report(restored.damaged, "in the backup")


def check_present(settings: Settings) -> None:
    """Raise NotFound unless there is something to back up, without creating anything."""
    for directory in (settings.data_dir, settings.store_dir):
        if directory is not None and not directory.is_dir():
            raise NotFound(f"no directory {directory}, expected one that a service has used")
    if not (settings.data_dir / "node").exists():
        raise NotFound(f"no service has used {settings.data_dir}")


def check_outside(destination: str, settings: Settings) -> None:
    """Raise Invalid if the backup would lie inside what it is a backup of."""
    place = parse(destination)
    for kept in (settings.data_dir, settings.store_dir):
        if isinstance(place, Path) and kept and place.resolve().is_relative_to(kept.resolve()):
            raise Invalid(f"{place} is inside {kept}, expected a destination outside of the data")


def find_secrets(settings: Settings) -> dict[str, Path]:
    """Return the secret files inside the data directory, by their names relative to it."""
    files = (settings.jwt_secret_file, settings.control_key_file)
    inside = [path for path in files if path.is_relative_to(settings.data_dir)]
    return {str(path.relative_to(settings.data_dir)): path for path in inside}


def list_missing_secrets(settings: Settings) -> list[str]:
    files = (settings.jwt_secret_file, settings.control_key_file)
    return [str(path) for path in files if not path.is_relative_to(settings.data_dir)]


def open_empty_store(settings: Settings) -> ObjectStore:
    directory = settings.store_dir
    is_used = directory is not None and directory.exists() and any(directory.iterdir())
    objects = settings.open_store()
    if is_used or (objects.is_remote and objects.list("")):
        raise Conflict(f"{objects.locate('')} is not empty, expected an empty place for the store")
    return objects


def parse(place: str) -> Path | Bucket:
    try:
        return parse_place(place) if "://" in place else Path(place)
    except ValueError as error:
        raise Invalid(
            f"{place!r} is not a backup location, expected a directory, {ADDRESSES}"
        ) from error


def open_place(place: str, settings: Settings) -> ObjectStore:
    cache = settings.data_dir / "cache"
    return open_objects(parse(place), cache, settings.store_cache_mb << 20)


def report(damaged: dict[str, str], where: str) -> None:
    """Print what is damaged, and exit with status 1 if anything is."""
    for name, reason in sorted(damaged.items()):
        typer.echo(f"damaged {where}: {defuse(name)}: {defuse(reason)}", err=True)
    if damaged:
        raise typer.Exit(1)

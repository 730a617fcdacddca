"""Restores a backup into an empty place; every file is checked first."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.files import make_directory, publish_new
from logboom.base.ids import make_ulid
from logboom.base.stores.objects import ObjectStore
from logboom.store.backup.manifest import (
    BLOCKS,
    DATA,
    LOG,
    RESTORED,
    File,
    Manifest,
    Restoration,
    locate,
    read_manifest,
)
from logboom.store.catalog.log import FOLDER


class Restored(NamedTuple):
    """What was restored; `damaged` names the block files that the backup does not contain intact, and why."""

    manifest: Manifest
    damaged: dict[str, str]


def open_backup(source: ObjectStore) -> Manifest:
    """Return the manifest of a complete backup."""
    manifest = read_manifest(source)
    if not manifest.run:
        raise Unavailable(f"the first backup to {source.locate('')} was never finished")
    return manifest


def check_empty(directory: Path) -> None:
    """Raise Conflict if there is anything in a directory."""
    if directory.exists() and any(directory.iterdir()):
        raise Conflict(f"{directory} is not empty, expected a new or an empty directory")


def restore_backup(
    source: ObjectStore, data_dir: Path, objects: ObjectStore, clock: Clock
) -> Restored:
    """Restore the store to `objects` and the rest to `data_dir`, both of which must be empty.

    The log is restored last: until then no service starts on the data. Damaged block files are left out; anything
    else that is damaged is Corrupt.
    """
    manifest = open_backup(source)
    restoration = Restoration(make_ulid(clock()), manifest.run)
    make_directory(data_dir)
    publish_new(data_dir / RESTORED, msgspec.json.encode(restoration))
    damaged: dict[str, str] = {}
    for name in sorted(manifest.files, key=lambda name: (name.startswith(f"{LOG}/"), name)):
        try:
            data = read_file(source, manifest, name)
        except Corrupt as error:
            if not name.startswith(f"{BLOCKS}/"):
                raise
            damaged[name] = error.reason
            continue
        put_back(name, data, data_dir, objects)
    return Restored(manifest, damaged)


def read_file(source: ObjectStore, manifest: Manifest, name: str) -> bytes:
    """Read a file of the backup; raise Corrupt unless it is what was backed up."""
    place = locate(name, manifest.run)
    try:
        data = source.read(place)
    except NotFound:
        raise Corrupt(source.locate(place), 0, "it is missing from the backup") from None
    if File.of(data) != manifest.files[name]:
        raise Corrupt(source.locate(place), 0, "its checksum is wrong")
    return data


def put_back(name: str, data: bytes, data_dir: Path, objects: ObjectStore) -> None:
    kind, _, rest = name.partition("/")
    if kind == DATA:
        path = data_dir / rest
        make_directory(path.parent)
        publish_new(path, data)
    elif kind == LOG:
        objects.put_new(f"{FOLDER}/{rest}", data)
    else:
        objects.put_new(name, data)

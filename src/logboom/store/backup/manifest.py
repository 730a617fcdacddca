"""The manifest of a backup: the files it consists of, each with its size and its checksum.

backup.json                          the manifest, replaced when all the rest is there
blocks/<day>/<block>.parquet, .index the same names as in the store; what is there already is not copied again
runs/<run>~<name>                    everything else, of the run that the manifest names; `/` in a name is `~`
"""

from pathlib import Path

import google_crc32c
import msgspec

from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.stores.objects import ObjectStore

NAME = "backup.json"
BLOCKS = "blocks"
RUNS = "runs"
LOG = "log"
CONTROL = "control"
DATA = "data"
FORMAT = 1
RESTORED = "restored.json"
"""The file's name in a data directory; it is not part of a backup."""


class File(msgspec.Struct, frozen=True, array_like=True):
    """The size of a file, and its CRC32C."""

    size_bytes: int
    checksum: int

    @classmethod
    def of(cls, data: bytes) -> "File":
        return cls(len(data), google_crc32c.value(data))


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a backup.

    `files` are by name: `blocks/…`, `log/…`, `control/…` of the store, `data/…` of the data directory.
    Without a `run` the first backup is not finished yet. `copy` tells a restored store from its original, for which
    it is empty.
    """

    table: str
    node: str
    copy: str = ""
    run: str = ""
    made: str = ""
    version: int = -1
    blocks: int = 0
    events: int = 0
    files: dict[str, File] = {}
    format: int = FORMAT


class Restoration(msgspec.Struct, frozen=True):
    """Where a restored data directory comes from: its own identity, and the run that it was restored from."""

    copy: str = ""
    run: str = ""


def read_restoration(data_dir: Path) -> Restoration:
    """Return where a restored data directory comes from; empty for one that was not restored."""
    try:
        data = (data_dir / RESTORED).read_bytes()
    except FileNotFoundError:
        return Restoration()
    try:
        return msgspec.json.decode(data, type=Restoration)
    except msgspec.MsgspecError as error:
        raise Corrupt(str(data_dir / RESTORED), 0, f"not a restoration: {error}") from error


def locate(name: str, run: str) -> str:
    """Return the object of a backup that contains a file."""
    return name if name.startswith(f"{BLOCKS}/") else f"{RUNS}/{run}~{name.replace('/', '~')}"


def read_manifest(objects: ObjectStore) -> Manifest:
    """Read the manifest; raise NotFound if the place is empty, Conflict if it contains anything but a backup."""
    try:
        data = objects.read(NAME)
    except NotFound:
        place = objects.locate("")
        if objects.list(""):
            raise Conflict(f"{place} is not empty and is not a backup") from None
        raise NotFound(f"no backup at {place}") from None
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise Corrupt(objects.locate(NAME), 0, f"not a manifest: {error}") from error
    if manifest.format > FORMAT:
        raise Unavailable(
            f"{objects.locate(NAME)} has format {manifest.format}, expected at most {FORMAT}: a newer release made it"
        )
    return manifest


def write_manifest(objects: ObjectStore, manifest: Manifest) -> None:
    objects.replace(NAME, msgspec.json.encode(manifest))

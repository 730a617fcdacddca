"""The files of the log: numbered commits, created only if absent, and the checkpoints that summarise them.

Old commits are deleted in ascending order, and only below a checkpoint. So a reader at version N that finds commit N
unchanged knows that nothing above N was ever deleted: a missing N+1 is the end of the log. A reader that does not
find it has fallen behind and must start again at a checkpoint.
"""

import hashlib
from typing import NamedTuple

from logboom.base.errors import Conflict, NotFound
from logboom.base.stores.layout import LOG_FOLDER
from logboom.base.stores.objects import ObjectStore

FOLDER = LOG_FOLDER
LAST_CHECKPOINT = f"{FOLDER}/_last_checkpoint"
CHECKPOINT_SUFFIX = ".checkpoint.parquet"
DIGITS = 20


class Anchor(NamedTuple):
    """Identifies a commit that was read; `digest` is None if its file is gone."""

    version: int
    digest: bytes | None


class Listing(NamedTuple):
    """The versions of the commits and checkpoints that have a file, ascending."""

    commits: list[int]
    checkpoints: list[int]

    @property
    def last(self) -> int:
        """The newest version of any file; -1 if there is none."""
        return max((*self.commits[-1:], *self.checkpoints[-1:]), default=-1)


class LogFiles:
    """Reads and creates the files of the log. Thread-safe."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def list(self) -> Listing:
        names = [name for name in self._objects.list(FOLDER) if name[:DIGITS].isdigit()]
        return Listing(
            [int(name[:DIGITS]) for name in names if name[DIGITS:] == ".json"],
            [int(name[:DIGITS]) for name in names if name[DIGITS:] == CHECKPOINT_SUFFIX],
        )

    def read(self, version: int) -> bytes | None:
        """Return one commit, or None if there is no such file."""
        try:
            return self._objects.read(name_commit(version))
        except NotFound:
            return None

    def create(self, version: int, data: bytes) -> bool:
        """Write one commit; return False if another writer took the number."""
        try:
            self._objects.put_new(name_commit(version), data)
        except Conflict:
            # A retried create can meet its own earlier success.
            return self.read(version) == data
        return True

    def holds(self, anchor: Anchor) -> bool:
        """Return whether nothing above the anchor's version was deleted before this call."""
        if anchor.digest is None:
            return self.list().last <= anchor.version
        data = self.read(anchor.version)
        return data is not None and digest(data) == anchor.digest

    def sync(self) -> None:
        self._objects.sync(FOLDER)

    def locate(self, version: int) -> str:
        return self._objects.locate(name_commit(version))


def digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def name_commit(version: int) -> str:
    return f"{FOLDER}/{version:0{DIGITS}d}.json"


def name_checkpoint(version: int) -> str:
    return f"{FOLDER}/{version:0{DIGITS}d}{CHECKPOINT_SUFFIX}"

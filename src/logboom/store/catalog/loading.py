"""Reads the log: from a checkpoint, or from a known position, to its end."""

import logging
from typing import NamedTuple

import msgspec
import polars as pl

from logboom.base.errors import Corrupt, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.store.catalog.actions import decode_commit
from logboom.store.catalog.checkpoint import Checkpoint, decode_checkpoint
from logboom.store.catalog.log import Anchor, Listing, LogFiles, digest, name_checkpoint
from logboom.store.catalog.marks import Mark
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.catalog.steps import read_step

log = logging.getLogger(__name__)

MAX_LOADS = 5
"""Attempts to read a log that is being cleaned up."""
UNREADABLE = (
    *(msgspec.MsgspecError, KeyError, TypeError, ValueError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)
"""What reading a damaged commit or checkpoint may raise."""


class Position(NamedTuple):
    """How far the log was read; `marks` are those that were set on the way."""

    snapshot: Snapshot
    anchor: Anchor
    marks: dict[str, Mark]


class Start(NamedTuple):
    """Where to start reading: at a checkpoint, or at the very beginning (version -1)."""

    position: Position
    damaged: list[int]
    """Checkpoints that were skipped because they cannot be read."""

    @property
    def version(self) -> int:
        return self.position.snapshot.version


class Loaded(NamedTuple):
    """The complete log, and where reading it began."""

    position: Position
    start: Start


def load(objects: ObjectStore, files: LogFiles) -> Loaded:
    """Return the log from its newest intact checkpoint; raise Corrupt if a part of it is missing."""
    tries = 0
    while True:
        tries += 1
        listing = files.list()
        start = find_start(objects, files, listing)
        position = follow(files, start.position)
        if position and position.snapshot.version >= listing.last:
            return Loaded(position, start)
        if tries == MAX_LOADS:
            missing = (position or start.position).snapshot.version + 1
            reason = f"missing, but the log goes on to version {listing.last}"
            raise Corrupt(files.locate(missing), 0, reason)


def find_start(objects: ObjectStore, files: LogFiles, listing: Listing) -> Start:
    unsigned: Checkpoint | None = None
    damaged: list[int] = []
    for version in reversed(listing.checkpoints):
        found = read_checkpoint(objects, version)
        if found and found.is_signed:
            return Start(start_at(files, found), damaged)
        if not found:
            damaged.append(version)
        unsigned = unsigned or found
    # A checkpoint without a digest is trusted only if there is nothing else to start with.
    if unsigned and 0 not in listing.commits:
        return Start(start_at(files, unsigned), damaged)
    return Start(Position(Snapshot(), Anchor(-1, None), {}), damaged)


def read_checkpoint(objects: ObjectStore, version: int) -> Checkpoint | None:
    """Read a checkpoint; return None if it is damaged or gone."""
    try:
        return decode_checkpoint(objects.read(name_checkpoint(version)), version)
    except (*UNREADABLE, NotFound) as error:
        extra = {"version": version, "reason": repr(error)}
        log.warning("catalog checkpoint skipped", extra=extra)
        return None


def start_at(files: LogFiles, checkpoint: Checkpoint) -> Position:
    version = checkpoint.snapshot.version
    data = files.read(version)
    anchor = Anchor(version, None if data is None else digest(data))
    return Position(checkpoint.snapshot, anchor, checkpoint.marks)


def follow(files: LogFiles, start: Position) -> Position | None:
    """Continue to the end of the log; return None if the log was cleaned up past `start`.

    What was read counts only if the commit that identifies `start` still exists afterwards. Otherwise it may have
    been written by a node that had fallen behind as well.
    """
    end, damage = read_on(files, start)
    # If the start has lost its own commit, the first one that was read identifies it.
    base = start.anchor if start.anchor.digest else end.first or start.anchor
    if not files.holds(base):
        return None
    if damage:
        raise damage
    return end.position


class End(NamedTuple):
    """How far reading went, and the first commit that was read."""

    position: Position
    first: Anchor | None = None


def read_on(files: LogFiles, start: Position) -> tuple[End, Corrupt | None]:
    """Apply commits until there is none, or one that is damaged."""
    end = End(start._replace(marks=dict(start.marks)))
    while (data := files.read(end.position.snapshot.version + 1)) is not None:
        snapshot, _, marks = end.position
        try:
            snapshot, changes = apply(files, snapshot, data)
        except Corrupt as damage:
            return end, damage
        marks.update(changes)
        anchor = Anchor(snapshot.version, digest(data))
        end = End(Position(snapshot, anchor, marks), end.first or anchor)
    return end, None


def apply(files: LogFiles, snapshot: Snapshot, data: bytes) -> tuple[Snapshot, dict[str, Mark]]:
    """Return the snapshot after one more commit, and the marks that it sets."""
    version = snapshot.version + 1
    try:
        commit = decode_commit(data)
        step, marks = read_step(commit, version, snapshot)
    except UNREADABLE as error:
        raise Corrupt(files.locate(version), 0, f"not a commit: {error!r}") from error
    if commit.info is None:
        log.warning(
            "another program changed the table; the next commit undoes it",
            extra={"version": version},
        )
    return snapshot.change(step), marks


def is_named(files: LogFiles, path: str, since_ms: int) -> bool:
    """Return whether a commit since then adds or removes a block; looks at the newest first, while there are files."""
    for version in reversed(files.list().commits):
        data = files.read(version) or b""
        if path.encode() in data:
            return True
        info = decode_commit(data).info if data else None
        if info and info.timestamp < since_ms:
            return False
    return False

"""Maintenance of the log: writes checkpoints, and deletes the commits and checkpoints that they replace.

Commits are deleted in ascending order; `log` explains why.
"""

import logging
from collections.abc import Mapping

import msgspec

from logboom.base.errors import Conflict, Corrupt
from logboom.base.stores.objects import ObjectStore
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.checkpoint import Checkpoint, encode_checkpoint
from logboom.store.catalog.loading import read_checkpoint
from logboom.store.catalog.log import LAST_CHECKPOINT, LogFiles, name_checkpoint, name_commit
from logboom.store.catalog.marks import Mark
from logboom.store.catalog.snapshot import Snapshot

log = logging.getLogger(__name__)

KEEP_COMMITS = 1000
"""Commits that are kept although a checkpoint summarises them, for readers that are slightly behind."""


BLOCKS_PER_COMMIT = 2000
"""A checkpoint of this many blocks takes about as long as reading one commit at the next start."""


def is_worth_it(snapshot: Snapshot, commits: int) -> bool:
    """Return whether enough commits have come since the last checkpoint for another one of all blocks."""
    return commits * BLOCKS_PER_COMMIT >= snapshot.count_blocks()


def write_checkpoint(catalog: Catalog, objects: ObjectStore) -> int:
    """Write a checkpoint, verify it, and clean up; return the version."""
    snapshot, marks = catalog.copy_state()
    data, size = encode_checkpoint(snapshot, marks)
    name = name_checkpoint(snapshot.version)
    try:
        objects.put_new(name, data)
    except Conflict:
        log.debug("another node wrote the checkpoint", extra={"version": snapshot.version})
    stored = read_checkpoint(objects, snapshot.version)
    if stored is None or not is_equivalent(stored, snapshot, marks):
        objects.delete(name)
        raise Corrupt(objects.locate(name), 0, "the checkpoint is not what was written")
    pointer = {"version": snapshot.version, "size": size}
    objects.replace(LAST_CHECKPOINT, msgspec.json.encode(pointer))
    catalog.checkpoint_version = snapshot.version
    clean_up(objects, snapshot.version)
    log.info("catalog checkpoint written", extra={"version": snapshot.version})
    return snapshot.version


def is_equivalent(stored: Checkpoint, snapshot: Snapshot, marks: Mapping[str, Mark]) -> bool:
    """Return whether a checkpoint has everything that the commits it replaces have said."""
    found = stored.snapshot
    return (
        stored.is_signed
        and found.days == snapshot.days
        and found.transactions == snapshot.transactions
        and found.claims == snapshot.claims
        and stored.marks == marks
    )


def clean_up(objects: ObjectStore, version: int) -> None:
    """Delete what the checkpoint at `version` and the one before it make obsolete, oldest first."""
    listing = LogFiles(objects).list()
    older = [each for each in listing.checkpoints if each < version]
    spare = next((each for each in reversed(older) if is_whole(objects, each)), None)
    if spare is None:
        return
    first_kept = min(spare, version - KEEP_COMMITS)
    objects.delete_all([name_commit(each) for each in listing.commits if each < first_kept])
    objects.delete_all([name_checkpoint(each) for each in older if each < spare])


def is_whole(objects: ObjectStore, version: int) -> bool:
    found = read_checkpoint(objects, version)
    return found is not None and found.is_signed

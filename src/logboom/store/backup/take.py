"""Takes a backup, also of a running service: it only reads, and blocks nobody.

The write-ahead log is copied first and the catalog read afterwards. Everything acknowledged before is then in one of
the two, because a segment of the log is deleted only after the commit that covers it. Events that are in both are
recognised by their position, as after a crash.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec
from msgspec import field

from logboom.base.clock import Clock, format_time
from logboom.base.errors import Conflict, NotFound
from logboom.base.ids import make_ulid
from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import MutableStruct
from logboom.store.backup.manifest import (
    BLOCKS,
    CONTROL,
    DATA,
    LOG,
    RUNS,
    File,
    Manifest,
    locate,
    read_manifest,
    read_restoration,
    write_manifest,
)
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.checkpoint import encode_checkpoint
from logboom.store.catalog.log import FOLDER, LAST_CHECKPOINT, name_checkpoint
from logboom.store.catalog.marks import Mark
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.node import read_node
from logboom.store.wal.log import list_segments

COPIERS = 4
"""Blocks that are copied at once, each of them in memory."""
CONTROL_ATTEMPTS = 10
OWN_FILES = ("node", "claim", "idempotency.log")
"""What a data directory contains beside the write-ahead log, the secrets and the batches set aside."""
SET_ASIDE = "set-aside"


class BackupSource(NamedTuple):
    """What is backed up; `secrets` are files by their names in a data directory."""

    objects: ObjectStore
    data_dir: Path
    secrets: Mapping[str, Path]


class BackupResult(NamedTuple):
    """A complete backup; `damaged` names the files of the store that were damaged, and why."""

    manifest: Manifest
    copied_bytes: int
    damaged: dict[str, str]


class Copies(MutableStruct):
    """The files of a backup in progress."""

    target: ObjectStore
    before: Manifest
    run: str
    files: dict[str, File] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    size_bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, name: str, data: bytes) -> None:
        place = locate(name, self.run)
        try:
            self.target.put_new(place, data)
        except Conflict:
            # Left by an interrupted backup, or an index that was rebuilt since.
            self.target.replace(place, data)
        with self._lock:
            self.files[name] = File.of(data)
            self.size_bytes += len(data)

    def has(self, name: str, checksum: int | None) -> bool:
        """Return whether a block file need not be copied, because an earlier backup has it."""
        known = self.before.files.get(name)
        if known is None or checksum not in (None, known.checksum):
            return False
        try:
            is_whole = self.target.measure(name) == known.size_bytes
        except NotFound:
            return False
        if is_whole:
            self.files[name] = known
        return is_whole


def take_backup(source: BackupSource, target: ObjectStore, clock: Clock) -> BackupResult:
    """Update a backup, or start one in an empty place; raise Conflict if the place contains something else."""
    catalog = Catalog(source.objects, clock)
    catalog.follow()
    restoration = read_restoration(source.data_dir)
    origin = describe_origin(source, catalog.snapshot, restoration.copy)
    before = open_target(target, origin, restoration.run)
    copies = Copies(target, before, make_ulid(clock()))
    for name, path in list_own_files(source):
        with suppress(FileNotFoundError):
            copies.add(f"{DATA}/{name}", path.read_bytes())
    catalog.refresh()
    snapshot, marks = copy_blocks(source.objects, catalog, copies)
    for name, data in encode_log(snapshot, marks).items():
        copies.add(name, data)
    for name, data in read_control(source.objects):
        copies.add(name, data)
    manifest = replace_manifest(copies, snapshot, clock)
    prune(target, manifest)
    return BackupResult(manifest, copies.size_bytes, copies.damaged)


def describe_origin(source: BackupSource, snapshot: Snapshot, copy: str) -> Manifest:
    assert snapshot.metadata is not None, "a log begins with its metadata"
    node = read_node(source.data_dir / "node")
    return Manifest(table=snapshot.metadata.id, node=node, copy=copy)


def open_target(target: ObjectStore, origin: Manifest, restored_run: str) -> Manifest:
    """Return the manifest of the last backup in this place; a new one is started if it is empty.

    A restored store may go on with the backup that it was restored from, as long as that has not changed since.
    """
    try:
        before = read_manifest(target)
    except NotFound:
        write_manifest(target, origin)
        return origin
    if (before.table, before.node) != (origin.table, origin.node):
        raise Conflict(
            f"{target.locate('')} holds a backup of another store or node: that of node {before.node}, "
            f"expected one of node {origin.node} and the same store"
        )
    if before.copy != origin.copy and before.run != restored_run:
        raise Conflict(
            f"{target.locate('')} holds a backup of another copy of this store, made {before.made}, which was changed "
            "since one was restored from the other: expected a new destination"
        )
    return msgspec.structs.replace(before, copy=origin.copy)


def list_own_files(source: BackupSource) -> Iterator[tuple[str, Path]]:
    """Yield the files of a data directory: the log first, then the answers, which move from the log to a file."""
    for path in list_segments(source.data_dir / "wal"):
        yield f"wal/{path.name}", path
    yield from ((name, source.data_dir / name) for name in OWN_FILES)
    for path in sorted((source.data_dir / SET_ASIDE).glob("[!.]*")):
        yield f"{SET_ASIDE}/{path.name}", path
    yield from source.secrets.items()


def copy_blocks(
    objects: ObjectStore, catalog: Catalog, copies: Copies
) -> tuple[Snapshot, Mapping[str, Mark]]:
    """Copy all live blocks; return the state of the log that names exactly those.

    If a block is removed and deleted while others are copied, the catalog is read again.
    """
    while True:
        snapshot, marks = catalog.copy_state()
        blocks = list(snapshot.list_blocks())
        with ThreadPoolExecutor(COPIERS) as pool:
            outcomes = pool.map(lambda block: copy_block(objects, block, copies), blocks)
            missing = [block for block, done in zip(blocks, outcomes, strict=True) if not done]
        latest = catalog.refresh()
        if all(latest.is_live(block.path) for block in missing):
            copies.damaged |= {block.path: "it is missing" for block in missing}
            return snapshot, marks


def copy_block(objects: ObjectStore, block: BlockInfo, copies: Copies) -> bool:
    """Copy a block; return False if it is missing. A missing index is recorded, and rebuilt when needed."""
    index = name_index(block.path)
    try:
        copy_file(objects, block.path, block.checksum, copies)
    except NotFound:
        return False
    try:
        copy_file(objects, index, block.index_checksum, copies)
    except NotFound:
        copies.damaged[index] = "it is missing"
    return True


def copy_file(objects: ObjectStore, name: str, checksum: int | None, copies: Copies) -> None:
    if name in copies.files or copies.has(name, checksum):
        return
    copies.add(name, objects.read(name))
    if checksum not in (None, copies.files[name].checksum):
        copies.damaged[name] = "its checksum is wrong"


def encode_log(snapshot: Snapshot, marks: Mapping[str, Mark]) -> dict[str, bytes]:
    """Return the log as one checkpoint.

    It names no removed blocks, because their files are not copied. Nor does it say who holds the names of nodes: the
    copy is a separate store that nobody has used yet.
    """
    alone = replace(snapshot, tombstones={}, claims={}, strays=frozenset(), missing=frozenset())
    data, size = encode_checkpoint(alone, marks)
    pointer = msgspec.json.encode({"version": snapshot.version, "size": size})
    files = {name_checkpoint(snapshot.version): data, LAST_CHECKPOINT: pointer}
    return {f"{LOG}/{name.removeprefix(f'{FOLDER}/')}": each for name, each in files.items()}


def read_control(objects: ObjectStore) -> Iterator[tuple[str, bytes]]:
    """Yield the newest generation of every control document."""
    for name in objects.list(CONTROL):
        yield from read_newest(objects, f"{CONTROL}/{name}")


def read_newest(objects: ObjectStore, folder: str) -> Iterator[tuple[str, bytes]]:
    for _ in range(CONTROL_ATTEMPTS):
        generations = [name for name in objects.list(folder) if name.isdecimal()]
        if not generations:
            return
        # A writer of the next generation may delete the oldest meanwhile.
        with suppress(NotFound):
            yield f"{folder}/{generations[-1]}", objects.read(f"{folder}/{generations[-1]}")
            return


def replace_manifest(copies: Copies, snapshot: Snapshot, clock: Clock) -> Manifest:
    """Make this the current backup."""
    live = {block.path for block in snapshot.list_blocks()}
    live |= {name_index(path) for path in live}
    manifest = Manifest(
        table=copies.before.table,
        node=copies.before.node,
        copy=copies.before.copy,
        run=copies.run,
        made=format_time(clock()),
        version=snapshot.version,
        blocks=snapshot.count_blocks(),
        events=snapshot.count_rows(),
        files={
            name: file
            for name, file in sorted(copies.files.items())
            if name in live or not name.startswith(f"{BLOCKS}/")
        },
    )
    write_manifest(copies.target, manifest)
    return manifest


def prune(target: ObjectStore, manifest: Manifest) -> None:
    """Delete what no longer belongs to the backup."""
    kept = {locate(name, manifest.run) for name in manifest.files}
    folders = [RUNS, *(f"{BLOCKS}/{day}" for day in target.list(BLOCKS))]
    target.delete_all(
        [
            f"{folder}/{name}"
            for folder in folders
            for name in target.list(folder)
            if f"{folder}/{name}" not in kept
        ]
    )

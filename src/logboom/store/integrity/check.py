"""Checks a store: reads every file that counts and compares it with the log; writes nothing."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from logboom.base.clock import Clock, format_time
from logboom.base.errors import Corrupt, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.base.wording import count
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.actions import decode_commit
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.checkpoint import decode_checkpoint
from logboom.store.catalog.loading import UNREADABLE
from logboom.store.catalog.log import LogFiles, name_checkpoint, name_commit
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.integrity.verify import verify_block, verify_index

INSPECTORS = 4
"""Blocks that are read at once."""
BLOCKS = "blocks"


class Damage(NamedTuple):
    """A file that is damaged or missing, and why; `block` if it belongs to a live block."""

    name: str
    reason: str
    block: BlockInfo | None = None

    @property
    def is_index(self) -> bool:
        return self.block is not None and self.name != self.block.path

    def describe(self) -> str:
        if self.block is None or self.is_index:
            return self.reason
        return f"{self.reason}; it held {describe_events(self.block)}"


class Checked(NamedTuple):
    """The result of a check; `orphans` are block files that no commit names, as a crash leaves them."""

    version: int
    checkpoint: int
    """The checkpoint that the log is read from; -1 for none."""
    blocks: int
    events: int
    damages: list[Damage]
    orphans: list[str]


def describe_events(block: BlockInfo) -> str:
    first, last = format_time(block.first_ns), format_time(block.last_ns)
    return f"{count(block.rows, 'event')} of {block.env} from {first} to {last}"


def check_store(objects: ObjectStore, clock: Clock) -> Checked:
    """Read everything once. Safe beside a running service."""
    damages = list(check_log(objects))
    catalog = Catalog(objects, clock)
    try:
        catalog.follow()
    except Corrupt as error:
        name = error.data["path"]
        if str(name) not in {objects.locate(damage.name) for damage in damages}:
            damages.append(Damage(str(name), error.reason))
        return Checked(-1, -1, 0, 0, damages, [])
    snapshot = catalog.snapshot
    orphans = find_orphans(objects, snapshot)
    with ThreadPoolExecutor(INSPECTORS) as pool:
        found = pool.map(lambda block: list(check_files(objects, block)), snapshot.list_blocks())
        of_blocks = [damage for damages in found for damage in damages]
    # Files that were removed or rebuilt during the check are not damaged.
    latest = catalog.refresh()
    damages += [damage for damage in of_blocks if is_current(damage, latest)]
    orphans = [path for path in orphans if not latest.is_live(path)]
    return Checked(
        latest.version,
        catalog.checkpoint_version,
        snapshot.count_blocks(),
        snapshot.count_rows(),
        damages,
        orphans,
    )


def check_log(objects: ObjectStore) -> Iterator[Damage]:
    """Check each file of the log."""
    listing = LogFiles(objects).list()
    for version in listing.checkpoints:
        name = name_checkpoint(version)
        yield from check_readable(objects, name, partial(decode_checkpoint, version=version))
    for version in listing.commits:
        yield from check_readable(objects, name_commit(version), decode_commit)


def check_readable(
    objects: ObjectStore, name: str, decode: Callable[[bytes], object]
) -> Iterator[Damage]:
    try:
        decode(objects.read(name))
    except NotFound:
        return  # A running service has just deleted it.
    except UNREADABLE as error:
        yield Damage(name, str(error).partition("\n")[0][:200] or repr(error))


def check_files(objects: ObjectStore, block: BlockInfo) -> Iterator[Damage]:
    """Yield the two files of a block."""
    if reason := verify_block(objects, block, deep=True):
        yield Damage(block.path, reason, block)
    if reason := verify_index(objects, block):
        yield Damage(name_index(block.path), reason, block)


def is_current(damage: Damage, snapshot: Snapshot) -> bool:
    assert damage.block is not None, "only files of blocks are removed meanwhile"
    return snapshot.is_live(damage.block.path) and snapshot.find(damage.block.path) == damage.block


def find_orphans(objects: ObjectStore, snapshot: Snapshot) -> list[str]:
    """Return the block files that are neither live nor waiting to be deleted."""
    return [
        path
        for path in list_stored(objects)
        if not snapshot.is_live(path) and path not in snapshot.tombstones
    ]


def list_stored(objects: ObjectStore) -> Iterable[str]:
    for day in objects.list(BLOCKS):
        folder = f"{BLOCKS}/{day}"
        stems = dict.fromkeys(PurePosixPath(name).stem for name in objects.list(folder))
        yield from (f"{folder}/{stem}.parquet" for stem in stems)

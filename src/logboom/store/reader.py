"""A read-only store, without a write-ahead log or a lock."""

from pathlib import Path

from logboom.base.clock import Clock, system_clock
from logboom.base.errors import NotFound, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.checkpoint import KEEP_TOMBSTONES_MS
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.indexes import IndexCache
from logboom.store.integrity.access import BlockAccess
from logboom.store.integrity.damage import DamagedBlocks

INDEX_CACHE_BYTES = 256 << 20


class StoreReader:
    """Sees what a service has made searchable, running or not. Thread-safe."""

    def __init__(self, place: Path | ObjectStore, clock: Clock = system_clock) -> None:
        """A directory is the store itself, or the data directory that contains it; NotFound if neither."""
        try:
            self.objects: ObjectStore = (
                LocalObjects(find_store(place)) if isinstance(place, Path) else place
            )
            self._catalog = Catalog(self.objects, clock)
            self._catalog.follow()
        except OSError as error:
            raise Unavailable(f"{place} cannot be read: {error.strerror}") from error
        damaged = DamagedBlocks(self.objects, clock, self._catalog.refresh, writes=False)
        self.access = BlockAccess(self.objects, damaged)
        self.indexes = IndexCache(self.access, INDEX_CACHE_BYTES)

    def snapshot(self) -> Snapshot:
        """Return the live blocks now."""
        return self.follow()

    def follow(self) -> Snapshot:
        """Return the live blocks as of now."""
        snapshot = self._catalog.refresh()
        # Nothing else in this process drops what others deleted long ago.
        self._catalog.forget(snapshot.list_buried(KEEP_TOMBSTONES_MS))
        return self._catalog.snapshot

    def count_buffered(self, _env: str) -> int:
        """Return 0: events that are not in blocks yet cannot be seen here."""
        return 0


def find_store(directory: Path) -> Path:
    inside = directory / "store"
    store = inside if inside.is_dir() else directory
    if not store.is_dir():
        raise NotFound(f"no store at {directory}")
    return store

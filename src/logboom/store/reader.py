"""A store that is only read: its blocks as they are, without a log or a lock of its own."""

from pathlib import Path

from logboom.base.clock import NS_PER_S, Clock, system_clock
from logboom.base.errors import NotFound, Unavailable
from logboom.base.objects import LocalObjects, ObjectStore
from logboom.store.catalog.catalog import Catalog, Snapshot
from logboom.store.indexes import IndexCache

INDEX_CACHE_BYTES = 256 << 20
STALE_NS = 3600 * NS_PER_S
"""Who has not looked for so long begins anew: the commits in between may be gone, summed up by then."""


class StoreReader:
    """Sees what a running service, or one that ran, has made searchable. May be used by any thread."""

    def __init__(self, place: Path | ObjectStore, clock: Clock = system_clock) -> None:
        """A directory is the store itself, or the data directory it lies in; NotFound if neither."""
        self._clock = clock
        try:
            self.objects: ObjectStore = (
                LocalObjects(find_store(place)) if isinstance(place, Path) else place
            )
            self.indexes = IndexCache(self.objects, INDEX_CACHE_BYTES)
            self._catalog = self._follow()
        except OSError as error:
            raise Unavailable(f"{place} cannot be read: {error.strerror}") from error

    def _follow(self) -> Catalog:
        catalog = Catalog(self.objects, self._clock)
        catalog.follow()
        self._seen_ns = self._clock()
        return catalog

    def snapshot(self) -> Snapshot:
        """The live blocks now."""
        now_ns = self._clock()
        if now_ns - self._seen_ns > STALE_NS:
            self._catalog = self._follow()
        self._seen_ns = now_ns
        return self._catalog.refresh()

    def count_buffered(self, _env: str) -> int:
        """Events that are not in blocks are not to be seen from here."""
        return 0


def find_store(directory: Path) -> Path:
    inside = directory / "store"
    store = inside if inside.is_dir() else directory
    if not store.is_dir():
        raise NotFound(f"no store at {directory}")
    return store

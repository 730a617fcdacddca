"""A cache for the indexes of blocks: the most recently used ones, up to a size."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress

from logboom.base.errors import Corrupt
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.integrity.access import BlockAccess


class IndexCache:
    """Caches the indexes of blocks. Thread-safe."""

    def __init__(self, access: BlockAccess, capacity_bytes: int) -> None:
        self._access = access
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._cached: OrderedDict[str, tuple[BlockIndex, int]] = OrderedDict()
        self._on_evicted: list[Callable[[str], object]] = []

    def __contains__(self, path: str) -> bool:
        """Return whether the index of a block is cached."""
        return path in self._cached

    def warm(self, infos: Iterable[BlockInfo]) -> None:
        """Load missing indexes, as long as there is room without evicting any."""
        for info in infos:
            if self._size_bytes >= self._capacity_bytes:
                return
            if info.path not in self._cached:
                # A damaged block is reported when it is needed.
                with suppress(Corrupt):
                    self.read(info)

    def on_evicted(self, forget: Callable[[str], object]) -> None:
        """Call `forget` with the path of each block whose index is no longer cached."""
        self._on_evicted.append(forget)

    def _evict(self, path: str) -> None:
        """Call it with the lock held."""
        if cached := self._cached.pop(path, None):
            self._size_bytes -= cached[1]
            for forget in self._on_evicted:
                forget(path)

    def drop(self, paths: Iterable[str]) -> None:
        """Drop the indexes of removed blocks."""
        with self._lock:
            for path in paths:
                self._evict(path)

    def read(self, info: BlockInfo) -> BlockIndex:
        """Return the index of a block; raise Corrupt if it is lost and the block is damaged too."""
        if self._access.is_suspect(info):
            self.drop([info.path])
        with self._lock:
            cached = self._cached.get(info.path)
            if cached is not None:
                self._cached.move_to_end(info.path)
                return cached[0]
        index, stored_bytes = self._access.load_index(info)
        with self._lock:
            if info.path in self._cached:
                return index
            # A decoded index takes a few times its stored size.
            size_bytes = 4 * stored_bytes
            self._cached[info.path] = (index, size_bytes)
            self._size_bytes += size_bytes
            while self._size_bytes > self._capacity_bytes and len(self._cached) > 1:
                self._evict(next(iter(self._cached)))
        return index

"""The indexes of blocks in memory: read once, the most recently used ones kept up to a size."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from logboom.base.errors import Corrupt, NotFound
from logboom.base.objects import ObjectStore
from logboom.store.block.index import BlockIndex, decode_index
from logboom.store.block.writer import name_index


class IndexCache:
    """May be used by any thread."""

    def __init__(self, objects: ObjectStore, capacity_bytes: int) -> None:
        self._objects = objects
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._cached: OrderedDict[str, tuple[BlockIndex, int]] = OrderedDict()

    def warm(self, paths: Iterable[str]) -> None:
        """Read what is not here yet, as long as there is room without giving anything up."""
        for path in paths:
            if self._size_bytes >= self._capacity_bytes:
                return
            if path not in self._cached:
                self.read(path)

    def drop(self, paths: Iterable[str]) -> None:
        """Forget blocks that nobody will ask for again."""
        with self._lock:
            for path in paths:
                if cached := self._cached.pop(path, None):
                    self._size_bytes -= cached[1]

    def read(self, path: str) -> BlockIndex:
        """The index of the block at `path`."""
        with self._lock:
            cached = self._cached.get(path)
            if cached is not None:
                self._cached.move_to_end(path)
                return cached[0]
        name = name_index(path)
        try:
            index, stored_bytes = self._objects.use(name, lambda file: read_index(file, name))
        except (NotFound, FileNotFoundError) as error:
            raise Corrupt(self._objects.locate(name), 0, "the block has lost its index") from error
        with self._lock:
            if path in self._cached:
                return index
            # Decoded, an index takes a few times its stored size.
            size_bytes = 4 * stored_bytes
            self._cached[path] = (index, size_bytes)
            self._size_bytes += size_bytes
            while self._size_bytes > self._capacity_bytes and len(self._cached) > 1:
                self._size_bytes -= self._cached.popitem(last=False)[1][1]
        return index


def read_index(file: str, name: str) -> tuple[BlockIndex, int]:
    """The index in a file, and the file's size."""
    data = Path(file).read_bytes()
    return decode_index(data, name), len(data)

"""Opens blocks, and caches what was read of them."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from logboom.base.clock import system_clock
from logboom.base.stores.objects import ObjectStore
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.blocks.columns import ColumnCache
from logboom.engine.blocks.events import EventCache
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.indexes import IndexCache
from logboom.store.integrity.access import BlockAccess
from logboom.store.integrity.damage import DamagedBlocks
from logboom.store.options import INDEX_CACHE_BYTES

T = TypeVar("T")

PARALLEL_BLOCKS = 16
"""How many blocks are examined at the same time when each may wait for the store."""
EVENTS_SHARE = 16
"""1/16 of the cache is for events of answers; the rest is for columns."""
MAX_TOGETHER = 8
"""How many sets of blocks are remembered, such as those of the time ranges that are asked for again and again."""


class BlockReader:
    """Opens blocks and caches what was read of them. Thread-safe.

    If pickled, it becomes the receiving process's own reader of the same store.
    """

    def __init__(self, access: BlockAccess, indexes: IndexCache, cache_bytes: int) -> None:
        self._access = access
        self._indexes = indexes
        self._cache_bytes = cache_bytes
        for_events = cache_bytes // EVENTS_SHARE
        self.columns = ColumnCache(cache_bytes - for_events)
        self.events = EventCache(for_events)
        self._opened: dict[str, Block] = {}
        """Blocks whose indexes are cached."""
        self._together: dict[tuple[str, ...], BlockGroup] = {}
        """The same, by their paths."""
        indexes.on_evicted(self._close)
        self._waiting = ThreadPoolExecutor(PARALLEL_BLOCKS, "blocks")

    def open(self, info: BlockInfo) -> Block:
        """Open a block; raise Corrupt if both it and its index are damaged."""
        index = self._indexes.read(info)
        opened = self._opened.get(info.path)
        if opened is not None and opened.index is index:
            return opened
        use = partial(self._access.use_part, info, index.file)
        is_local = partial(self._access.objects.is_local, info.path)
        opened = Block(info, index, self.columns, self.events, use, is_local)
        self._opened[info.path] = opened
        if info.path not in self._indexes:
            # It was evicted just now, before `_opened` had it.
            self._opened.pop(info.path, None)
        return opened

    def open_group(self, infos: Sequence[BlockInfo]) -> BlockGroup:
        """Open several blocks; raise Corrupt if one of them and its index are damaged."""
        paths = tuple([info.path for info in infos])
        together = self._together.get(paths)
        if together is None:
            together = BlockGroup(tuple(map(self.open, infos)))
            if len(self._together) >= MAX_TOGETHER:
                self._together.clear()
            self._together[paths] = together
            if not all(path in self._indexes for path in paths):
                self._together.pop(paths, None)
        return together

    def _close(self, path: str) -> None:
        self._opened.pop(path, None)
        self._together.clear()

    @property
    def is_remote(self) -> bool:
        """Whether looking at an index may wait for the store."""
        return self._access.objects.is_remote

    def ask_each(self, ask: Callable[[BlockInfo], T], blocks: Sequence[BlockInfo]) -> Iterable[T]:
        """Call `ask` for every block; concurrently if each call may wait for the store."""
        if not self.is_remote or len(blocks) == 1:
            return map(ask, blocks)
        return self._waiting.map(ask, blocks)

    def report(self, info: BlockInfo, reason: str) -> None:
        """Set aside a block that another process found to be damaged."""
        self._access.damaged.set_aside(info, reason)

    def drop(self, paths: Iterable[str]) -> None:
        """Drop what is cached of removed blocks."""
        gone = set(paths)
        for path in gone:
            self._opened.pop(path, None)
        self.columns.drop(gone)
        self.events.drop(gone)

    def forget(self) -> None:
        """Drop everything that is cached."""
        self.columns.clear()
        self.events.clear()

    def __reduce__(self) -> tuple[object, ...]:
        return open_reader, (self._access.objects, self._cache_bytes)


READERS: dict[str, BlockReader] = {}
"""The readers of a worker process, by the location of their store."""


def open_reader(objects: ObjectStore, cache_bytes: int) -> BlockReader:
    place = objects.locate("")
    if place not in READERS:
        # The process that sends the work decides which blocks are live and which are damaged.
        damaged = DamagedBlocks(objects, system_clock, Snapshot, writes=False)
        access = BlockAccess(objects, damaged)
        indexes = IndexCache(access, INDEX_CACHE_BYTES)
        READERS[place] = BlockReader(access, indexes, cache_bytes)
    return READERS[place]

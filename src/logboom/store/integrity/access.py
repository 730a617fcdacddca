"""Opens blocks: checks each once per process, sets aside damaged ones, and rebuilds lost indexes."""

import logging
import os
import threading
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import google_crc32c

from logboom.base.errors import Corrupt, NotFound, Unavailable
from logboom.base.pages import Pages
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.encoding import ShortHeader, encode_index
from logboom.store.block.footer import RowGroup, parse_footer
from logboom.store.block.index import BlockFile, BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.parts import Part, find_footer, frame_spans, is_most, make_pages
from logboom.store.block.writer import name_index
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.integrity.damage import DamagedBlocks
from logboom.store.integrity.rebuild import rebuild_index
from logboom.store.integrity.verify import (
    UNREADABLE,
    check_block,
    describe_damage,
    parse_index,
    read_index,
    shorten,
    verify_block,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

HEADER_BYTES = 128 * 1024
"""How much of an index is read first: most headers are smaller."""
HEADER_GROWTH = 8
MAX_FOOTERS = 1000

LoadedIndex = tuple[BlockIndex, int]
"""An index, and its stored size."""
KeepIndex = Callable[[BlockInfo, bytes], None]
"""Stores a rebuilt index."""


class Copy(NamedTuple):
    """Identifies the file under a name, to notice that it was fetched again or restored."""

    inode: int
    written_ns: int

    @classmethod
    def of(cls, file: str) -> "Copy":
        found = os.stat(file)
        return cls(found.st_ino, found.st_mtime_ns)


def keep_nothing(_info: BlockInfo, _data: bytes) -> None:
    """Stands in for storing rebuilt indexes in a read-only store."""


class BlockAccess:
    """Opens the blocks of a store. Thread-safe. Corrupt means that the block is damaged and was set aside."""

    def __init__(
        self, objects: ObjectStore, damaged: DamagedBlocks, keep_index: KeepIndex = keep_nothing
    ) -> None:
        self.objects = objects
        self.damaged = damaged
        self._keep_index = keep_index
        self._checked: dict[str, Copy] = {}
        self._rebuilding = threading.Lock()
        self._rebuilt: dict[str, int] = {}
        self._footers: dict[str, list[RowGroup]] = {}
        self._suspects: set[str] = set()

    def use_part(
        self, info: BlockInfo, file: BlockFile | None, part: Part, read: Callable[[str], T]
    ) -> T:
        """Return the result of `read` for the Parquet file of a block, of which it reads only this part."""
        if file is None or self.objects.is_local(info.path):
            return self.use(info, read)
        self._refuse_damaged(info)
        pages = make_pages(info.path, file)
        try:
            spans = part.find_spans(self._read_footer(pages, file))
            if not is_most(file, spans):
                return self.objects.use_pages(pages, frame_spans(file, spans), read)
        except (Corrupt, NotFound, OSError, ValueError, *UNREADABLE) as error:
            # The whole file is checked instead, and set aside if it is damaged.
            extra = {"block": info.path, "reason": shorten(error)}
            log.warning("a block cannot be read in parts", extra=extra)
        return self.use(info, read)

    def _read_footer(self, pages: Pages, file: BlockFile) -> list[RowGroup]:
        found = self._footers.get(pages.name)
        if found is None:
            found = parse_footer(self.objects.read_pages(pages, *find_footer(file)))
            if len(self._footers) >= MAX_FOOTERS:
                self._footers.clear()
            self._footers[pages.name] = found
        return found

    def _refuse_damaged(self, info: BlockInfo) -> None:
        if damage := self.damaged.find(info.path):
            raise Corrupt(info.path, 0, damage.reason)

    def use(self, info: BlockInfo, read: Callable[[str], T]) -> T:
        """Return the result of `read` for the Parquet file of a block."""
        self._refuse_damaged(info)

        def read_checked(file: str) -> T:
            self._check(file, info)
            return read(file)

        try:
            return self.objects.use(info.path, read_checked)
        except (Corrupt, NotFound, OSError) as error:
            reason = describe_damage(error)
            if reason is None:
                raise Unavailable(f"{info.path} cannot be read: {error}") from error
        except UNREADABLE as error:
            reason = verify_block(self.objects, info, deep=True)
            if reason is None:
                raise Unavailable(f"{info.path} cannot be read: {shorten(error)}") from error
        self.damaged.set_aside(info, reason)
        raise Corrupt(info.path, 0, reason)

    def _check(self, file: str, info: BlockInfo) -> None:
        """Raise Corrupt unless the file is intact; checked only once."""
        copy = Copy.of(file)
        if self._checked.get(info.path) != copy:
            check_block(file, info)
            self._checked[info.path] = copy

    def load_index(self, info: BlockInfo) -> LoadedIndex:
        """Return the index of a block; if it is missing or damaged, it is rebuilt from the block."""
        try:
            return self._read_index(info)
        except (Corrupt, NotFound, OSError) as error:
            reason = describe_damage(error)
            if reason is None:
                raise Unavailable(f"{name_index(info.path)} cannot be read: {error}") from error
        with self._rebuilding:
            return self._rebuild(info, reason)

    def _read_index(self, info: BlockInfo) -> LoadedIndex:
        rebuilt = self._rebuilt.get(info.path)
        if rebuilt is not None:
            info = info._replace(index_checksum=rebuilt)
        name = name_index(info.path)
        if name not in self._suspects and not self.objects.is_local(name):
            return self._read_header(name, info)
        self._suspects.discard(name)
        return self.objects.use(name, lambda file: read_index(file, info, self._read_filters))

    def _read_header(self, name: str, info: BlockInfo) -> LoadedIndex:
        """Return the index without its filters; its header has a checksum of its own."""
        size_bytes = HEADER_BYTES
        while True:
            data = self.objects.read_start(name, size_bytes)
            try:
                return parse_index(data, info, self._read_filters)
            except ShortHeader:
                if len(data) < size_bytes:
                    raise
                size_bytes *= HEADER_GROWTH

    def _read_filters(self, pages: Pages, start: int, end: int) -> bytes:
        """Read filters; raise Corrupt if they are damaged or missing: the index is rebuilt when it is next read."""
        try:
            return self.objects.read_pages(pages, start, end)
        except (Corrupt, NotFound, OSError) as error:
            reason = describe_damage(error)
            if reason is None:
                raise Unavailable(f"{pages.name} cannot be read: {error}") from error
        self._suspects.add(pages.name)
        raise Corrupt(pages.name, start, reason)

    def is_suspect(self, info: BlockInfo) -> bool:
        """Return whether filters in the index of a block turned out to be damaged: then it must be loaded again."""
        return bool(self._suspects) and name_index(info.path) in self._suspects

    def _rebuild(self, info: BlockInfo, reason: str) -> LoadedIndex:
        if info.path in self._rebuilt:
            # Another thread has just done it.
            return self._read_index(info)
        # The block is first opened in the usual way, which verifies it.
        self.use(info, lambda _file: None)
        index = rebuild_index(self.objects, info)
        data = encode_index(index)
        log.warning(
            "the index of a block was rebuilt", extra={"block": info.path, "reason": reason}
        )
        self._keep_index(info, data)
        return index, len(data)

    def note_rebuilt(self, path: str, data: bytes) -> None:
        """Note the checksum of a rebuilt index; it replaces that of older snapshots."""
        self._rebuilt[path] = google_crc32c.value(data)

    def forget(self, snapshot: Snapshot) -> None:
        """Drop what is known about removed blocks."""
        for known in (self._checked, self._rebuilt, self._footers):
            for path in [path for path in list(known) if not snapshot.is_live(path)]:
                known.pop(path, None)

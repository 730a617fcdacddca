"""Partial results: the result of a plan for one block, and a cache of them, because blocks never change."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple, TypeAlias

from msgspec import field
from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.engine.blocks.kept import Stretch
from logboom.engine.rows.detached import detach
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.store.block.info import BlockInfo

LARGE_BYTES = 64 << 10
"""Larger partial results are copied into memory only if they are likely to be asked for again."""
MOST_WANTED = 10_000
OVERHEAD_BYTES = 1024

MIN_ROWS = 1000
"""If the memory is not sufficient for this many rows, the query is stopped."""
ROWS = " rows "
Key = tuple[str, str, str]
"""Block, plan, and what is outside the scope."""


class Work(NamedTuple):
    """A block, or some of its rows, to be mapped."""

    info: BlockInfo
    key: Key
    stretch: Stretch | None = None

    @property
    def is_cut(self) -> bool:
        """Whether only some rows of the block are wanted."""
        return self.stretch is not None or bool(self.key[2])

    @property
    def size_bytes(self) -> int:
        """Approximately how much of the block's file is read."""
        _, rows = self.stretch or (0, self.info.rows)
        return self.info.size_bytes * rows // max(self.info.rows, 1)

    def repeat(self) -> "Split":
        """Return the same work again."""
        return Split([self.stretch or (0, self.info.rows)])

    def halve(self) -> "Split | None":
        """Return the work in two pieces, or None if it cannot be split further."""
        first, count = self.stretch or (0, self.info.rows)
        if count < 2 * MIN_ROWS:
            return None
        half = count // 2
        return Split([(first, half), (first + half, count - half)])

    def cut(self, stretches: Iterable[Stretch]) -> "list[Work]":
        """Return the work for ranges of the block's rows."""
        path, text, cut = self.key
        cut = cut.partition(ROWS)[0]
        return [
            Work(self.info, (path, text, f"{cut}{ROWS}{stretch}"), stretch) for stretch in stretches
        ]


class Split(NamedTuple):
    """The block is too large to be read at once."""

    stretches: list[Stretch]


class Refused(NamedTuple):
    """There was not enough memory for the block."""

    message: str


class Partial(InternalStruct, frozen=True, dict=True):
    """A partial result.

    `matched` rows of the block reached the reducer; `rows_scanned` were examined.
    There is no table if there are no rows, or if only their number is needed.
    """

    table: Table | None
    matched: int
    rows_scanned: int
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    empty: int = 0
    """Blocks without a matching row, if this is the result of several."""
    is_detached: bool = False
    """Whether the texts of the table are copies, so that they do not keep whole columns in memory."""

    @cached_property
    def size_bytes(self) -> int:
        return OVERHEAD_BYTES + (measure(self.table.frame) if self.table else 0)


MapResult: TypeAlias = Partial | Split | Refused


class Piece(NamedTuple):
    """The result of some work."""

    work: Work
    partial: Partial


class PartialCache:
    """The most recently used partial results, up to a size. Thread-safe."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._partials: OrderedDict[Key, Partial] = OrderedDict()
        self._wanted: OrderedDict[int, None] = OrderedDict()

    def _is_first(self, key: Key) -> bool:
        """Return whether this partial result was not offered recently."""
        name = hash(key)
        with self._lock:
            is_first = name not in self._wanted
            self._wanted[name] = None
            if len(self._wanted) > MOST_WANTED:
                self._wanted.popitem(last=False)
        return is_first

    def find(self, key: Key) -> Partial | None:
        with self._lock:
            if key in self._partials:
                self._partials.move_to_end(key)
            return self._partials.get(key)

    def drop(self, paths: Iterable[str]) -> None:
        """Drop the partial results of removed blocks."""
        gone = set(paths)
        with self._lock:
            for key in [key for key in self._partials if key[0] in gone]:
                self._size_bytes -= self._partials.pop(key).size_bytes

    def clear(self) -> None:
        with self._lock:
            self._partials.clear()
            self._size_bytes = 0

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def keep(self, key: Key, partial: Partial) -> None:
        """Cache a partial result; a large one only if it is offered for the second time."""
        if partial.size_bytes > self._capacity_bytes // 8:
            return
        if partial.size_bytes > LARGE_BYTES and self._is_first(key):
            return
        if partial.table and not partial.is_detached:
            table = partial.table.with_frame(detach(partial.table.frame))
            partial = replace(partial, table=table, is_detached=True)
        with self._lock:
            if key in self._partials:
                return
            self._partials[key] = partial
            self._size_bytes += partial.size_bytes
            while self._size_bytes > self._capacity_bytes:
                self._size_bytes -= self._partials.popitem(last=False)[1].size_bytes

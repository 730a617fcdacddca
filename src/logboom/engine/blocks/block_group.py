"""Several blocks whose indexes are looked at together, so that a query over all of them costs little."""

from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.engine.blocks.block import Block

T = TypeVar("T")

MAX_REMEMBERED = 16
"""Each result is made of counted values, of which an index has at most 64 kB for each of its columns."""


class BlockGroup(InternalStruct, frozen=True, dict=True, weakref=True):
    """What the indexes of some blocks say together; computed once, when it is first needed."""

    blocks: tuple[Block, ...]
    _remembered: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The same for the same blocks."""
        return sha256("\n".join(block.info.path for block in self.blocks).encode()).hexdigest()

    @cached_property
    def rows(self) -> int:
        return sum(block.index.rows for block in self.blocks)

    @cached_property
    def first_ns(self) -> int:
        return min(block.index.first_ns for block in self.blocks)

    @cached_property
    def last_ns(self) -> int:
        return max(block.index.last_ns for block in self.blocks)

    @cached_property
    def indexes(self) -> frozenset[str]:
        """The names of the events' indexes."""
        return frozenset(name for block in self.blocks for name in block.index.indexes)

    def remember(self, name: str, compute: Callable[["BlockGroup"], T]) -> T:
        """Return the result of `compute`, never None, which depends on nothing but the blocks and this name."""
        # Another thread may drop what was remembered at any moment.
        found: T | None = self._remembered.get(name)
        if found is None:
            found = compute(self)
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[name] = found
        return found

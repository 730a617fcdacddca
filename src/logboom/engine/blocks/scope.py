"""Scope: which blocks a request looks at, and which of their rows are within its time and indexes."""

import re
from collections.abc import Iterator
from functools import cached_property

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.control.access.globs import IndexBounds
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.rows.table import INDEX, TIME
from logboom.engine.terms.request import Request, compile_globs
from logboom.store.block.held import list_held
from logboom.store.block.index import IndexPart
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot


class SearchScope(InternalStruct, frozen=True, dict=True):
    """The events that a request may see.

    `from_ns` is inclusive, `to_ns` exclusive; an index must match one of `indexes` and be within `allowed`.
    """

    envs: frozenset[str]
    indexes: tuple[str, ...]
    allowed: IndexBounds
    from_ns: int
    to_ns: int

    @classmethod
    def of_request(cls, request: Request) -> "SearchScope":
        return cls(
            frozenset(request.envs),
            request.indexes,
            request.allowed,
            request.from_ns,
            request.to_ns,
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return compile_globs(self.indexes)

    @cached_property
    def _covered(self) -> dict[str, bool]:
        """The cached results of `covers_index`."""
        return {}

    def covers_index(self, index: str) -> bool:
        covers = self._covered.get(index)
        if covers is None:
            covers = bool(self._pattern.match(index)) and self.allowed.covers(index)
            self._covered[index] = covers
        return covers

    def list_blocks(self, snapshot: Snapshot) -> list[BlockInfo]:
        """Return the live blocks of the environments that overlap the time range, newest first."""
        return snapshot.list_between(self.envs, self.from_ns, self.to_ns)

    def is_whole(self, block: Block) -> bool:
        """Return whether every row of the block is in scope."""
        return self.describe(block) == ""

    def covers(self, together: BlockGroup) -> bool:
        """Return whether every row of all blocks is in scope."""
        is_within = self.from_ns <= together.first_ns and together.last_ns < self.to_ns
        return is_within and all(map(self.covers_index, together.indexes))

    def touches(self, block: Block) -> bool:
        """Return whether any row of the block may be in scope."""
        return any(map(self.covers_index, block.index.indexes))

    def reaches(self, block: Block) -> bool:
        """Return whether an index in scope has events in the block around the time, whatever other indexes have."""
        return bool(self.list_reached(block))

    def list_reached(self, block: Block) -> list[IndexPart]:
        """Return the shares of the indexes in scope that have events around the time."""
        return [
            part
            for name, part in block.index.indexes.items()
            if self.covers_index(name)
            and part.first_ns < self.to_ns
            and part.last_ns >= self.from_ns
        ]

    def list_columns(self, block: Block) -> frozenset[str]:
        """Return the columns of a block that the indexes in scope may have values in."""
        inside = [name for name in block.index.indexes if self.covers_index(name)]
        if len(inside) == len(block.index.indexes):
            return frozenset(block.index.columns)
        held = [list_held(block.index, name) for name in inside]
        if None in held:
            return frozenset(block.index.columns)
        return frozenset(column for columns in held for column in columns or ())

    def describe(self, block: Block) -> str:
        """Return what is outside the scope in this block, as a text; equal texts mean the same rows."""
        index = block.index
        cuts = []
        if self.from_ns > index.first_ns:
            cuts.append(f"from {self.from_ns}")
        if self.to_ns <= index.last_ns:
            cuts.append(f"to {self.to_ns}")
        wanted = [name for name in index.indexes if self.covers_index(name)]
        if len(wanted) < len(index.indexes):
            cuts.append(f"of {sorted(wanted)}")
        return " ".join(cuts)

    def list_fields(self, block: Block) -> frozenset[str]:
        """Return the fields that `build` tests."""
        cuts = self.describe(block)
        of_time = {"_time"} if "from" in cuts or "to" in cuts else set()
        return frozenset(of_time | ({"_index"} if "of" in cuts else set()))

    def build(self, block: Block) -> Iterator[pl.Expr]:
        """Yield the tests that rows in scope pass; none if the whole block is in scope."""
        if self.from_ns > block.index.first_ns:
            yield pl.col(TIME.name) >= self.from_ns
        if self.to_ns <= block.index.last_ns:
            yield pl.col(TIME.name) < self.to_ns
        wanted = [index for index in block.index.indexes if self.covers_index(index)]
        if len(wanted) < len(block.index.indexes):
            yield pl.col(INDEX.name).is_in(wanted)

"""Partial results: what a plan makes of one block, and a cache of them, for blocks never change."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from logboom.engine.blocks.block import Block, BlockReader
from logboom.engine.blocks.load import load_block
from logboom.engine.blocks.scope import Scope
from logboom.engine.execution.plan import Plan
from logboom.engine.filters import build_filter
from logboom.engine.filters.narrow import narrow
from logboom.engine.filters.remarks import count_remarks
from logboom.engine.filters.skip import may_match
from logboom.engine.rows.table import BLOCK, NODE, ROW, SEQ, TIME, OwnFields, Table
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

OVERHEAD_BYTES = 1024

Key = tuple[str, str, str]
"""Block, plan and what the scope cuts off."""


@dataclass(frozen=True)
class Partial:
    """`matched` rows of the block came to the reducer; `rows_scanned` were looked at."""

    table: Table
    matched: int
    rows_scanned: int
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def size_bytes(self) -> int:
        return int(self.table.frame.estimated_size()) + OVERHEAD_BYTES


class PartialCache:
    """The most recently used partial results, up to a size. May be used by any thread."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._partials: OrderedDict[Key, Partial] = OrderedDict()

    def find(self, key: Key) -> Partial | None:
        with self._lock:
            if key in self._partials:
                self._partials.move_to_end(key)
            return self._partials.get(key)

    def drop(self, paths: Iterable[str]) -> None:
        """Forget what was made of blocks that nobody will ask for again."""
        gone = set(paths)
        with self._lock:
            for key in [key for key in self._partials if key[0] in gone]:
                self._size_bytes -= self._partials.pop(key).size_bytes

    def keep(self, key: Key, partial: Partial) -> None:
        if partial.size_bytes > self._capacity_bytes // 8:
            return
        with self._lock:
            if key in self._partials:
                return
            self._partials[key] = partial
            self._size_bytes += partial.size_bytes
            while self._size_bytes > self._capacity_bytes:
                self._size_bytes -= self._partials.popitem(last=False)[1].size_bytes


@dataclass(frozen=True)
class Mapper:
    """Asks blocks what a plan wants to know. It can be sent to another process."""

    plan: Plan
    scope: Scope
    reader: BlockReader

    def identify(self, info: BlockInfo) -> Key | None:
        """What the block's partial result is remembered by; None when its index shows that it has nothing.

        The middle of the key is empty when the result must not be remembered.
        """
        block = self.reader.open(info)
        if not self.scope.touches(block) or not may_match(self.plan.filter, block):
            return None
        return info.path, self.plan.text, self.scope.describe(block)

    def map(self, info: BlockInfo) -> Partial:
        """The block's partial result; Corrupt when it is damaged."""
        block = self.reader.open(info)
        return self._compute(block, self._load(block))

    def is_whole(self, block: Block) -> bool:
        """Whether every row of the block comes to the reducer as it is."""
        return (
            not self.plan.row_pipes
            and isinstance(narrow(self.plan.filter, block), ast.Everything)
            and self.scope.is_whole(block)
        )

    def make_empty(self) -> Table:
        """A table as blocks give it, without any rows."""
        schema: dict[str, pl.DataType] = {TIME.name: pl.Int64()}
        if self.plan.reducer.needs_identity:
            schema |= {
                NODE: pl.String(),
                SEQ: pl.Int64(),
                ROW: pl.UInt32(),
                BLOCK: pl.String(),
            }
        return Table(pl.DataFrame(schema=schema), own=OwnFields())

    def _compute(self, block: Block, in_scope: Table) -> Partial:
        plan = self.plan
        filter_ = narrow(plan.filter, block)
        table = self._select(in_scope, filter_, block)
        remarks = count_remarks(plan.filter, in_scope, table)
        for pipe in plan.row_pipes:
            table = pipe.apply(table)
        return Partial(plan.reducer.compute(table), table.height, block.index.rows, remarks)

    def _load(self, block: Block) -> Table:
        """The rows in scope, with the columns that the plan needs."""
        needs = self.plan.needs | Needs(self.scope.list_fields(block))
        table = load_block(block, needs, identity=self.plan.reducer.needs_identity)
        return table.filter(*self.scope.build(block))

    def _select(self, table: Table, filter_: Filter, block: Block) -> Table:
        """The rows that the filter matches."""
        if not isinstance(filter_, ast.Everything):
            table = table.filter(build_filter(filter_, table, self.plan.conditions))
        if not self.plan.reducer.needs_identity:
            return table
        return table.with_frame(table.frame.with_columns(pl.lit(block.info.path).alias(BLOCK)))

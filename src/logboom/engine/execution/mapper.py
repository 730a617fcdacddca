"""The mapper: computes the partial results of a plan, block by block."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from traceback import clear_frames

import polars as pl
from msgspec.structs import replace

from logboom.base.errors import OverBudget
from logboom.base.structs import InternalStruct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.footprint import (
    bound_columns,
    bound_texts,
    cut_stretches,
    measure_columns,
)
from logboom.engine.blocks.kept import Stretch
from logboom.engine.blocks.load import list_names, load_block
from logboom.engine.blocks.overflow import OVERFLOW
from logboom.engine.blocks.reader import BlockReader
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.partials import Key, MapResult, Partial, Piece, Refused, Split, Work
from logboom.engine.execution.plan import Plan
from logboom.engine.filters.known import NOTHING, KnownMatches, count_known
from logboom.engine.filters.narrow import narrow
from logboom.engine.filters.remarks import Remark, count_remarks, list_judged
from logboom.engine.filters.selecting import Selection, recall_rows, select_rows
from logboom.engine.filters.skip import BlockTest, prepare
from logboom.engine.pipes.kinds import Tally, run_on_block
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.detached import detach_few
from logboom.engine.rows.memory import Memory, reserve, working
from logboom.engine.rows.series import join_series
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import BLOCK, NODE, ROW, SEQ, TIME, OwnFields, Table
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.limits import NEVER, Watch
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

READING = "reading events"
WORKING_COPIES = 2
"""The memory of a block while it is read and filtered, as a multiple of its columns."""
WHOLE_SHARE, STRETCH_SHARE = 4, 8
"""A block is read whole if its columns take at most 1/4 of the memory, else in ranges of 1/8."""
BOUND_SHARE = 2
"""What is read at once never takes more than 1/2 of the memory, also if some rows are larger than others."""

ZONES_SHARE = 2
"""Single zones of a block are read if they have at most half of its rows."""
NO_EVENTS = pl.DataFrame(
    schema={
        TIME.name: pl.Int64(),
        NODE: pl.String(),
        SEQ: pl.Int64(),
        ROW: pl.UInt32(),
        BLOCK: pl.String(),
    }
)
NO_TIMES = NO_EVENTS.get_column(TIME.name).to_frame()


class Mapper(InternalStruct, frozen=True, dict=True):
    """Computes the partial results of one plan."""

    plan: Plan
    scope: SearchScope
    reader: BlockReader
    memory: Memory
    watch: Watch = NEVER

    def identify(self, info: BlockInfo) -> list[Work]:
        """Return the work for a block: none if its index rules out a match, and only some zones if these are few.

        The middle of a key is empty if the result must not be cached.
        """
        block = self.reader.open(info)
        if not self.scope.touches(block) or not self._may_match(block):
            return []
        outside = self.scope.describe(block)
        work = Work(info, (info.path, self.plan.text, outside))
        if not block.zones:
            return [work]
        zones = list(self._list_zones(block, is_whole=not outside))
        is_few = ZONES_SHARE * sum(rows for _, rows in zones) <= block.index.rows
        return work.cut(zones) if is_few else [work]

    @cached_property
    def _may_match(self) -> BlockTest:
        """The test of a block's index, prepared once for all blocks."""
        return prepare(self.plan.filter)

    def _list_zones(self, block: Block, *, is_whole: bool) -> Iterator[Stretch]:
        """Yield the zones that may have matching rows; `is_whole` if every row of the block is in scope."""
        first = 0
        for zone in block.zones:
            if (is_whole or self.scope.reaches(zone)) and self._may_match(zone):
                yield first, zone.index.rows
            first += zone.index.rows

    def is_in_memory(self, work: Work) -> bool:
        """Return whether all columns that the plan needs are in memory, so that nothing has to be read."""
        block = self._open(work)
        names = set(self._list_names(block))
        return len(block.find(names)) == len(names)

    def bound(self, work: Work) -> int:
        """Return an upper bound of the memory for mapping a block, without opening it."""
        block = self._open(work)
        size_bytes = WORKING_COPIES * bound_columns(block, self._list_names(block))
        return min(size_bytes, self._most_bytes)

    @property
    def _most_bytes(self) -> int:
        """The most memory for a block that is read whole."""
        return WORKING_COPIES * self.memory.limit_bytes // WHOLE_SHARE

    def map(self, work: Work, reserved_bytes: int) -> MapResult:
        """Return the block's partial result, or how to split it; raise Corrupt if it is damaged.

        `reserved_bytes` are already reserved for it.
        """
        try:
            block = self._open(work)
            with self.memory.working(READING, self.watch.check):
                is_large = work.stretch is None and reserved_bytes >= self._most_bytes
                split = self._split(block) if is_large else None
                return split or self._compute(block, reserved_bytes)
        except OverBudget as error:
            # The traceback would keep everything alive that was computed so far.
            clear_frames(error.__traceback__)
            return Refused(error.message)

    def map_pieces(self, work: Work) -> list[Piece]:
        """Return the partial results of a block, one for each piece if it is too large.

        Raise OverBudget if no piece is small enough.
        """
        size_bytes = self.bound(work)
        self.memory.take(size_bytes, READING)
        try:
            found = self.map(work, size_bytes)
        finally:
            self.memory.give(size_bytes)
        if isinstance(found, Partial):
            return [Piece(work, found)]
        if isinstance(found, Refused):
            halves = work.halve()
            if halves is None:
                raise OverBudget(found.message)
            found = halves
        return [piece for each in work.cut(found.stretches) for piece in self.map_pieces(each)]

    def map_all(self, work: Work) -> Table:
        """Return the merged result of a block, read piece by piece if it is too large."""
        partials = [piece.partial for piece in self.map_pieces(work)]
        tables = [partial.table or self._make_missing(partial.matched) for partial in partials]
        return self.plan.reducer.merge(tables) if len(tables) > 1 else tables[0]

    def _open(self, work: Work) -> Block:
        return replace(self.reader.open(work.info), stretch=work.stretch)

    def _split(self, block: Block) -> Split | None:
        names, most_bytes = self._list_names(block), self.memory.limit_bytes // WHOLE_SHARE
        if bound_columns(block, names) <= most_bytes:
            return None
        stretch_bytes = self.memory.limit_bytes // STRETCH_SHARE
        size_bytes = measure_columns(block, names, stretch_bytes)
        bound_bytes = self.memory.limit_bytes // BOUND_SHARE
        if size_bytes <= most_bytes and bound_texts(block) <= bound_bytes:
            return None
        return Split(list(cut_stretches(block, size_bytes, stretch_bytes, bound_bytes)))

    def _list_names(self, block: Block) -> list[str]:
        """Return the columns of the block that the plan needs."""
        names = list_names(block, self._need(block), identity=self.plan.reducer.needs_identity)
        return [*names, OVERFLOW] if block.has_overflow else list(names)

    def _need(self, block: Block) -> Needs:
        return self.plan.needs | Needs(self.scope.list_fields(block))

    def is_whole(self, block: Block) -> bool:
        """Return whether every row of the block reaches the reducer unchanged."""
        return (
            not self.plan.row_pipes
            and isinstance(narrow(self.plan.filter, block), ast.Everything)
            and self.scope.is_whole(block)
        )

    def count(self, info: BlockInfo) -> KnownMatches | None:
        """Return how many rows reach the reducer, if the index of the block or the cache tells, or None otherwise."""
        block = self.reader.open(info)
        if not self.scope.touches(block):
            return NOTHING
        if self.plan.row_pipes or not self.scope.is_whole(block):
            return None
        filter_ = narrow(self.plan.filter, block)
        return count_known(filter_, block) or self._recall(filter_, block)

    def name_whole(self, info: BlockInfo) -> Key | None:
        """Return the cache key of a block's partial result, or None if only some of its rows are in scope."""
        if not self.plan.text or not self.scope.is_whole(self.reader.open(info)):
            return None
        return info.path, self.plan.text, ""

    def _recall(self, filter_: Filter, block: Block) -> KnownMatches | None:
        if list_judged(self.plan.filter, block):
            return None
        try:
            selection = recall_rows(filter_, block)
        except LookupError:
            return None
        return KnownMatches(block.rows if selection is None else int(selection.sum()), Counter())

    def tally(self, info: BlockInfo, tally: Tally) -> int | None:
        """Count the rows of a whole block; return None if something would have to be read."""
        block = self.reader.open(info)
        if list_judged(self.plan.filter, block):
            return None
        try:
            selection = recall_rows(narrow(self.plan.filter, block), block)
        except LookupError:
            return None
        if not tally.add(block, selection):
            return None
        return block.rows if selection is None else int(selection.sum())

    def _make_missing(self, matched: int) -> Table:
        """Return the table for a partial result without one."""
        return self.plan.count_rows(matched) if self.plan.count_rows else self.make_empty()

    def make_empty(self) -> Table:
        """Return the partial result of no rows, for queries that find no block."""
        identity = self.plan.reducer.needs_identity
        empty = Table(NO_EVENTS if identity else NO_TIMES, own=OwnFields())
        return self.plan.reducer.compute(run_on_block(self.plan.row_pipes, empty))

    def _compute(self, block: Block, reserved_bytes: int) -> Partial:
        in_scope, selection = self._select(block, reserved_bytes)
        remarks = self._count_remarks(block, in_scope, selection)
        matched = block.rows if selection is None else int(selection.sum())
        if not matched or self.plan.count_rows is not None:
            return Partial(None, matched, block.rows, remarks)
        can_count = self.plan.counts_selected
        counted = self.plan.reducer.count_selected(block, selection) if can_count else None
        if counted is not None:
            return Partial(counted, matched, block.rows, remarks)
        source_bytes, table = self._load(block, selection, reserved_bytes)
        table = run_on_block(self.plan.row_pipes, table, self.watch)
        self.watch.check()
        with working(self.plan.reducer.keyword):
            reserve(self.plan.reducer.bound_memory(table))
            result = self.plan.reducer.compute(table)
        source_bytes = max(source_bytes, measure(table.frame))
        kept = detach_few(result, source_bytes)
        return Partial(kept, table.height, block.rows, remarks, is_detached=kept is not result)

    def _select(
        self, block: Block, reserved_bytes: int
    ) -> tuple[Selection | None, Selection | None]:
        """Return the rows in scope, and those of them that the filter matches, or None for all."""

        def hold(table: Table) -> None:
            self.watch.check()
            reserve(WORKING_COPIES * measure(table.frame) - reserved_bytes)

        with working(READING):
            in_scope = self._select_scope(block)
            filter_ = narrow(self.plan.filter, block)
            selection = select_rows(filter_, block, self.plan.conditions, hold)
        return in_scope, join_selections(in_scope, selection)

    def _select_scope(self, block: Block) -> Selection | None:
        """Return the rows in scope."""
        tests = list(self.scope.build(block))
        if not tests:
            return None
        needs = Needs(self.scope.list_fields(block))
        frame = load_block(block, needs, identity=False).frame
        return compute_rows(frame, pl.all_horizontal(tests))

    def _count_remarks(
        self, block: Block, in_scope: Selection | None, selection: Selection | None
    ) -> Counter[Remark]:
        fields = list_judged(self.plan.filter, block)
        if not fields:
            return Counter()
        table = load_block(block, Needs(fields), identity=False)
        return count_remarks(
            self.plan.filter, keep_rows(table, in_scope), keep_rows(table, selection)
        )

    def _load(
        self, block: Block, selection: Selection | None, reserved_bytes: int
    ) -> tuple[int, Table]:
        """Return the memory of all rows of the block, and the matching rows with the columns that the pipes need."""
        identity = self.plan.reducer.needs_identity
        table = load_block(block, self.plan.piped, identity=identity)
        size_bytes = measure(table.frame)
        reserve(WORKING_COPIES * size_bytes - reserved_bytes)
        table = keep_rows(table, selection)
        if identity:
            path = pl.Series(BLOCK, [block.info.path]).new_from_index(0, table.height)
            table = table.with_frame(table.frame.hstack([path]))
        return size_bytes, table


def join_selections(one: Selection | None, other: Selection | None) -> Selection | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def keep_rows(table: Table, selection: Selection | None) -> Table:
    if selection is None:
        return table
    # `DataFrame.filter` makes a query plan, which takes longer than filtering the few columns.
    return table.with_frame(join_series([series.filter(selection) for series in table.frame]))

"""One plan under way: choose blocks, map each on the executor, merge, finish."""

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from hashlib import sha256

import msgspec

from logboom.base.errors import Corrupt
from logboom.engine.blocks.block import Block, BlockReader
from logboom.engine.blocks.losses import Losses
from logboom.engine.blocks.scope import Scope
from logboom.engine.execution.partials import Key, Mapper, Partial, PartialCache
from logboom.engine.execution.plan import Plan
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Budget, Stop
from logboom.store.block.info import BlockInfo

AHEAD = 16
"""Blocks that are being mapped before the first of them is merged."""
MERGE_ROWS = 100_000
"""Rows that come together before they are merged, unless the merged ones are more."""


class Extent(msgspec.Struct):
    """How many blocks a query looked at: all that those may know who must not see every index."""

    blocks: int = 0


class Cost(Extent):
    """What a query touched; `bytes_read` is the size of the blocks it opened.

    A block is skipped or read for what all its events hold, whatever their index is.
    """

    blocks_skipped: int = 0
    rows_scanned: int = 0
    bytes_read: int = 0


@dataclass(frozen=True)
class Means:
    """What every run works with."""

    reader: BlockReader
    executor: Executor
    partials: PartialCache


Work = tuple[BlockInfo, Key]


@dataclass
class Run:
    """Brings the partial results of a plan together; `stops` and `losses` say why some are missing."""

    plan: Plan
    scope: Scope
    means: Means
    budget: Budget
    cost: Cost = field(default_factory=Cost)
    stops: list[Stop] = field(default_factory=list)
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    matched: int = 0
    losses: Losses = field(default_factory=Losses)
    is_whole: bool = True
    """Whether no block that has something for the plan was found to be damaged."""

    def reduce(self, blocks: list[BlockInfo]) -> Table:
        """The merged and finished result of the blocks, which come newest first."""
        self.cost.blocks += len(blocks)
        if self.plan.reducer.settles:
            return self._reduce_until_settled(blocks)
        work = self._identify(blocks)
        key = name_result(self.plan, [key for _, key in work])
        known = self.means.partials.find(key) if self.plan.text else None
        if known is None:
            known = Partial(self._reduce_all(work), self.matched, 0, self.remarks)
            if self.plan.text and self.is_whole and not self.stops:
                self.means.partials.keep(key, known)
        self.matched, self.remarks = known.matched, known.remarks
        return known.table

    def _reduce_all(self, work: list[Work]) -> Table:
        reducer = self.plan.reducer
        by_index, work = self._reduce_by_index(work)
        gathered = Gathered(reducer)
        for table in (self._make_empty(), *by_index):
            gathered.add(table)
        for partial in self._map(work, AHEAD):
            gathered.add(partial.table)
            if self._is_over(gathered):
                break
        result = gathered.merge()
        self.remarks += reducer.read_remarks(result)
        return reducer.finish(result)

    def _reduce_by_index(self, work: list[Work]) -> tuple[list[Table], list[Work]]:
        """What the indexes of blocks tell at once, and the work that is left."""
        if not self.plan.reducer.reads_indexes:
            return [], work
        mapper = self._mapper
        blocks = [block for info, _ in work if (block := self._open(info))]
        whole = [block for block in blocks if mapper.is_whole(block)]
        table, left = self.plan.reducer.compute_by_index(whole)
        if table is None:
            return [], work
        done = {block.info.path for block in whole} - {block.info.path for block in left}
        self.matched += sum(info.rows for info, _ in work if info.path in done)
        return [table], [each for each in work if each[0].path not in done]

    def _reduce_until_settled(self, blocks: list[BlockInfo]) -> Table:
        """Looks at few blocks first: most often the newest ones have all that is wanted."""
        reducer = self.plan.reducer
        merged = self._make_empty()
        start, size = 0, 1
        while start < len(blocks) and not self.stops:
            if start and reducer.is_settled(merged, blocks[start]):
                break
            wave = self._identify(blocks[start : start + size])
            tables = [partial.table for partial in self._map(wave, len(wave))]
            merged = reducer.merge([merged, *tables]) if tables else merged
            start, size = start + size, min(2 * size, AHEAD)
        return reducer.finish(merged)

    def _make_empty(self) -> Table:
        """The partial result of no rows, so that also no block at all gives a result."""
        table = self._mapper.make_empty()
        for pipe in self.plan.row_pipes:
            table = pipe.apply(table)
        return self.plan.reducer.compute(table)

    def _is_over(self, gathered: "Gathered") -> bool:
        """Whether there is too much; what can be merged may be less than it seems."""
        rows = gathered.rows if self.plan.reducer.keeps_events else 0
        if self.budget.check_size(rows, gathered.size_bytes) is None:
            return False
        gathered.merge()
        rows = gathered.rows if self.plan.reducer.keeps_events else 0
        stop = self.budget.check_size(rows, gathered.size_bytes)
        self.stops += [stop] if stop else []
        return stop is not None

    @property
    def _mapper(self) -> Mapper:
        return Mapper(self.plan, self.scope, self.means.reader)

    def _identify(self, blocks: list[BlockInfo]) -> list[Work]:
        """The blocks that may have something for the plan."""
        mapper = self._mapper
        found = []
        for info in blocks:
            try:
                key = mapper.identify(info)
            except Corrupt as error:
                self._lose(info, error)
                continue
            if key:
                found.append((info, key))
        self.cost.blocks_skipped += len(blocks) - len(found)
        return found

    def _map(self, work: list[Work], ahead: int) -> Iterator[Partial]:
        """Partial results in order, some blocks ahead of what is taken; none once time is up."""
        mapper = self._mapper
        waiting = deque(work)
        running: deque[tuple[Work, Future[Partial]]] = deque()
        try:
            for done in range(len(work)):
                while waiting and len(running) < ahead:
                    running.append((waiting[0], self._start(mapper, *waiting.popleft())))
                if stop := self.budget.check_time():
                    self.stops.append(self._describe_stop(stop, len(work) - done))
                    return
                (info, key), future = running.popleft()
                partial = self._await(info, future)
                if partial:
                    yield self._take(info, key, partial)
                if self.budget.on_progress:
                    self.budget.on_progress(done + 1, len(work))
        finally:
            for _, future in running:
                future.cancel()

    def _await(self, info: BlockInfo, future: "Future[Partial]") -> Partial | None:
        """None when the block is damaged."""
        try:
            return future.result()
        except Corrupt as error:
            self.is_whole = False
            self._lose(info, error)
            return None

    def _open(self, info: BlockInfo) -> Block | None:
        """None when it is damaged and has no index."""
        try:
            return self.means.reader.open(info)
        except Corrupt as error:
            self._lose(info, error)
            return None

    def _lose(self, info: BlockInfo, error: Corrupt) -> None:
        self.losses.note(info, error, self.scope, self.means.reader)

    def _describe_stop(self, stop: Stop, left: int) -> Stop:
        if not self.scope.allowed.is_unlimited:
            return stop
        return Stop(stop.code, f"{stop.message}, {left} blocks left")

    def _start(self, mapper: Mapper, info: BlockInfo, key: Key) -> "Future[Partial]":
        known = self.means.partials.find(key) if self.plan.text else None
        if known is None:
            return self.means.executor.submit(mapper.map, info)
        remembered: Future[Partial] = Future()
        remembered.set_result(replace(known, rows_scanned=0))
        return remembered

    def _take(self, info: BlockInfo, key: Key, partial: Partial) -> Partial:
        if partial.rows_scanned:
            self.cost.rows_scanned += partial.rows_scanned
            self.cost.bytes_read += info.size_bytes
            if self.plan.text:
                self.means.partials.keep(key, partial)
        self.matched += partial.matched
        self.remarks += partial.remarks
        return partial


@dataclass
class Gathered:
    """Partial results that have come together; they are merged once they outgrow what was merged before."""

    reducer: MergePipe
    tables: list[Table] = field(default_factory=list)
    rows: int = 0
    size_bytes: int = 0
    merged_rows: int = 0

    def add(self, table: Table) -> None:
        self.tables.append(table)
        self._measure(table)
        if self.rows - self.merged_rows > max(MERGE_ROWS, self.merged_rows):
            self.merge()

    def merge(self) -> Table:
        merged = self.reducer.merge(self.tables)
        self.tables, self.rows, self.size_bytes = [merged], 0, 0
        self._measure(merged)
        self.merged_rows = merged.height
        return merged

    def _measure(self, table: Table) -> None:
        self.rows += table.height
        self.size_bytes += int(table.frame.estimated_size())


def name_result(plan: Plan, keys: list[Key]) -> Key:
    """What the finished result of a plan over some blocks is remembered by."""
    parts = "\n".join(f"{path} {cut}" for path, _, cut in keys)
    return "result", plan.text, sha256(parts.encode()).hexdigest()

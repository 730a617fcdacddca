"""Runs one plan: chooses blocks, maps each on the executor, merges and finishes."""

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec import field
from msgspec.structs import replace

from logboom.base.errors import Corrupt, OverBudget, Unavailable
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.engine.blocks.losses import Losses
from logboom.engine.blocks.reader import BlockReader
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.at_once import reduce_at_once
from logboom.engine.execution.gathered import Gathered
from logboom.engine.execution.mapper import READING, Mapper
from logboom.engine.execution.partials import (
    Key,
    MapResult,
    Partial,
    PartialCache,
    Refused,
    Split,
    Work,
)
from logboom.engine.execution.plan import Plan
from logboom.engine.execution.remote import Cluster, RemoteJob
from logboom.engine.execution.shortcuts import Shortcuts
from logboom.engine.filters.remarks import Remark
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Budget, Interrupted, OnProgress, Stop, Watch
from logboom.store.block.info import BlockInfo

AHEAD = 16
"""How many blocks are mapped before the first of them is merged, as far as the memory allows."""
PARALLEL_SHARE = 2
"""Half of the memory is for blocks that are mapped at the same time; the rest is for their results."""
LEAST_SHARE = 4
"""If less than 1/4 of the memory is free, no more blocks are tried."""


class Extent(msgspec.Struct):
    """How many blocks a query examined. Users who must not see every index are told no more."""

    blocks: int = 0


class Cost(Extent):
    """What a query touched; `bytes_read` is the size of the blocks it opened.

    These figures depend on all events of a block, whatever their index.
    """

    blocks_skipped: int = 0
    rows_scanned: int = 0
    bytes_read: int = 0


class Resources(InternalStruct, frozen=True):
    """What all runs share."""

    reader: BlockReader
    executor: Executor
    partials: PartialCache
    cluster: Cluster | None = None
    """Maps blocks if there is enough work."""

    @property
    def most_ahead(self) -> int:
        """How many blocks may be examined before it is known whether they are needed."""
        return AHEAD * max(self.cluster.state.threads if self.cluster else 1, 1)


class Progress(MutableStruct):
    """How many pieces of work are done, and a callback for it."""

    total: int
    hear: OnProgress | None
    done: int = 0

    @property
    def left(self) -> int:
        return self.total - self.done

    def step(self) -> None:
        self.done += 1
        if self.hear:
            self.hear(self.done, self.total)


class PendingWork(NamedTuple):
    """Work in progress, and the memory that is reserved for it."""

    work: Work
    answer: "Future[MapResult]"
    reserved_bytes: int


class Run(MutableStruct, dict=True):
    """Merges the partial results of a plan; `stops` and `losses` say why some are missing."""

    plan: Plan
    scope: SearchScope
    resources: Resources
    budget: Budget
    cost: Cost = field(default_factory=Cost)
    stops: list[Stop] = field(default_factory=list)
    remarks: Counter[Remark] = field(default_factory=Counter)
    matched: int = 0
    mapped: int = 0
    """How many blocks, or ranges of them, were mapped."""
    losses: Losses = field(default_factory=Losses)
    is_short: bool = False
    """Whether memory ran short: from then on blocks are mapped one after the other."""
    is_whole: bool = True
    """Whether no block with matching rows was found to be damaged."""
    is_costly: bool = True
    """Whether computing the result took more than indexes and cached columns, so that it is worth caching."""
    problem: str | None = None
    """Why the cluster left work to this node."""

    def reduce(self, blocks: list[BlockInfo]) -> Table:
        """Return the merged and finished result of the blocks, given newest first."""
        self.cost.blocks += len(blocks)
        if self.plan.reducer.settles:
            return self._reduce_until_settled(blocks)
        at_once = reduce_at_once(self._mapper, self.resources.partials, self.budget, blocks)
        if at_once is not None:
            return self._finish_at_once(at_once)
        work = self._identify(blocks)
        key = self._name_result(work)
        known = key and self.resources.partials.find(key)
        if not known:
            table = self._reduce_all(work)
            if key and self.is_costly and self.is_whole and not self.stops:
                known = Partial(table, self.matched, 0, self.remarks)
                self.resources.partials.keep(key, known)
            return table
        self.matched, self.remarks = known.matched, known.remarks
        assert known.table is not None, "a finished result has a table"
        return known.table

    def _name_result(self, work: list[Work]) -> Key | None:
        """Return the cache key of the finished result, or None if it is not cached.

        Plans that only count rows are cheap to finish, and share their text whatever they call the count.
        """
        if not self.plan.text or self.plan.count_rows:
            return None
        return name_result(self.plan, [each.key for each in work])

    def _finish_at_once(self, partial: Partial) -> Table:
        """Return the finished result of the partial one of all blocks."""
        self.matched += partial.matched
        self._add_remarks(partial.remarks)
        self.cost.blocks_skipped += partial.empty
        if self.plan.count_rows:
            return self.plan.reducer.finish_rows(partial.matched)
        gathered = Gathered(self.plan.reducer, self.budget.memory)
        try:
            gathered.add(partial.table or self._mapper.make_empty())
            return self._finish(gathered.merge())
        finally:
            gathered.close()

    def _reduce_all(self, work: list[Work]) -> Table:
        reducer = self.plan.reducer
        shortcuts = Shortcuts(self._mapper, self.resources.partials, self.budget)
        at_once, work = shortcuts.reduce(work)
        self.matched += shortcuts.matched
        self._add_remarks(shortcuts.remarks)
        self.is_costly = shortcuts.is_costly
        gathered = Gathered(reducer, self.budget.memory)
        try:
            for table in at_once:
                gathered.add(table)
            for partial in self._map(work, AHEAD):
                if partial.table and not self._gather(gathered, partial.table):
                    break
            if self.plan.count_rows:
                gathered.add(self.plan.count_rows(self.matched))
            elif not gathered.tables:
                gathered.add(self._mapper.make_empty())
            return self._finish(gathered.merge())
        finally:
            gathered.close()

    def _gather(self, gathered: Gathered, table: Table) -> bool:
        """Add a partial result; return False if there is no room for it, or for more."""
        try:
            gathered.add(table)
        except OverBudget as error:
            self.stops.append(Stop("memory", error.message))
            return False
        rows = gathered.rows if self.plan.reducer.keeps_events else 0
        if self.budget.check_rows(rows) is None:
            return True
        # Merging may reduce the number of rows.
        gathered.merge()
        stop = self.budget.check_rows(gathered.rows)
        self.stops += [stop] if stop else []
        return stop is None

    def _finish(self, merged: Table) -> Table:
        with self.budget.working(self.plan.reducer.keyword):
            self._add_remarks(self.plan.reducer.read_remarks(merged))
            return self.plan.reducer.finish(merged)

    def _reduce_until_settled(self, blocks: list[BlockInfo]) -> Table:
        """Examine a few blocks first: usually the newest ones have all that is wanted."""
        reducer = self.plan.reducer
        gathered = Gathered(reducer, self.budget.memory)
        try:
            start, size = 0, 1
            while start < len(blocks) and not self.stops:
                if self._is_settled(gathered, blocks[start]):
                    break
                wave = self._identify(blocks[start : start + size])
                for partial in self._map(wave, len(wave)):
                    if partial.table and not self._gather(gathered, partial.table):
                        break
                start, size = start + size, min(2 * size, self.resources.most_ahead)
            if not gathered.tables:
                return self._finish(reducer.merge([self._mapper.make_empty()]))
            return self._finish(gathered.merge())
        finally:
            gathered.close()

    def _is_settled(self, gathered: Gathered, following: BlockInfo) -> bool:
        reducer = self.plan.reducer
        if not gathered.tables or not reducer.may_be_settled(gathered.rows):
            return False
        return reducer.is_settled(gathered.merge(), following)

    @cached_property
    def _mapper(self) -> Mapper:
        """Made when the run begins; from then on its plan stays the same."""
        memory, watch = self.budget.memory, Watch(self.budget)
        return Mapper(self.plan, self.scope, self.resources.reader, memory, watch)

    def _identify(self, blocks: list[BlockInfo]) -> list[Work]:
        """Return the work for blocks, or parts of them, that may have matching rows."""
        mapper = self._mapper

        def identify(info: BlockInfo) -> list[Work] | Corrupt:
            try:
                return mapper.identify(info)
            except Corrupt as error:
                return error

        found: list[Work] = []
        answers = self.resources.reader.ask_each(identify, blocks)
        for info, answer in zip(blocks, answers, strict=True):
            if isinstance(answer, Corrupt):
                self._lose(info, answer)
                answer = []
            found += answer
            self.cost.blocks_skipped += not answer
        return found

    def _map(self, work: list[Work], ahead: int) -> Iterator[Partial]:
        """Yield partial results in order, until time or memory runs out."""
        progress = Progress(len(work), self.budget.on_progress)
        job = self._send(work)
        if job is None:
            yield from self._map_here(work, ahead, progress)
            return
        left: list[Work] = []
        try:
            for each in work:
                pieces = job.take(each)
                if pieces is None:
                    left.append(each)
                    continue
                yield from self._map_here(left, ahead, progress)
                if self._has_stopped(progress):
                    return
                left = []
                self.mapped += 1
                for piece in pieces:
                    yield self._take(piece.work, piece.partial)
                progress.step()
        finally:
            job.close()
            self.problem = self.problem or job.problem
        yield from self._map_here(left, ahead, progress)

    def _send(self, work: list[Work]) -> RemoteJob | None:
        """Send work that needs reading to the cluster; return None if this node does it."""
        cluster, mapper = self.resources.cluster, self._mapper
        if cluster is None or self.is_short:
            return None
        unknown = [each for each in work if self._recall(each) is None]
        asked = [each for each in unknown if not mapper.is_in_memory(each)]
        try:
            return cluster.send(mapper, asked, self.budget)
        except Unavailable as error:
            self.problem = error.message
            return None

    def _has_stopped(self, progress: Progress) -> bool:
        if not self.stops and (stop := self.budget.check_time()):
            self.stops.append(self._describe_stop(stop, progress.left))
        return bool(self.stops)

    def _map_here(self, work: list[Work], ahead: int, progress: Progress) -> Iterator[Partial]:
        """Yield partial results computed on this node, with some blocks mapped in advance."""
        waiting = deque(work)
        running: deque[PendingWork] = deque()
        try:
            while waiting or running:
                if self._has_stopped(progress):
                    return
                self._start_some(waiting, running, ahead)
                asked = running.popleft()
                try:
                    found = self._await(asked)
                finally:
                    self.budget.memory.give(asked.reserved_bytes)
                if isinstance(found, Refused):
                    found = self._ask_again(asked.work, found)
                if isinstance(found, Split):
                    waiting.extendleft(reversed(asked.work.cut(found.stretches)))
                    progress.total += len(found.stretches) - 1
                    continue
                self.mapped += 1
                if found:
                    yield self._take(asked.work, found)
                progress.step()
        except Interrupted as error:
            self.stops.append(self._describe_stop(error.stop, progress.left))
        except OverBudget as error:
            if not self.mapped:
                # Without a single partial result there is nothing to answer.
                raise
            stop = Stop("memory", error.message)
            self.stops.append(self._describe_stop(stop, progress.left))
        finally:
            self._abandon(running)

    def _abandon(self, running: "deque[PendingWork]") -> None:
        """Let work in progress release its memory when it ends."""
        memory = self.budget.memory
        for asked in running:
            asked.answer.cancel()
            asked.answer.add_done_callback(
                lambda _, held_bytes=asked.reserved_bytes: memory.give(held_bytes)  # type: ignore[misc]
            )

    def _start_some(
        self, waiting: "deque[Work]", running: "deque[PendingWork]", ahead: int
    ) -> None:
        """Start as much work as there is memory for, and at least one piece."""
        mapper, memory = self._mapper, self.budget.memory
        while waiting and len(running) < (1 if self.is_short else ahead):
            known = self._recall(waiting[0])
            size_bytes = mapper.bound(waiting[0]) if known is None else known.size_bytes
            if running and memory.held_bytes + size_bytes > memory.limit_bytes // PARALLEL_SHARE:
                return
            if not memory.try_take(size_bytes):
                if running:
                    return
                if not memory.fits(size_bytes) and (halves := self._halve(waiting[0])):
                    waiting.extendleft(reversed(waiting.popleft().cut(halves.stretches)))
                    continue
                memory.take(size_bytes, READING)
            work = waiting.popleft()
            is_alone = not waiting and not running
            answer = self._start(mapper, work, size_bytes, known, is_alone=is_alone)
            running.append(PendingWork(work, answer, size_bytes))

    def _ask_again(self, work: Work, refused: Refused) -> Split:
        """Return how to retry work for which there was not enough memory: alone, then in smaller pieces."""
        if not self.is_short:
            self.is_short = True
            return work.repeat()
        halves = self._halve(work)
        if halves is None:
            raise OverBudget(refused.message)
        return halves

    def _halve(self, work: Work) -> Split | None:
        """Split work in half, or return None if the collected results leave too little memory even for halves."""
        memory = self.budget.memory
        has_room = memory.spare_bytes >= memory.limit_bytes // LEAST_SHARE
        return work.halve() if has_room else None

    def _await(self, asked: PendingWork) -> MapResult | None:
        """Return the result for a block, or None if it is damaged."""
        try:
            return asked.answer.result()
        except Corrupt as error:
            self.is_whole = False
            self._lose(asked.work.info, error)
            return None

    def _lose(self, info: BlockInfo, error: Corrupt) -> None:
        self.losses.note(info, error, self.scope, self.resources.reader)

    def _describe_stop(self, stop: Stop, left: int) -> Stop:
        if not self.scope.allowed.is_unlimited:
            return stop
        return Stop(stop.code, f"{stop.message}, {left} blocks left")

    def _recall(self, work: Work) -> Partial | None:
        """Return the cached partial result of a block."""
        return self.resources.partials.find(work.key) if self.plan.text else None

    def _start(
        self,
        mapper: Mapper,
        work: Work,
        size_bytes: int,
        known: Partial | None,
        *,
        is_alone: bool,
    ) -> "Future[MapResult]":
        """Start some work; this thread does it if there is nothing else to do meanwhile."""
        if known is None and not is_alone:
            return self.resources.executor.submit(mapper.map, work, size_bytes)
        answer: Future[MapResult] = Future()
        try:
            found = (
                mapper.map(work, size_bytes) if known is None else replace(known, rows_scanned=0)
            )
        except Exception as error:  # noqa: BLE001 - raised where the answer is taken, after its memory is released
            answer.set_exception(error)
        else:
            answer.set_result(found)
        return answer

    def _take(self, work: Work, partial: Partial) -> Partial:
        if partial.rows_scanned:
            self.cost.rows_scanned += partial.rows_scanned
            self.cost.bytes_read += work.size_bytes
            if self.plan.text:
                self.resources.partials.keep(work.key, partial)
        self.matched += partial.matched
        self._add_remarks(partial.remarks)
        return partial

    def _add_remarks(self, remarks: Counter[Remark]) -> None:
        # Counters go through everything that they have, even to add nothing.
        if remarks:
            self.remarks += remarks


def name_result(plan: Plan, keys: list[Key]) -> Key:
    """Return the cache key for the finished result of a plan over some blocks."""
    parts = "\n".join(f"{path} {cut}" for path, _, cut in keys)
    return "result", plan.text + plan.finish_text, sha256(parts.encode()).hexdigest()

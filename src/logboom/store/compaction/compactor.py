"""The compactor: one thread that merges blocks as planned, step by step, and commits each merge.

One commit replaces the old blocks by the new one. It is refused if one of the old blocks is gone, because another
node merged it, it expired, or its environment was deleted: then the work is discarded, and nothing else happens. A
lease keeps nodes that share a store from doing the same work at once.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from prometheus_client import Counter, Histogram

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.base.structs import InternalStruct
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.snapshot import Day, Snapshot
from logboom.store.compaction.pace import Pace, lower_priority
from logboom.store.compaction.plan import FOREVER_NS, Limits, Merge, plan_merges

log = logging.getLogger(__name__)

LEASE = "blocks"
FIRST_BACKOFF_S = 10.0
LAST_BACKOFF_S = 3600.0
ASIDE_S, LAST_ASIDE_S = 86_400.0, 64 * 86_400.0
"""How long blocks are left alone if merging did not reduce their number, for example because they are too wide."""
IDLE_SHARE, BUSY_SHARE = 0.5, 0.25
"""The share of one core that merges may use in the background."""
BACKLOG_BLOCKS = 100
"""A merge of this many blocks is urgent: every query pays for each of them."""

merges_done = Counter("logboom_compaction_merges", "Merges of blocks that were committed")
merges_failed = Counter("logboom_compaction_failures", "Merges that failed and are tried again")
merges_refused = Counter(
    "logboom_compaction_conflicts",
    "Merges that were discarded, because a block was merged or removed meanwhile",
)
blocks_in = Counter("logboom_compaction_blocks_in", "Blocks that were merged")
blocks_out = Counter("logboom_compaction_blocks_out", "Blocks that merges wrote")
events_merged = Counter("logboom_compaction_events", "Events that were rewritten by merges")
bytes_in = Counter("logboom_compaction_bytes_in", "Size of the blocks that were merged")
bytes_out = Counter("logboom_compaction_bytes_out", "Size of the blocks that merges wrote")
merge_seconds = Histogram(
    "logboom_compaction_seconds",
    "Time from the beginning of a merge to its commit",
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300),
)

Covers = Callable[[str], bool]
"""Selects environments."""


class Lease(Protocol):
    """Decides which node may do something; Unavailable if the store is unreachable."""

    def take(self, thing_id: str) -> bool: ...
    def keep(self, thing_id: str) -> bool: ...
    def release(self, thing_id: str) -> None: ...


class UnsharedLease:
    """The lease of a node whose store is not shared."""

    def take(self, thing_id: str) -> bool:  # noqa: ARG002
        return True

    def keep(self, thing_id: str) -> bool:  # noqa: ARG002
        return True

    def release(self, thing_id: str) -> None: ...


class BlockMerger(Protocol):
    """Writes blocks of one environment and day into fewer ones, on this machine or another."""

    def merge(
        self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]
    ) -> list[BlockInfo]: ...


class Extent(NamedTuple):
    """The blocks, bytes and events of some environments."""

    blocks: int
    events: int
    size_bytes: int


class Compacted(NamedTuple):
    """The extent of environments before and after compaction."""

    before: Extent
    after: Extent


class Failure(InternalStruct, frozen=True):
    """Until when something is left alone, by the monotonic clock, and for how long this time."""

    until_s: float
    delay_s: float

    def is_over(self) -> bool:
        return time.monotonic() >= self.until_s


def back_off(last: Failure | None, first_s: float, longest_s: float) -> Failure:
    """Return a pause that is twice as long as the last one."""
    delay_s = first_s if last is None else min(2 * last.delay_s, longest_s)
    return Failure(time.monotonic() + delay_s, delay_s)


class Compactor:
    """Merges blocks, one merge at a time. Thread-safe.

    `has_room` says whether the store has room for this many bytes. `merger`, `is_busy`, `may_merge` and `lease` may be
    set before the store is opened.
    """

    def __init__(
        self,
        catalog: Catalog,
        merger: BlockMerger,
        blocks: BlockWriter,
        has_room: Callable[[int], bool],
        clock: Clock,
    ) -> None:
        self._catalog = catalog
        self.merger = merger
        self._blocks = blocks
        self._has_room = has_room
        self._clock = clock
        self._limits = Limits()
        self.is_busy: Callable[[], bool] = lambda: False
        self.may_merge: Callable[[BlockInfo], bool] = lambda _: True
        self.lease: Lease = UnsharedLease()
        self._turn = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._uncommitted: Change | None = None
        self._failures: dict[tuple[str, int], Failure] = {}
        self._set_aside: dict[str, Failure] = {}
        self.merging: Merge | None = None
        """What is being merged now."""
        self.failure: str | None = None
        """Why the last merge failed, until one succeeds."""

    @property
    def is_running(self) -> bool:
        """Whether blocks are merged in the background."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, every_s: float) -> None:
        """Merge in the background what is worth it, at this interval in seconds."""
        self._thread = threading.Thread(
            target=self._run, args=(every_s,), name="compactor", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End soon; a merge in progress is abandoned and leaves nothing behind."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        with self._turn:
            self._release()

    def _release(self) -> None:
        try:
            self.lease.release(LEASE)
        except Unavailable as error:
            log.warning("the lease on compaction was not released", extra={"reason": str(error)})

    def compact(self, covers: Covers) -> Compacted:
        """Merge now everything that would be merged eventually; raises an error only after everything else is done."""
        pace = self._make_pace(idle_share=1.0, busy_share=0.5)
        errors: dict[tuple[str, int], BaseException] = {}
        with self._turn:
            before = measure(self._catalog.refresh(), covers)
            # Not required, but keeps other nodes from doing the same work.
            self._hold_lease()
            while merges := self._plan(
                FOREVER_NS, lambda *day: covers(day[0]) and day not in errors
            ):
                for merge in merges:
                    try:
                        self._attempt(merge, pace)
                    except BaseException as error:
                        if self._stopping.is_set():
                            raise
                        errors[merge.env, merge.day] = error
            after = measure(self._catalog.refresh(), covers)
        for (env, _), reason in errors.items():
            raise Unavailable(f"blocks of {env} cannot be merged: {reason}") from reason
        return Compacted(before, after)

    def _make_pace(self, *, idle_share: float, busy_share: float) -> Pace:
        return Pace(self._stopping, self.is_busy, idle_share=idle_share, busy_share=busy_share)

    def _run(self, every_s: float) -> None:
        lower_priority()
        backoff_s = every_s
        while not self._stopping.wait(backoff_s):
            try:
                self._tidy_up()
                backoff_s = every_s
            except BaseException as error:  # noqa: BLE001
                # Whatever happens, this thread continues: without it blocks would pile up silently.
                if not self._stopping.is_set():
                    self._note(error)
                    backoff_s = max(every_s, min(2 * backoff_s, LAST_BACKOFF_S))

    def _tidy_up(self) -> None:
        """Merge everything that is worth merging now."""
        while merges := self._plan_in_turn():
            for merge in merges:
                with self._turn:
                    if not self._hold_lease():
                        return
                    self._try(merge)

    def _plan_in_turn(self) -> list[Merge]:
        with self._turn:
            return self._plan(0, self._is_due)

    def _hold_lease(self) -> bool:
        return self.lease.keep(LEASE) or self.lease.take(LEASE)

    def _is_due(self, env: str, day: int) -> bool:
        failure = self._failures.get((env, day))
        return failure is None or failure.is_over()

    def _plan(self, ahead_ns: int, covers: Callable[[str, int], bool]) -> list[Merge]:
        """Plan with a refreshed catalog, but only if there seems to be work: in a bucket a refresh is a request."""
        if not self._plan_for(self._catalog.snapshot, ahead_ns, covers):
            return []
        return self._plan_for(self._catalog.refresh(), ahead_ns, covers)

    def _plan_for(
        self, snapshot: Snapshot, ahead_ns: int, covers: Callable[[str, int], bool]
    ) -> list[Merge]:
        self._set_aside = {
            path: failure for path, failure in self._set_aside.items() if snapshot.is_live(path)
        }
        merges = plan_merges(snapshot.days, self._clock() + ahead_ns, self._limits, self._may_merge)
        return [merge for merge in merges if covers(merge.env, merge.day)]

    def _may_merge(self, block: BlockInfo) -> bool:
        failure = self._set_aside.get(block.path)
        return (failure is None or failure.is_over()) and self.may_merge(block)

    def _try(self, merge: Merge) -> None:
        """Merge in the background; a day that fails is left alone for a while, longer each time."""
        day = merge.env, merge.day
        is_urgent = len(merge.blocks) >= BACKLOG_BLOCKS
        busy_share = IDLE_SHARE if is_urgent else BUSY_SHARE
        try:
            self._attempt(merge, self._make_pace(idle_share=IDLE_SHARE, busy_share=busy_share))
        except BaseException as error:
            # Also BaseException: reading a damaged file may end in a panic.
            if self._stopping.is_set():
                raise
            self._note(error)
            self._failures[day] = back_off(self._failures.get(day), FIRST_BACKOFF_S, LAST_BACKOFF_S)
        else:
            self._failures.pop(day, None)
            self.failure = None

    def _note(self, error: BaseException) -> None:
        merges_failed.inc()
        self.failure = str(error) or repr(error)
        is_expected = isinstance(error, Unavailable)
        log.warning(
            "blocks were not merged",
            extra={"reason": self.failure},
            exc_info=None if is_expected else error,
        )

    def _attempt(self, merge: Merge, pace: Pace) -> None:
        """Merge and commit; if anything fails, the store is unchanged."""
        if self._uncommitted is not None:
            self._commit(self._uncommitted)
        snapshot = self._catalog.snapshot
        if not all(snapshot.is_live(block.path) for block in merge.blocks):
            return
        if not self._has_room(merge.size_bytes):
            raise Unavailable("the disk is too full to merge blocks")
        with self._show(merge), merge_seconds.time():
            pace.begin()
            written = self._write(merge, pace)
            if written and self._commit(describe_change(merge, written)):
                count(merge, written)

    @contextmanager
    def _show(self, merge: Merge) -> Iterator[None]:
        self.merging = merge
        try:
            yield
        finally:
            self.merging = None

    def _write(self, merge: Merge, pace: Pace) -> list[BlockInfo]:
        """Return the new blocks; none if merging does not reduce their number."""
        try:
            written = self.merger.merge(merge.blocks, pace.give_way)
        except Corrupt as error:
            self._leave_alone(block for block in merge.blocks if is_about(error, block.path))
            raise
        problem = find_problem(merge, written)
        if problem is None:
            return written
        self._blocks.discard(block.path for block in written)
        self._leave_alone(merge.blocks)
        log.warning("blocks cannot be merged", extra={"reason": problem, "env": merge.env})
        return []

    def _leave_alone(self, blocks: Iterable[BlockInfo]) -> None:
        """Do not merge these blocks for a day, next time for two, and so on."""
        for block in blocks:
            failure = self._set_aside.get(block.path)
            self._set_aside[block.path] = back_off(failure, ASIDE_S, LAST_ASIDE_S)

    def _commit(self, change: Change) -> bool:
        """Return whether the new blocks replaced the old ones. If unknown, it is checked again later.

        Raise Unavailable if the commit is refused although all old blocks exist: the next one would be refused too.
        """
        self._uncommitted = change
        try:
            self._catalog.commit(change)
        except Conflict as error:
            merges_refused.inc()
            snapshot = self._catalog.refresh()
            self._discard(change, snapshot)
            self._uncommitted = None
            if all(map(snapshot.is_live, change.removes)):
                raise Unavailable(error.message) from error
            return False
        self._uncommitted = None
        return True

    def _discard(self, change: Change, snapshot: Snapshot) -> None:
        """Delete new blocks that are not needed, unless they were committed after all."""
        self._blocks.discard(
            block.path
            for block in change.adds
            if not snapshot.is_live(block.path) and block.path not in snapshot.tombstones
        )


def describe_change(merge: Merge, written: list[BlockInfo]) -> Change:
    through = max(block.newest for block in merge.blocks)
    return Change(
        adds=tuple(block._replace(through=through) for block in written),
        removes=tuple(block.path for block in merge.blocks),
        is_new_data=False,
        operation="OPTIMIZE",
    )


def find_problem(merge: Merge, written: list[BlockInfo]) -> str | None:
    """Return why new blocks must not replace the old ones."""
    rows = sum(block.rows for block in written)
    if rows != merge.rows:
        return f"{rows} events of {merge.rows} were written"
    if len(written) >= len(merge.blocks):
        return f"{len(merge.blocks)} blocks became {len(written)}"
    return None


def is_about(error: Corrupt, path: str) -> bool:
    """Return whether an error names a block or its index."""
    return path.removesuffix(".parquet") in str(error.data.get("path", ""))


def count(merge: Merge, written: list[BlockInfo]) -> None:
    merges_done.inc()
    blocks_in.inc(len(merge.blocks))
    blocks_out.inc(len(written))
    events_merged.inc(merge.rows)
    bytes_in.inc(merge.size_bytes)
    bytes_out.inc(sum(block.size_bytes for block in written))


def measure(snapshot: Snapshot, covers: Covers) -> Extent:
    days = [day for env, of_env in snapshot.days.items() if covers(env) for day in of_env.values()]
    return add_up(days)


def add_up(days: Collection[Day]) -> Extent:
    return Extent(
        sum(len(day.blocks) for day in days),
        sum(day.rows for day in days),
        sum(day.size_bytes for day in days),
    )

"""The state of the log at one version: live blocks, positions of nodes, and what waits to be deleted.

Snapshots never change. The cost of the next one depends on what a commit changes, not on the size of the store:
untouched days are shared with the previous snapshot.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

import msgspec

from logboom.base.clock import NS_PER_DAY
from logboom.base.structs import InternalStruct
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.actions import Metadata

FEW_BLOCKS = 8
"""More blocks than these are faster sorted than inserted one by one."""
MAX_STEP_MS = 2 * 86_400_000
"""If the clock is ahead of the last commit by more than this, it is not trusted for deletions."""


class Day(InternalStruct, frozen=True):
    """The live blocks of one environment and day, newest first."""

    blocks: tuple[BlockInfo, ...] = ()
    rows: int = 0
    size_bytes: int = 0

    def change(self, added: Sequence[BlockInfo], removed: Sequence[BlockInfo]) -> "Day":
        """Return the day with other blocks; all removed blocks must be here."""
        blocks = list(self.blocks)
        if removed:
            gone = {block.path for block in removed}
            blocks = [block for block in blocks if block.path not in gone]
        if len(added) > FEW_BLOCKS:
            blocks = sorted([*blocks, *added], key=place_in_day)
        else:
            for block in added:
                insort(blocks, block, key=place_in_day)
        return Day(
            tuple(blocks),
            self.rows + count_rows(added) - count_rows(removed),
            self.size_bytes + measure(added) - measure(removed),
        )

    def holds(self, block: BlockInfo) -> bool:
        at = bisect_left(self.blocks, place_in_day(block), key=place_in_day)
        return at < len(self.blocks) and self.blocks[at].path == block.path


def count_rows(blocks: Iterable[BlockInfo]) -> int:
    return sum(block.rows for block in blocks)


def count_untimed(blocks: Iterable[BlockInfo]) -> int:
    return sum(not block.is_timed for block in blocks)


def measure(blocks: Iterable[BlockInfo]) -> int:
    return sum(block.size_bytes for block in blocks)


def place_in_day(block: BlockInfo) -> tuple[int, str]:
    """Return a sort key by which blocks are newest first; those that end at the same time are ordered by name."""
    return -block.last_ns, block.path


Days = Mapping[int, Day]
BY_TIME = attrgetter("last_ns", "path")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Snapshot:
    """The state of the log.

    `days` has the live blocks by environment and day.
    `transactions` is the committed position of each node's write-ahead log, `claims` which process may commit as that
    node, `tombstones` when a block was removed (milliseconds) whose files may still exist. `origins` maps a merged
    block to the blocks it was made from, together with others of the same commit; a restart may forget it. `strays`
    are files that another engine added, `missing` are our blocks that one removed: the next commit undoes both.
    `steady_ms` is the time of the commits, as long as it advanced in plausible steps.
    """

    version: int = -1
    days: Mapping[str, Days] = field(default_factory=dict)
    transactions: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, int] = field(default_factory=dict)
    tombstones: Mapping[str, int] = field(default_factory=dict)
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    strays: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    steady_ms: int = 0
    metadata: Metadata | None = None
    is_altered: bool = False
    """Whether another engine changed the table's schema, properties or protocol."""
    untimed: int = 0
    """Live blocks whose files have integers for times, as the first release wrote them."""
    _known: dict[str, BlockInfo] = field(default_factory=dict, compare=False, repr=False)
    """By path. Shared by all snapshots of a catalog; contains removed blocks until their tombstones are dropped."""

    @property
    def envs(self) -> list[str]:
        """The environments that have live blocks."""
        return sorted(self.days)

    def list_blocks(self, env: str | None = None) -> Iterator[BlockInfo]:
        """Yield the live blocks, those of each environment newest first."""
        for days in [self.days.get(env, {})] if env is not None else self.days.values():
            for day in sorted(days, reverse=True):
                yield from days[day].blocks

    def list_buried(self, age_ms: int) -> list[str]:
        """Return the blocks that were removed at least this long before the last commit."""
        latest_ms = self.steady_ms - age_ms
        return [path for path, removed_ms in self.tombstones.items() if removed_ms < latest_ms]

    def list_readable(self) -> Iterator[BlockInfo]:
        """Yield the live blocks, and those that were removed recently."""
        yield from self.list_blocks()
        yield from (self._known[path] for path in self.tombstones if path in self._known)

    def list_between(self, envs: Iterable[str], from_ns: int, to_ns: int) -> list[BlockInfo]:
        """Return the live blocks of environments with events in a time range, newest first."""
        found = [
            block
            for env in envs
            for day, part in self.days.get(env, {}).items()
            if day * NS_PER_DAY < to_ns and (day + 1) * NS_PER_DAY > from_ns
            for block in part.blocks
            if block.first_ns < to_ns and block.last_ns >= from_ns
        ]
        return sorted(found, key=BY_TIME, reverse=True)

    def list_newest(self, envs: Iterable[str], count: int) -> list[BlockInfo]:
        """Return some of the newest blocks of environments, newest first."""
        days = [(number, part) for env in envs for number, part in self.days.get(env, {}).items()]
        found: list[BlockInfo] = []
        last_day: int | None = None
        for number, part in sorted(days, key=lambda each: each[0], reverse=True):
            if len(found) >= count and number != last_day:
                break
            found += part.blocks
            last_day = number
        found.sort(key=place_in_day)
        return found[:count]

    def find(self, path: str) -> BlockInfo | None:
        """Return a block that is live, or was removed recently and may still be read."""
        return self._known.get(path)

    def is_live(self, path: str) -> bool:
        return self._find_live(path) is not None

    def _find_live(self, path: str) -> BlockInfo | None:
        block = self._known.get(path)
        if block is None:
            return None
        day = self.days.get(block.env, {}).get(block.day)
        return block if day and day.holds(block) else None

    def count_blocks(self) -> int:
        return sum(len(day.blocks) for day in self._list_days())

    def count_rows(self) -> int:
        return sum(day.rows for day in self._list_days())

    def measure(self) -> int:
        """Return the bytes of all live blocks."""
        return sum(day.size_bytes for day in self._list_days())

    def _list_days(self) -> Iterator[Day]:
        return (day for days in self.days.values() for day in days.values())

    def is_plausible(self, now_ms: int) -> bool:
        """Return whether a clock that says `now_ms` may decide what is old enough to be deleted."""
        return now_ms <= self.steady_ms + MAX_STEP_MS

    def change(self, step: "CommitStep") -> "Snapshot":
        """Return the snapshot after one more commit."""
        removed = [block for path in step.removed if (block := self._find_live(path))]
        # An action for a block that is already live replaces what was known about it.
        replaced = [block for each in step.added if (block := self._find_live(each.path))]
        self._known.update({block.path: block for block in step.added})
        return replace(
            self,
            version=step.version,
            days=change_days(self.days, step.added, [*removed, *replaced]),
            transactions={**self.transactions, **step.transactions},
            claims={**self.claims, **step.claims},
            tombstones=self._bury(removed, step),
            origins=self._trace(removed, step),
            strays=(self.strays | step.strays) - step.removed.keys(),
            missing=(self.missing | step.missing)
            - {block.path for block in step.added}
            - step.removed.keys(),
            steady_ms=advance(self.steady_ms, step),
            metadata=step.metadata or self.metadata,
            is_altered=step.is_altered or (self.is_altered and step.metadata is None),
            untimed=self.untimed + count_untimed(step.added) - count_untimed([*removed, *replaced]),
        )

    def _bury(self, removed: Iterable[BlockInfo], step: "CommitStep") -> Mapping[str, int]:
        buried = {block.path: step.removed[block.path] for block in removed}
        return {**self.tombstones, **buried} if buried else self.tombstones

    def _trace(
        self, removed: Iterable[BlockInfo], step: "CommitStep"
    ) -> Mapping[str, tuple[str, ...]]:
        merged = tuple(block.path for block in removed if block.path in step.merged)
        made = [block.path for block in step.added if block.level]
        return {**self.origins, **dict.fromkeys(made, merged)} if merged else self.origins

    def list_sources(self, path: str) -> list[BlockInfo]:
        """Return the blocks whose events are in the one at `path`, or in one made with it; empty if any is unknown."""
        paths = self.origins.get(path, ())
        sources = [self._known[source] for source in paths if source in self._known]
        return sources if len(sources) == len(paths) else []

    def forget(self, paths: Iterable[str]) -> "Snapshot":
        """Return the snapshot without the tombstones of blocks whose files are gone."""
        gone = self.tombstones.keys() & set(paths)
        for path in gone:
            self._known.pop(path, None)
        kept = {path: ms for path, ms in self.tombstones.items() if path not in gone}
        origins = {path: each for path, each in self.origins.items() if gone.isdisjoint(each)}
        return replace(self, tombstones=kept, origins=origins)


class CommitStep(InternalStruct, frozen=True):
    """What one commit changes; `removed` says when each block was removed, `merged` whose events it adds again.

    `confirmed_ms` is the time that an operator has declared right.
    """

    version: int
    time_ms: int = 0
    added: tuple[BlockInfo, ...] = ()
    removed: Mapping[str, int] = msgspec.field(default_factory=dict)
    merged: frozenset[str] = frozenset()
    transactions: Mapping[str, int] = msgspec.field(default_factory=dict)
    claims: Mapping[str, int] = msgspec.field(default_factory=dict)
    strays: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    confirmed_ms: int = 0
    metadata: Metadata | None = None
    is_altered: bool = False


def advance(steady_ms: int, step: CommitStep) -> int:
    """Return the time after a commit: the first is trusted, later ones if the step from the last is plausible."""
    steady_ms = max(steady_ms, step.confirmed_ms)
    if steady_ms == 0 or step.time_ms <= steady_ms + MAX_STEP_MS:
        return max(steady_ms, step.time_ms)
    return steady_ms


def change_days(
    days: Mapping[str, Days], added: Iterable[BlockInfo], removed: Iterable[BlockInfo]
) -> Mapping[str, Days]:
    """Return days with blocks added and removed; untouched ones are shared, empty ones are dropped."""
    new, old = group_by_day(added), group_by_day(removed)
    changed = {env: dict(days.get(env, {})) for env, _ in (*new, *old)}
    for env, number in {**new, **old}:
        of_env = changed[env]
        day = of_env.pop(number, Day())
        day = day.change(new.get((env, number), []), old.get((env, number), []))
        if day.blocks:
            of_env[number] = day
    if not changed:
        return days
    return {env: of_env for env, of_env in {**days, **changed}.items() if of_env}


def group_by_day(blocks: Iterable[BlockInfo]) -> dict[tuple[str, int], list[BlockInfo]]:
    groups: dict[tuple[str, int], list[BlockInfo]] = {}
    for block in blocks:
        groups.setdefault((block.env, block.day), []).append(block)
    return groups

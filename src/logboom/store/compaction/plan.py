"""Plans which blocks of an environment and day are worth merging now. Decides only.

While a day receives data, blocks of similar size are merged once there are enough of them, so that an event is
rewritten once per tier. A day without new data is tidied up: its small blocks are merged with each other, and after a
day with the larger ones. Late data starts this again. It does not matter which node wrote a block.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.ids import read_ulid_time
from logboom.base.structs import InternalStruct
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Days

GROWTH = 2
"""In a quiet day a block is rewritten if the blocks added to it have at least one part in this many of its rows."""
STEPS = 3
"""Blocks are merged into one that is not full only if a full one takes at least three times `fan_in` of them.

Otherwise they wait for each other, so that their events are rewritten once instead of twice.
"""
FOREVER_NS = 1 << 62
"""A quiet period after which a day is as compact as it will ever be."""

MayMerge = Callable[[BlockInfo], bool]


class Limits(InternalStruct, frozen=True):
    """A merged block has at most this many `rows` and bytes; with half of either it is full and left alone.

    `fan_in` blocks of similar size are merged while a day receives data, up to `max_inputs` at once. A block that was
    rewritten `max_level` times is merged again only if that makes it grow.
    """

    rows: int = 1_000_000
    size_bytes: int = 128 << 20
    fan_in: int = 8
    max_inputs: int = 200
    quiet_ns: int = 900 * NS_PER_S
    settled_ns: int = NS_PER_DAY
    max_level: int = 12

    def is_full(self, rows: int, size_bytes: int) -> bool:
        return 2 * rows >= self.rows or 2 * size_bytes >= self.size_bytes


class Merge(NamedTuple):
    """Blocks of one environment and day to merge into one."""

    env: str
    day: int
    blocks: tuple[BlockInfo, ...]

    @property
    def rows(self) -> int:
        return sum(block.rows for block in self.blocks)

    @property
    def size_bytes(self) -> int:
        return sum(block.size_bytes for block in self.blocks)


def plan_merges(
    days: Mapping[str, Days], now_ns: int, limits: Limits, may_merge: MayMerge
) -> list[Merge]:
    """Return at most one merge per environment and day; those that remove most blocks come first."""
    merges = [
        Merge(env, number, chosen)
        for env, of_env in days.items()
        for number, day in of_env.items()
        if len(day.blocks) > 1
        and (chosen := choose_blocks(day.blocks, find_quiet(day.blocks, now_ns), limits, may_merge))
    ]
    return sorted(merges, key=lambda merge: (-len(merge.blocks), merge.env, merge.day))


def find_quiet(blocks: Sequence[BlockInfo], now_ns: int) -> int:
    """Return how long ago the newest of the blocks was written; a time far in the future counts as long ago."""
    # The blocks of a day are in one folder, and their names sort by time.
    newest = PurePosixPath(max(block.path for block in blocks))
    return abs(now_ns - (read_ulid_time(newest.stem) or 0))


def choose_blocks(
    blocks: Iterable[BlockInfo], quiet_ns: int, limits: Limits, may_merge: MayMerge
) -> tuple[BlockInfo, ...]:
    """Return the blocks of a day to merge next, after `quiet_ns` without new ones; empty if there is nothing to do."""
    small = [
        block
        for block in blocks
        if not limits.is_full(block.rows, block.size_bytes) and may_merge(block)
    ]
    small.sort(key=lambda block: (block.first_ns, block.path))
    chosen: tuple[BlockInfo, ...] = ()
    if quiet_ns >= limits.settled_ns:
        chosen = choose_left_over(small, limits)
    if not chosen and quiet_ns >= limits.quiet_ns:
        chosen = choose_growing(small, limits)
    return chosen or choose_tier(small, limits)


def choose_left_over(small: Iterable[BlockInfo], limits: Limits) -> tuple[BlockInfo, ...]:
    """Return the blocks that are not full, however little each of them adds."""
    chosen = tuple(fit((block for block in small if block.level < limits.max_level), limits))
    return chosen if len(chosen) > 1 else ()


def choose_growing(small: Iterable[BlockInfo], limits: Limits) -> tuple[BlockInfo, ...]:
    """Return the smallest blocks, as many as benefit: the rest has far more rows than all of them."""
    by_size = list(fit(sorted(small, key=lambda block: (block.rows, block.path)), limits))
    total = count = 0
    for place, block in enumerate(by_size):
        if place and block.rows <= GROWTH * total:
            count = place + 1
        total += block.rows
    return tuple(by_size[:count])


def choose_tier(small: Iterable[BlockInfo], limits: Limits) -> tuple[BlockInfo, ...]:
    """Return enough blocks of similar size, the smallest first and in order of time."""
    tiers: dict[int, list[BlockInfo]] = {}
    for block in small:
        tiers.setdefault(find_tier(block.rows, limits), []).append(block)
    for tier in sorted(tiers):
        chosen = tuple(fit(tiers[tier], limits))
        if is_ripe(chosen, limits):
            return chosen
    return ()


def find_tier(rows: int, limits: Limits) -> int:
    """Return the power of `fan_in` that the rows reach: merging `fan_in` blocks of a tier gives one of the next."""
    tier = 0
    while rows >= limits.fan_in:
        rows //= limits.fan_in
        tier += 1
    return tier


def is_ripe(blocks: Sequence[BlockInfo], limits: Limits) -> bool:
    """Return whether the blocks make a full one, or are so small that a step towards it pays off."""
    rows = sum(block.rows for block in blocks)
    size_bytes = sum(block.size_bytes for block in blocks)
    if len(blocks) > 1 and limits.is_full(rows, size_bytes):
        return True
    count = limits.fan_in * STEPS
    if len(blocks) < limits.fan_in:
        return False
    return not limits.is_full(count * rows // len(blocks), count * size_bytes // len(blocks))


def fit(blocks: Iterable[BlockInfo], limits: Limits) -> Iterator[BlockInfo]:
    """Yield as many of the blocks, from the first, as fit into one merged block."""
    rows = size_bytes = 0
    for count, block in enumerate(blocks):
        rows += block.rows
        size_bytes += block.size_bytes
        if count == limits.max_inputs or rows > limits.rows or size_bytes > limits.size_bytes:
            return
        yield block

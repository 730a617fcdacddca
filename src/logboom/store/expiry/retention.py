"""Which blocks must be removed because their events are too old, or because they take too much space."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from logboom.base.clock import NS_PER_DAY
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot


def set_no_limit(_env: str) -> None:
    """Return None: no limit, for every environment."""


class Retention(NamedTuple):
    """Maximum days and bytes of blocks per environment, and bytes of all together. None: no limit."""

    keep_days: Callable[[str], int | None] = set_no_limit
    keep_bytes: Callable[[str], int | None] = set_no_limit
    total_bytes: int | None = None


def find_expired(snapshot: Snapshot, retention: Retention, now_ns: int) -> list[BlockInfo]:
    """Return the live blocks to remove.

    A block is removed when its last event is too old. If there is too much, the blocks with the oldest last events
    are removed: first per environment, then of all together.
    """
    expired: list[BlockInfo] = []
    kept: list[BlockInfo] = []
    for env in snapshot.envs:
        blocks = sorted(snapshot.list_blocks(env), key=find_age)
        old = list(find_old(blocks, retention.keep_days(env), now_ns))
        excess = list(find_excess(blocks[len(old) :], retention.keep_bytes(env)))
        expired += old + excess
        kept += blocks[len(old) + len(excess) :]
    return [*expired, *find_excess(sorted(kept, key=find_age), retention.total_bytes)]


def find_age(block: BlockInfo) -> tuple[int, str]:
    return block.last_ns, block.path


def find_old(blocks: Iterable[BlockInfo], days: int | None, now_ns: int) -> Iterator[BlockInfo]:
    if days is not None:
        yield from (block for block in blocks if block.last_ns < now_ns - days * NS_PER_DAY)


def find_excess(blocks: list[BlockInfo], most_bytes: int | None) -> Iterator[BlockInfo]:
    """Yield the first blocks that exceed the space that the others leave."""
    left_bytes = sum(block.size_bytes for block in blocks)
    for block in blocks:
        if most_bytes is None or left_bytes <= most_bytes:
            return
        left_bytes -= block.size_bytes
        yield block

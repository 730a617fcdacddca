"""A simulated store without files: blocks appear and are merged as planned, with a simulated clock."""

from collections.abc import Callable

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.ids import make_ulid
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import change_days
from logboom.store.compaction.plan import FOREVER_NS, Limits, Merge, plan_merges

START_NS = 20_000 * NS_PER_DAY
BYTES_PER_ROW = 50
BYTES_PER_BLOCK = 15_000


def make_block(
    rows: int,
    made_ns: int = START_NS,
    *,
    env: str = "default",
    day: int | None = None,
    size_bytes: int | None = None,
    level: int = 0,
    node: str = "00000001",
) -> BlockInfo:
    """Return a block as a flush at `made_ns` would have written it."""
    day = made_ns // NS_PER_DAY if day is None else day
    if size_bytes is None:
        size_bytes = BYTES_PER_BLOCK + rows * BYTES_PER_ROW
    path = f"blocks/{day}/{make_ulid(made_ns)}.parquet"
    return BlockInfo(path, env, day, rows, size_bytes, made_ns, made_ns + NS_PER_S, 0, node, level)


def merge_blocks(merge: Merge, made_ns: int) -> BlockInfo:
    """Return what merging would write."""
    level = max(block.level for block in merge.blocks) + 1
    rows = merge.rows
    merged = make_block(rows, made_ns, env=merge.env, day=merge.day, level=level)
    return merged._replace(
        first_ns=min(block.first_ns for block in merge.blocks),
        last_ns=max(block.last_ns for block in merge.blocks),
    )


class Simulated:
    """Counts what is written and rewritten, and checks every plan."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.now_ns = START_NS
        self.days = change_days({}, [], [])
        self.rows = 0
        self.rewritten = 0
        self.most_blocks = 0
        self.may_merge: Callable[[BlockInfo], bool] = lambda _: True

    def flush(self, rows: int, *, env: str = "default", day: int | None = None) -> None:
        block = make_block(rows, self.now_ns, env=env, day=day)
        self.days = change_days(self.days, [block], [])
        self.rows += rows

    def plan(self, ahead_ns: int = 0) -> list[Merge]:
        return plan_merges(self.days, self.now_ns + ahead_ns, self.limits, self.may_merge)

    def settle(self, ahead_ns: int = 0) -> int:
        """Merge until there is nothing left to do at this time; returns how many merges it took."""
        done = 0
        while merges := self.plan(ahead_ns):
            for merge in merges:
                self._do(merge)
            done += len(merges)
        self.most_blocks = max(self.most_blocks, self.count_most())
        return done

    def settle_for_ever(self) -> int:
        return self.settle(FOREVER_NS)

    def _do(self, merge: Merge) -> None:
        live = self.days[merge.env][merge.day].blocks
        assert len(merge.blocks) > 1
        assert set(merge.blocks) <= set(live), "only live blocks of one environment and day"
        assert merge.rows <= self.limits.rows
        assert merge.size_bytes <= self.limits.size_bytes
        merged = merge_blocks(merge, self.now_ns)
        self.days = change_days(self.days, [merged], merge.blocks)
        self.rewritten += merged.rows

    def list_blocks(self) -> list[BlockInfo]:
        return [
            block for days in self.days.values() for day in days.values() for block in day.blocks
        ]

    def count_most(self) -> int:
        """Return the blocks of the environment and day that has most."""
        return max(
            (len(day.blocks) for days in self.days.values() for day in days.values()), default=0
        )

"""Events leave when their environment has kept them long enough, and files when nobody needs them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.store.stores import NOW_NS, HandClock, make_batch

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.ids import make_ulid, read_ulid_time
from logboom.base.stores.local import LocalObjects
from logboom.model.shredder import open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.upkeep import write_checkpoint
from logboom.store.expiry.retention import Retention
from logboom.store.expiry.sweep import (
    BLOCKS,
    GRACE_NS,
    HELD,
    ORPHAN_AGE_NS,
    ORPHAN_WATCH_NS,
    Sweeper,
    Swept,
)
from logboom.store.options import StoreOptions
from logboom.store.store import Store

DAYS = 5


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def stopwatch() -> HandClock:
    return HandClock(0)


def open_store(tmp_path: Path, clock: HandClock, stopwatch: HandClock) -> Store:
    options = StoreOptions(tmp_path / "data", flush_secs=3600.0)
    objects = LocalObjects(tmp_path / "store")
    store = Store(options, objects, open_shredder(), clock, stopwatch)
    store.open()
    return store


@pytest.fixture
def store(tmp_path: Path, clock: HandClock, stopwatch: HandClock) -> Iterator[Store]:
    """An event a day for some days, in two environments."""
    store = open_store(tmp_path, clock, stopwatch)
    for env in ("default", "other"):
        lines = [
            f'{{"timestamp": {(NOW_NS - age * NS_PER_DAY) // NS_PER_S}, "age": {age}}}'
            for age in range(DAYS)
        ]
        store.submit(make_batch("\n".join(lines).encode(), env=env)).result()
    store.flush().result()
    yield store
    with suppress(OSError):
        store.close()


def count_files(store: Store) -> int:
    names = (
        name for day in store.objects.list("blocks") for name in store.objects.list(f"blocks/{day}")
    )
    return sum(1 for _ in names)


def list_live(store: Store, env: str) -> list[int]:
    return sorted(map(find_age, store.catalog.refresh().list_blocks(env)))


def find_age(block: BlockInfo) -> int:
    """In days."""
    return (NOW_NS - block.last_ns) // NS_PER_DAY


def test_what_is_older_than_its_environment_keeps_is_removed(store: Store) -> None:
    keep = {"default": 2, "other": None}
    swept = store.sweeper.remove_old(Retention(keep.get))
    assert (swept.blocks, swept.events) == (2, 2)
    assert swept.size_bytes > 0
    assert list_live(store, "default") == [0, 1, 2]
    assert list_live(store, "other") == [0, 1, 2, 3, 4]
    assert store.sweeper.remove_old(Retention(keep.get)).blocks == 0


def test_a_dry_run_only_says_what_would_go(store: Store) -> None:
    assert store.sweeper.remove_old(Retention(lambda _: 1), dry_run=True).blocks == 6
    assert list_live(store, "default") == [0, 1, 2, 3, 4]


def measure_env(store: Store, env: str) -> int:
    return sum(block.size_bytes for block in store.snapshot().list_blocks(env))


def test_an_environment_gives_up_its_oldest_blocks_until_it_fits(store: Store) -> None:
    newest = next(store.snapshot().list_blocks("default"))
    limits = {"default": 3 * newest.size_bytes - 1}
    swept = store.sweeper.remove_old(Retention(keep_bytes=limits.get), dry_run=True)
    assert (swept.blocks, swept.events) == (3, 3)
    assert store.sweeper.remove_old(Retention(keep_bytes=limits.get)) == swept
    assert list_live(store, "default") == [0, 1]
    assert list_live(store, "other") == [0, 1, 2, 3, 4]
    assert measure_env(store, "default") <= limits["default"]
    assert store.sweeper.remove_old(Retention(keep_bytes=limits.get)) == Swept(0, 0, 0)


def test_all_together_give_up_the_oldest_whatever_their_environment(store: Store) -> None:
    total_bytes = store.snapshot().measure()
    assert store.sweeper.remove_old(Retention(total_bytes=total_bytes)).blocks == 0
    days = {"default": 1}
    fitting = [
        block
        for block in store.snapshot().list_blocks()
        if find_age(block) <= days.get(block.env, 2)
    ]
    total_bytes = sum(block.size_bytes for block in fitting)
    swept = store.sweeper.remove_old(Retention(days.get, total_bytes=total_bytes))
    assert swept.blocks == DAYS, "what is too old goes first, and leaves room for the others"
    assert list_live(store, "default") == [0, 1]
    assert list_live(store, "other") == [0, 1, 2]
    assert store.sweeper.remove_old(Retention(total_bytes=1)).blocks == DAYS


def test_a_limit_by_bytes_is_held_too_while_the_clock_looks_wrong(
    store: Store, clock: HandClock
) -> None:
    pass_time(400 * NS_PER_DAY, clock)
    assert store.sweeper.remove_old(Retention(total_bytes=1)) == Swept(0, 0, 0, HELD)
    assert store.sweeper.remove_old(Retention(total_bytes=1), confirm=True).blocks == 2 * DAYS


def pass_time(time_ns: int, *clocks: HandClock) -> None:
    for clock in clocks:
        clock.time_ns += time_ns


def keep_committing(store: Store, days: int, *clocks: HandClock) -> None:
    """A day goes by, and a commit is made, for some days."""
    for number in range(days):
        pass_time(NS_PER_DAY, *clocks)
        store.set_marks({"mark": number + 1})


def test_without_retention_everything_stays(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    keep_committing(store, 30, clock, stopwatch)
    assert store.sweeper.remove_old(Retention(lambda _: None)) == Swept(0, 0, 0)
    assert store.sweeper.delete_files() == 0
    assert count_files(store) == 4 * DAYS


def test_files_of_removed_blocks_wait_for_queries_that_have_begun(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    store.sweeper.remove_old(Retention(lambda _: 2))
    assert store.sweeper.delete_files() == 0
    pass_time(GRACE_NS, clock, stopwatch)
    assert store.sweeper.delete_files() == 4
    assert count_files(store) == 4 * DAYS - 8
    assert store.sweeper.delete_files() == 0
    assert store.snapshot().tombstones == {}


@pytest.mark.parametrize("which", ["clock", "stopwatch"])
def test_one_clock_alone_deletes_no_file(
    store: Store, clock: HandClock, stopwatch: HandClock, which: str
) -> None:
    # The blocks are old enough to be taken for left-overs of a crash.
    keep_committing(store, 8, clock, stopwatch)
    store.sweeper.remove_old(Retention(lambda _: 2))
    store.sweeper.delete_files()
    pass_time(NS_PER_DAY, clock if which == "clock" else stopwatch)
    assert store.sweeper.delete_files() == 0
    assert count_files(store) == 4 * DAYS


def test_files_are_watched_from_the_removal_of_their_blocks(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    store.sweeper.delete_files()
    pass_time(GRACE_NS, clock, stopwatch)
    store.sweeper.remove_old(Retention(lambda _: 3))
    pass_time(GRACE_NS, clock)
    assert store.sweeper.delete_files() == 0
    pass_time(GRACE_NS, stopwatch)
    assert store.sweeper.delete_files() == 4


@pytest.mark.parametrize("sums_up", [False, True], ids=["commits", "checkpoint"])
def test_every_node_and_the_next_process_respect_the_grace(
    tmp_path: Path, store: Store, clock: HandClock, stopwatch: HandClock, sums_up: bool
) -> None:
    store.sweeper.remove_old(Retention(lambda _: 2))
    if sums_up:
        write_checkpoint(store.catalog, store.objects)
    store.close()
    again = open_store(tmp_path, clock, stopwatch)
    assert again.sweeper.delete_files() == 0
    pass_time(GRACE_NS, stopwatch)
    assert again.sweeper.delete_files() == 0
    pass_time(GRACE_NS, clock)
    assert again.sweeper.delete_files() == 4, "what was removed is known from the log"
    again.close()


def test_files_stay_while_somebody_works_with_a_snapshot_that_names_them(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    exported = store.snapshot()
    store.sweeper.remove_old(Retention(lambda _: 2))
    store.sweeper.delete_files()
    pass_time(GRACE_NS, clock, stopwatch)
    assert store.sweeper.delete_files() == 0
    del exported
    assert store.sweeper.delete_files() == 4


def test_a_block_that_is_committed_while_files_are_listed_stays(
    tmp_path: Path, store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    """By the clock of the node that wrote it, which is behind, it is not late."""
    behind = HandClock(NOW_NS - 8 * NS_PER_DAY)
    objects = Interrupted(tmp_path / "store")
    writer = Catalog(objects, behind)
    writer.open()
    (block,) = BlockWriter(objects, open_shredder(), "node", behind, 100).write([make_batch(b"{}")])
    sweeper = Sweeper(store.catalog, store._blocks, objects, clock, stopwatch)
    assert sweeper.delete_files() == 0
    pass_time(ORPHAN_WATCH_NS, clock, stopwatch)
    objects.after_list = lambda: writer.commit(Change(adds=(block,)))
    assert sweeper.delete_files() == 0
    assert store.snapshot().is_live(block.path)


class Interrupted(LocalObjects):
    """Lets something happen just after the folders of blocks are listed."""

    after_list: Callable[[], object] | None = None

    def list(self, prefix: str) -> list[str]:
        found = super().list(prefix)
        if prefix == BLOCKS and self.after_list:
            self.after_list()
        return found


def test_files_that_nothing_names_go_when_they_are_old(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    orphan = f"blocks/2023-11-14/{make_ulid(clock())}"
    store.objects.put_new(f"{orphan}.parquet", b"left by a crash")
    store.objects.put_new("blocks/2023-11-14/not-ours.txt", b"somebody else's")
    assert store.sweeper.delete_files() == 0
    keep_committing(store, ORPHAN_AGE_NS // NS_PER_DAY, clock)
    assert store.sweeper.delete_files() == 0, "it was not watched for long enough"
    pass_time(ORPHAN_WATCH_NS, stopwatch)
    assert store.sweeper.delete_files() == 1
    assert count_files(store) == 4 * DAYS + 1


def test_a_young_file_that_nothing_names_may_be_of_a_request_that_takes_long(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    store.objects.put_new(f"blocks/2023-11-14/{make_ulid(clock())}.parquet", b"not committed yet")
    store.sweeper.delete_files()
    pass_time(ORPHAN_AGE_NS - 1_000_000, stopwatch)
    keep_committing(store, ORPHAN_AGE_NS // NS_PER_DAY - 1, clock)
    assert store.sweeper.delete_files() == 0


def test_a_file_that_was_seen_before_its_commit_is_watched_anew_when_it_is_removed(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    (block,) = store._blocks.write([make_batch(b"{}")])
    store.sweeper.delete_files()
    store.catalog.commit(Change(adds=(block,)))
    store.sweeper.delete_files()
    pass_time(GRACE_NS, stopwatch)
    store.catalog.remove([block.path])
    pass_time(GRACE_NS, clock)
    assert store.sweeper.delete_files() == 0
    pass_time(GRACE_NS, stopwatch)
    assert store.sweeper.delete_files() == 1


def test_a_clock_that_runs_ahead_deletes_nothing(
    store: Store, clock: HandClock, stopwatch: HandClock
) -> None:
    orphan = f"blocks/2023-11-14/{make_ulid(clock())}.parquet"
    store.objects.put_new(orphan, b"of a request that is not committed yet")
    store.sweeper.delete_files()
    pass_time(400 * NS_PER_DAY, clock)
    pass_time(NS_PER_DAY, stopwatch)
    swept = store.sweeper.remove_old(Retention(lambda _: 30))
    assert swept == Swept(0, 0, 0, HELD)
    assert store.sweeper.held == HELD
    assert store.sweeper.remove_old(Retention(lambda _: 30), dry_run=True).blocks == 2 * DAYS
    store.set_marks({"mark": 1})
    assert store.sweeper.remove_old(Retention(lambda _: 30)).held, (
        "a commit by the wrong clock proves nothing"
    )
    assert store.sweeper.delete_files() == 0
    assert list_live(store, "default") == [0, 1, 2, 3, 4]


def test_a_clock_that_is_set_right_again_is_believed(store: Store, clock: HandClock) -> None:
    pass_time(400 * NS_PER_DAY, clock)
    store.set_marks({"mark": 1})
    assert store.sweeper.remove_old(Retention(lambda _: 2)).held
    pass_time(-400 * NS_PER_DAY, clock)
    assert store.sweeper.remove_old(Retention(lambda _: 2)).blocks == 4
    assert store.sweeper.held is None


@pytest.mark.parametrize("confirm", [False, True])
def test_a_clock_that_was_behind_holds_nothing_up_once_it_is_right(
    store: Store, clock: HandClock, confirm: bool
) -> None:
    pass_time(-400 * NS_PER_DAY, clock)
    store.set_marks({"mark": 1})
    store.sweeper.remove_old(Retention(lambda _: 2), confirm=confirm)
    pass_time(400 * NS_PER_DAY, clock)
    assert store.sweeper.remove_old(Retention(lambda _: 2)).blocks == 4


def test_an_administrator_can_confirm_the_clock(
    tmp_path: Path, store: Store, clock: HandClock
) -> None:
    pass_time(400 * NS_PER_DAY, clock)
    assert store.sweeper.remove_old(Retention(lambda _: 30)).held
    assert store.sweeper.remove_old(Retention(lambda _: 30), confirm=True) == Swept(
        2 * DAYS, 2 * DAYS, store_bytes(tmp_path)
    )
    assert list_live(store, "default") == []
    assert store.sweeper.remove_old(Retention(lambda _: 30)).held is None


def store_bytes(tmp_path: Path) -> int:
    return sum(path.stat().st_size for path in (tmp_path / "store/blocks").rglob("*.parquet"))


def test_a_ulid_tells_when_it_was_made() -> None:
    assert read_ulid_time(make_ulid(NOW_NS)) == NOW_NS
    assert read_ulid_time("not a ulid") is None
    assert read_ulid_time("u" * 26) is None

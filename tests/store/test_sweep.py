"""Events leave when their environment has kept them long enough, and files when nobody needs them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.stores import NOW_NS, HandClock, make_batch

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.ids import make_ulid, read_ulid_time
from logboom.base.objects import LocalObjects
from logboom.model.shredder import open_shredder
from logboom.store.options import StoreOptions
from logboom.store.store import Store
from logboom.store.sweep import GRACE_NS, ORPHAN_AGE_NS

DAYS = 5


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def store(tmp_path: Path, clock: HandClock) -> Iterator[Store]:
    """An event a day for some days, in two environments."""
    options = StoreOptions(tmp_path / "data", flush_secs=3600.0)
    store = Store(options, LocalObjects(tmp_path / "store"), open_shredder(), clock)
    store.open()
    for env in ("default", "other"):
        lines = [
            f'{{"timestamp": {(NOW_NS - age * NS_PER_DAY) // NS_PER_S}, "age": {age}}}'
            for age in range(DAYS)
        ]
        store.submit(make_batch("\n".join(lines).encode(), env=env)).result()
    store.flush().result()
    yield store
    store.close()


def count_files(store: Store) -> int:
    names = (
        name for day in store.objects.list("blocks") for name in store.objects.list(f"blocks/{day}")
    )
    return sum(1 for _ in names)


def list_live(store: Store, env: str) -> list[int]:
    blocks = store.catalog.refresh().blocks.values()
    return sorted((NOW_NS - block.last_ns) // NS_PER_DAY for block in blocks if block.env == env)


def test_what_is_older_than_its_environment_keeps_is_removed(store: Store) -> None:
    keep = {"default": 2, "other": None}
    swept = store.sweeper.remove_old(keep.get)
    assert (swept.blocks, swept.events) == (2, 2)
    assert swept.size_bytes > 0
    assert list_live(store, "default") == [0, 1, 2]
    assert list_live(store, "other") == [0, 1, 2, 3, 4]
    assert store.sweeper.remove_old(keep.get).blocks == 0


def test_a_dry_run_only_says_what_would_go(store: Store) -> None:
    assert store.sweeper.remove_old(lambda _: 1, dry_run=True).blocks == 6
    assert list_live(store, "default") == [0, 1, 2, 3, 4]


def test_without_retention_everything_stays(store: Store, clock: HandClock) -> None:
    clock.time_ns += 10_000 * NS_PER_DAY
    assert store.sweeper.remove_old(lambda _: None) == (0, 0, 0)
    assert store.sweeper.delete_files() == 0
    assert count_files(store) == 4 * DAYS


def test_files_of_removed_blocks_wait_for_queries_that_have_begun(
    store: Store, clock: HandClock
) -> None:
    store.sweeper.remove_old(lambda _: 2)
    assert store.sweeper.delete_files() == 0
    clock.time_ns += GRACE_NS
    assert store.sweeper.delete_files() == 4
    assert count_files(store) == 4 * DAYS - 8
    assert store.sweeper.delete_files() == 0


def test_files_that_nothing_names_go_when_they_are_old(store: Store, clock: HandClock) -> None:
    orphan = f"blocks/2023-11-14/{make_ulid(clock())}"
    store.objects.put_new(f"{orphan}.parquet", b"left by a crash")
    store.objects.put_new("blocks/2023-11-14/not-ours.txt", b"somebody else's")
    assert store.sweeper.delete_files() == 0
    clock.time_ns += ORPHAN_AGE_NS
    assert store.sweeper.delete_files() == 1
    assert count_files(store) == 4 * DAYS + 1


def test_a_ulid_tells_when_it_was_made() -> None:
    assert read_ulid_time(make_ulid(NOW_NS)) == NOW_NS
    assert read_ulid_time("not a ulid") is None
    assert read_ulid_time("u" * 26) is None

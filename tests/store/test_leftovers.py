"""What crashes leave half-written goes, and nothing that somebody may still be writing."""

import os
from pathlib import Path

import pytest
from tests.store.stores import NOW_NS, HandClock, list_messages, make_store, opened, say

from logboom.base.stores.local import LocalObjects
from logboom.store.expiry.leftovers import AGE_NS, Leftovers

NAMES = (".a.parquet.0a1b.tmp", "blocks/2023-11-14/.b.parquet.0a1b.tmp", "control/users/.1.0a.tmp")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def stopwatch() -> HandClock:
    return HandClock(0)


@pytest.fixture
def objects(tmp_path: Path) -> LocalObjects:
    for name in (*NAMES, "blocks/2023-11-14/whole.parquet", "notes.tmp"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
        os.utime(path, ns=(NOW_NS, NOW_NS))
    return LocalObjects(tmp_path)


def count_files(root: Path) -> int:
    return sum(path.is_file() for path in root.rglob("*"))


def pass_time(*clocks: HandClock) -> None:
    for clock in clocks:
        clock.time_ns += AGE_NS


def test_old_half_written_files_go_and_nothing_else(
    tmp_path: Path, objects: LocalObjects, clock: HandClock, stopwatch: HandClock
) -> None:
    leftovers = Leftovers(objects, clock, stopwatch)
    assert leftovers.delete_old() == 0
    pass_time(clock, stopwatch)
    assert leftovers.delete_old() == len(NAMES)
    assert count_files(tmp_path) == 2
    assert leftovers.delete_old() == 0


@pytest.mark.parametrize("which", ["clock", "stopwatch"])
def test_one_clock_alone_deletes_nothing(
    objects: LocalObjects, clock: HandClock, stopwatch: HandClock, which: str
) -> None:
    leftovers = Leftovers(objects, clock, stopwatch)
    leftovers.delete_old()
    pass_time(clock if which == "clock" else stopwatch)
    assert leftovers.delete_old() == 0


def test_a_file_that_is_still_written_stays(
    tmp_path: Path, objects: LocalObjects, clock: HandClock, stopwatch: HandClock
) -> None:
    leftovers = Leftovers(objects, clock, stopwatch)
    leftovers.delete_old()
    os.utime(tmp_path / NAMES[0], ns=(NOW_NS + 1, NOW_NS + 1))
    pass_time(clock, stopwatch)
    assert leftovers.delete_old() == len(NAMES) - 1


def test_a_start_clears_its_data_directory(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("kept")).result()
    before = count_files(tmp_path)
    for name in (".claim.0a.tmp", "wal/tmp0a.probe", ".idempotency.log.0a.tmp"):
        (tmp_path / name).write_bytes(b"half")
    with opened(make_store(tmp_path)) as store:
        assert count_files(tmp_path) == before + 1, "the claim of this start is one more commit"
        assert list_messages(store) == ["kept"]

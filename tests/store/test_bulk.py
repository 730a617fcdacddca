"""Bulk loads: all of a large request or nothing of it, whatever fails and whenever."""

import errno
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.store.disk import PATIENCE_S, Gate, behind, failing
from tests.store.stores import (
    HandClock,
    copy_directory,
    count_writes,
    find_after_crash,
    list_messages,
    make_answer,
    make_store,
    opened,
    read_rows,
    say,
)

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Conflict, Unavailable
from logboom.store.catalog.change import Change
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.catalog.upkeep import write_checkpoint
from logboom.store.companions import ALONE, Companions
from logboom.store.flush.bulk import BulkLoad
from logboom.store.store import Store

ANSWER = make_answer("key")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store whose bulk loads write a block every four rows."""
    with opened(make_store(tmp_path / "data", flush_rows=4)) as store:
        yield store


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def list_files(data: Path) -> list[Path]:
    return [path for path in (data / "store" / "blocks").rglob("*") if path.is_file()]


def test_a_load_is_live_all_at_once(store: Store) -> None:
    load = store.open_bulk()
    for number in range(5):
        load.add(say(f"a{number}", f"b{number}"))
        assert list_messages(store) == []
    load.commit(ALONE)
    assert list_messages(store) == sorted(f"{name}{number}" for name in "ab" for number in range(5))
    assert count_writes(store) == 1


def test_a_committed_load_is_durable_without_the_log(store: Store, data: Path) -> None:
    load = store.open_bulk()
    load.add(say("a"))
    load.commit(ALONE)
    assert find_after_crash(data, data.parent / "crashed") == ["a"]


def test_the_numbers_of_a_load_are_nobody_elses(store: Store) -> None:
    load = store.open_bulk()
    for number in range(4):
        store.submit(say(f"log {number}")).result()
        load.add(say(f"bulk {number}", "x"))
    load.commit(ALONE)
    store.flush().result(PATIENCE_S)
    rows = read_rows(store)
    assert rows.height == rows["_seq"].n_unique() == 12


def test_numbers_go_on_beyond_a_load_after_a_restart(store: Store, data: Path) -> None:
    load = store.open_bulk()
    for _ in range(5):
        load.add(say("bulk", "bulk", "bulk", "bulk"))
    load.commit(ALONE)
    with opened(make_store(copy_directory(data, data.parent / "copy"))) as again:
        again.submit(say("log")).result()
        again.flush().result(PATIENCE_S)
        rows = read_rows(again)
        assert rows["_seq"].n_unique() == rows.height == 21


def test_an_aborted_load_leaves_nothing(store: Store, data: Path) -> None:
    load = store.open_bulk()
    for number in range(5):
        load.add(say(f"a{number}", f"b{number}"))
    assert list_files(data)
    load.abort()
    assert list_files(data) == []
    assert count_writes(store) == 0
    with pytest.raises(Unavailable, match="ended"):
        load.add(say("late"))
    with pytest.raises(Unavailable, match="ended"):
        load.commit(ALONE)


def test_an_abort_waits_for_a_piece_under_way(store: Store, data: Path) -> None:
    load = store.open_bulk()
    gate = Gate()
    with gate.holding("link"):
        adding = threading.Thread(target=load.add, args=(say("a", "b", "c", "d"),))
        adding.start()
        gate.wait()
        aborting = threading.Thread(target=load.abort)
        aborting.start()
        gate.go_on.set()
        adding.join(PATIENCE_S)
        aborting.join(PATIENCE_S)
    assert list_files(data) == []


def test_an_abort_deletes_what_it_can(store: Store, data: Path) -> None:
    load = store.open_bulk()
    load.add(say("a", "b", "c", "d"))
    load.add(say("e", "f", "g", "h"))
    calls = iter(range(100))
    with failing("unlink", errno.EIO, when=lambda *_args: next(calls) == 0):
        load.abort()
    assert len(list_files(data)) == 1


def test_a_load_of_no_rows_commits_nothing(store: Store) -> None:
    load = store.open_bulk()
    load.add(say())
    load.commit(Companions(ANSWER))
    assert count_writes(store) == 0


def test_the_answer_of_a_load_survives_a_restart(store: Store, data: Path) -> None:
    load = store.open_bulk()
    load.add(say("a"))
    load.commit(Companions(ANSWER))
    assert store.answers.find("key") == ANSWER
    with opened(make_store(copy_directory(data, data.parent / "copy"))) as again:
        assert again.answers.find("key") == ANSWER


@pytest.mark.parametrize("call", ["write", "link"])
def test_an_answer_without_its_commit_is_not_remembered(
    store: Store, data: Path, call: str
) -> None:
    load = store.open_bulk()
    load.add(say("a"))

    def is_commit(target: object, *others: object) -> bool:
        path = others[0] if call == "link" else f"/proc/self/fd/{target}"
        return f"/{LOG}/" in str(Path(str(path)).resolve())

    with (
        failing(call, errno.ENOSPC, when=is_commit),
        pytest.raises(Unavailable, match="No space left"),
    ):
        load.commit(Companions(ANSWER))
    assert b'"digest":' in (data / "idempotency.log").read_bytes()
    assert store.answers.find("key") is None
    with opened(make_store(copy_directory(data, data.parent / "copy"))) as again:
        assert again.answers.find("key") is None
        assert list_messages(again) == []
    retried = store.open_bulk()
    retried.add(say("a"))
    retried.commit(Companions(ANSWER))
    assert list_messages(store) == ["a"]


def test_the_answer_of_a_commit_that_seemed_to_fail_is_remembered(store: Store, data: Path) -> None:
    load = store.open_bulk()
    load.add(say("a"))
    with failing("fsync", when=behind(LOG)):
        with pytest.raises(Unavailable, match="Input/output"):
            load.commit(Companions(ANSWER))
        with pytest.raises(Unavailable, match="cannot be synced"):
            store.answers.find("key")
    found = store.answers.find("key")
    assert found is not None
    assert msgspec.structs.replace(found, block=None) == ANSWER
    assert find_after_crash(data, data.parent / "crashed") == ["a"]


@pytest.mark.parametrize("part", ["/blocks/", "idempotency"])
def test_a_load_that_fails_before_its_commit_leaves_no_files(
    store: Store, data: Path, part: str
) -> None:
    load = store.open_bulk()
    load.add(say("a", "b", "c", "d"))
    load.add(say("e"))
    with (
        failing("write", errno.ENOSPC, when=lambda handle, _data: part in path_of(handle)),
        pytest.raises(Unavailable, match="No space left"),
    ):
        load.commit(Companions(ANSWER))
    assert list_files(data) == []
    assert store.answers.find("key") is None
    assert count_writes(store) == 0


def path_of(handle: int) -> str:
    return str(Path(f"/proc/self/fd/{handle}").resolve())


def test_a_piece_that_cannot_be_written_is_the_disks_fault(store: Store) -> None:
    load = store.open_bulk()
    with (
        failing("link", errno.ENOSPC),
        pytest.raises(Unavailable, match="No space left"),
    ):
        load.add(say("a", "b", "c", "d"))
    load.abort()


def test_a_load_under_way_does_not_outlive_the_store(tmp_path: Path) -> None:
    store = make_store(tmp_path / "short")
    with opened(store):
        load = store.open_bulk()
        load.add(say("a"))
    with pytest.raises(Unavailable, match="closed"):
        load.add(say("b"))


@pytest.mark.parametrize("days", [2, -2], ids=["slow", "clock set back"])
def test_a_load_that_took_days_is_refused(tmp_path: Path, days: int) -> None:
    """Its files may be gone: nothing names them until it is committed."""
    clock = HandClock()
    with opened(make_store(tmp_path / "slow", clock=clock, flush_rows=1)) as store:
        load = store.open_bulk()
        load.add(say("a"))
        clock.time_ns += days * NS_PER_DAY
        load.add(say("b"))
        with pytest.raises(Conflict, match="too long ago"):
            load.commit(ALONE)
        assert list_messages(store) == []


def test_a_committed_load_is_known_whatever_became_of_its_blocks(data: Path) -> None:
    """The process dies right after the commit, and another node merges the block and deletes it meanwhile."""
    with opened(make_store(data)) as store:
        load = store.open_bulk()
        load.add(say("one"))
        commit_and_die(load)
        store.submit(say("two")).result()
        store.flush().result()
        store.compactor.compact(lambda _: True)
        store.catalog.forget(store.snapshot().tombstones)
        assert store.answers.find("key") is not None
        assert store.answers.find("other") is None
        write_checkpoint(store.catalog, store.objects)
    with opened(make_store(data)) as store:
        assert store.answers.find("key") is not None


def commit_and_die(load: BulkLoad) -> None:
    """The answer is journalled with its block, the block is committed, and that is all."""
    load._prepare(ANSWER)
    load._catalog.commit(Change(adds=tuple(load._written)))

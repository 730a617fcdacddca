"""Flushing: when it happens, what a failure keeps, and that it comes back by itself."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.store.disk import PATIENCE_S, Call, Gate, behind, fail, failing, replaced
from tests.store.stores import (
    NOW_NS,
    copy_directory,
    count_writes,
    list_messages,
    make_answer,
    make_batch,
    make_store,
    opened,
    say,
)
from tests.waiting import poll_until

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.companions import Companions
from logboom.store.flush import flusher as flusher_module
from logboom.store.flush.buffer import MAX_FLUSH_BLOCKS
from logboom.store.store import Store


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flusher_module, "RETRY_S", 0.01)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> Iterator[Store]:
    with opened(make_store(data)) as store:
        yield store


def has_recovered(store: Store) -> bool:
    try:
        store.check_writable()
    except Unavailable:
        return False
    return True


def test_a_flush_by_hand_makes_everything_acknowledged_searchable(store: Store) -> None:
    store.submit(say("a", "b")).result()
    store.submit(say("c", env="prod")).result()
    assert list_messages(store) == []
    assert store.flush().result(PATIENCE_S) == (2, 3)
    assert list_messages(store) == ["a", "b", "c"]


def test_a_flush_of_nothing_commits_nothing(store: Store) -> None:
    assert store.flush().result(PATIENCE_S) == (0, 0)
    assert count_writes(store) == 0


def test_a_flush_comes_after_its_time(tmp_path: Path) -> None:
    with opened(make_store(tmp_path, flush_secs=0.05)) as store:
        store.submit(say("a")).result()
        poll_until(lambda: list_messages(store) == ["a"], "the flush by time")


def test_a_flush_comes_with_enough_rows(tmp_path: Path) -> None:
    with opened(make_store(tmp_path, flush_rows=3)) as store:
        store.submit(say("a", "b")).result()
        store.submit(say("c")).result()
        poll_until(lambda: list_messages(store) == ["a", "b", "c"], "the flush by rows")


def test_all_who_ask_are_answered(store: Store) -> None:
    for number in range(40):
        store.submit(say(f"{number:03d}")).result()
        asked = [store.flush() for _ in range(3)]
        assert [len(future.result(PATIENCE_S)) for future in asked] == [2, 2, 2]
    assert list_messages(store) == [f"{number:03d}" for number in range(40)]


FullDisk = Callable[[], AbstractContextManager[object]]


def fill_disk(call: str, part: str) -> FullDisk:
    """A disk that is full for files whose path holds `part`."""

    def is_hit(target: object, *_others: object) -> bool:
        path = os.readlink(f"/proc/self/fd/{target}") if isinstance(target, int) else str(target)
        return part in path

    return lambda: failing(call, errno.ENOSPC, when=is_hit)


@pytest.mark.parametrize(
    "full_disk",
    [
        pytest.param(fill_disk("write", "/blocks/"), id="block written"),
        pytest.param(fill_disk("fsync", "/blocks/"), id="block synced"),
        pytest.param(fill_disk("link", "/blocks/"), id="block published"),
        pytest.param(fill_disk("mkdir", "/blocks"), id="folder made"),
        pytest.param(fill_disk("write", "idempotency"), id="journal written"),
        pytest.param(fill_disk("fsync", "idempotency"), id="journal synced"),
        pytest.param(fill_disk("write", f"/{LOG}/"), id="commit written"),
        pytest.param(fill_disk("link", f"/{LOG}/"), id="commit published"),
        pytest.param(fill_disk("fsync", f"/{LOG}"), id="commit synced"),
    ],
)
def test_a_failed_flush_keeps_the_events_refuses_new_ones_and_recovers(
    data: Path, store: Store, full_disk: FullDisk
) -> None:
    store.submit(say("kept"), Companions(make_answer("key"))).result()
    with full_disk():
        with pytest.raises(Unavailable, match="No space left"):
            store.flush().result(PATIENCE_S)
        with pytest.raises(Unavailable, match="blocks cannot be written"):
            store.submit(say("refused"))
        assert find_lines_in_log(data) == 1
    poll_until(lambda: has_recovered(store), "the flush to be tried again")
    assert list_messages(store) == ["kept"]
    assert count_writes(store) == 1, "committed once"
    store.submit(say("welcome")).result()
    store.flush().result(PATIENCE_S)
    assert list_messages(store) == ["kept", "welcome"]
    files = {str(path.relative_to(data / "store")) for path in data.rglob("*.parquet")}
    assert files == {block.path for block in store.snapshot().list_blocks()}, (
        "failed tries leave nothing behind"
    )
    with opened(make_store(copy_directory(data, data.parent / "copy"))) as again:
        assert again.answers.find("key") == make_answer("key")
        assert list_messages(again) == ["kept", "welcome"]


def find_lines_in_log(data: Path) -> int:
    return sum(path.read_bytes().count(b'"kept"') for path in (data / "wal").iterdir())


def test_a_crash_while_flushing_fails_loses_nothing(data: Path, store: Store) -> None:
    store.submit(say("kept")).result()
    with fill_disk("link", f"/{LOG}/")():
        with pytest.raises(Unavailable):
            store.flush().result(PATIENCE_S)
        copy = copy_directory(data, data.parent / "copy")
    with opened(make_store(copy)) as again:
        assert list_messages(again) == ["kept"]


def test_a_commit_that_was_made_but_seemed_to_fail_is_not_made_again(
    data: Path, store: Store
) -> None:
    store.submit(say("once")).result()
    with failing("fsync", when=behind(LOG)):
        with pytest.raises(Unavailable):
            store.flush().result(PATIENCE_S)
        copy = copy_directory(data, data.parent / "at failure")
    with opened(make_store(copy)) as again:
        assert list_messages(again) == ["once"]
    poll_until(lambda: has_recovered(store), "the flush to be tried again")
    assert list_messages(store) == ["once"]
    assert count_writes(store) == 1


def test_new_events_do_not_wait_for_those_that_failed(store: Store) -> None:
    gate = Gate()
    with gate.holding("link", lambda _source, path: LOG in str(path)):
        store.submit(say("first")).result()
        flushed = store.flush()
        gate.wait()
        store.submit(say("second")).result(PATIENCE_S)
        assert not flushed.done()
        gate.go_on.set()
        assert flushed.result(PATIENCE_S).events == 1
    assert store.flush().result(PATIENCE_S) == (1, 1)
    assert list_messages(store) == ["first", "second"]


class Treacherous(LocalObjects):
    """A store that fails in a way that nobody expects."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.error: BaseException | None = None

    def put_new(self, name: str, data: bytes) -> None:
        if self.error:
            raise self.error
        super().put_new(name, data)


@pytest.mark.parametrize("error", [ValueError("a bug"), MemoryError(), KeyboardInterrupt()])
def test_an_unexpected_error_does_not_end_the_flusher(
    tmp_path: Path, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    objects = Treacherous(tmp_path / "store")
    with opened(make_store(tmp_path, objects=objects)) as store:
        store.submit(say("kept")).result()
        objects.error = error
        with pytest.raises(Unavailable, match="blocks cannot be written"):
            store.flush().result(PATIENCE_S)
        assert "flush failed" in caplog.messages
        with pytest.raises(Unavailable):
            store.check_writable()
        objects.error = None
        poll_until(lambda: has_recovered(store), "the flush to be tried again")
        assert list_messages(store) == ["kept"]


def test_who_stops_waiting_for_a_flush_does_not_end_the_flusher(store: Store) -> None:
    store.submit(say("a")).result()
    gate = Gate()
    with gate.holding("link"):
        left = store.flush()
        gate.wait()
        assert not left.cancel()
        gate.go_on.set()
    store.submit(say("b")).result()
    store.flush().result(PATIENCE_S)
    assert list_messages(store) == ["a", "b"]


def test_segments_that_cannot_be_deleted_do_not_fail_a_flush(data: Path, store: Store) -> None:
    def make(real: Call) -> Call:
        def unlink(path: object) -> object:
            if str(path).endswith(".wal"):
                raise fail(errno.EROFS)
            return real(path)

        return unlink

    store.submit(say("a")).result()
    with failing("fdatasync"), pytest.raises(Unavailable):
        store.submit(say("refused")).result()
    store.submit(say("b")).result()
    with replaced("unlink", make):
        assert store.flush().result(PATIENCE_S).events == 2
    store.check_writable()
    assert len(list((data / "wal").iterdir())) == 2
    store.submit(say("c")).result()
    store.flush().result(PATIENCE_S)
    assert len(list((data / "wal").iterdir())) == 1
    assert list_messages(store) == ["a", "b", "c"]


def test_other_measures_count_at_once(store: Store) -> None:
    store.tune(3600.0, 1_000_000)
    store.submit(say("a")).result()
    store.tune(0.01, 1_000_000)
    poll_until(lambda: list_messages(store) == ["a"], "what waited to be flushed")
    store.submit(say("b")).result()
    poll_until(lambda: list_messages(store) == ["a", "b"], "a flush by the new time")
    store.tune(3600.0, 2)
    store.submit(say("c", "d")).result()
    poll_until(lambda: list_messages(store) == list("abcd"), "a flush by the new number")


def test_a_flush_makes_a_bounded_number_of_blocks_at_a_time(store: Store) -> None:
    for number in range(2 * MAX_FLUSH_BLOCKS + 1):
        store.submit(say("x", env=f"env-{number}")).result()
    commits = count_writes(store)
    assert store.flush().result(PATIENCE_S).events == 2 * MAX_FLUSH_BLOCKS + 1
    assert count_writes(store) - commits == 3
    assert len(list_messages(store)) == 2 * MAX_FLUSH_BLOCKS + 1


def test_a_request_of_many_days_is_stored_whole_and_others_after_it(store: Store) -> None:
    days = MAX_FLUSH_BLOCKS + 100
    lines = [json.dumps({"ts": NOW_NS - day * NS_PER_DAY, "message": "old"}) for day in range(days)]
    store.submit(make_batch("\n".join(lines).encode())).result()
    store.submit(say("new")).result()
    commits = count_writes(store)
    assert store.flush().result(PATIENCE_S) == (days + 1, days + 1)
    assert count_writes(store) - commits == 2
    assert sorted(set(list_messages(store))) == ["new", "old"]

"""A start on a full disk: blocks can be read, events are refused, and all goes on by itself when there is room."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.store.disk import failing, name_of
from tests.store.stores import (
    copy_directory,
    list_messages,
    make_answer,
    make_store,
    opened,
    read_rows,
    say,
)
from tests.waiting import poll_until

from logboom.base.errors import Unavailable
from logboom.store import recovery
from logboom.store.companions import Companions
from logboom.store.node import read_claims
from logboom.store.store import Store
from logboom.store.wal import log as wal_module
from logboom.store.wal.log import Wal


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "RETRY_S", 0.01)


def make_crashed(tmp_path: Path, *, events: int = 3) -> Path:
    """A data directory as a crash leaves it: one event in a block, the others in the log only."""
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        store.submit(say("in a block")).result()
        store.flush().result()
        for number in range(events):
            companions = Companions(make_answer(f"key {number}"), {"file": number + 1})
            store.submit(say(f"event {number}"), companions).result()
        return copy_directory(data, tmp_path / "crashed")


def list_sent(events: int = 3) -> list[str]:
    return sorted(["in a block", *(f"event {number}" for number in range(events))])


@contextmanager
def full_for(part: str) -> Iterator[None]:
    """No room for files whose path has this part."""
    with failing("write", errno.ENOSPC, when=lambda handle, _data: part in name_of(handle)):
        yield


def check_refusing(store: Store) -> None:
    for refuse in (store.check_ready, store.flush, lambda: store.submit(say("refused"))):
        with pytest.raises(Unavailable, match="No space left") as raised:
            refuse()
        assert raised.value.data["retry_after_s"]


def await_recovery(store: Store) -> None:
    def is_over() -> bool:
        try:
            store.check_ready()
        except Unavailable:
            return False
        return True

    poll_until(is_over, "the log to be replayed")


def check_recovered(store: Store, sent: list[str]) -> None:
    await_recovery(store)
    assert list_messages(store) == sent
    assert read_rows(store)["_seq"].n_unique() == len(sent)
    assert store.answers.find("key 2") == make_answer("key 2")
    assert store.find_mark("file") == len(sent) - 1
    assert [store.catalog.find_claim(store.node)] == read_claims(store.options.data_dir / "claim")


@pytest.mark.parametrize(
    "part",
    ["/", "/.claim", "/_delta_log/", "idempotency.log", "/blocks/", ".index"],
    ids=["everything", "claim", "commits", "journal", "blocks", "indexes"],
)
def test_a_start_on_a_full_disk_searches_refuses_and_goes_on_when_there_is_room(
    tmp_path: Path, part: str
) -> None:
    crashed = make_crashed(tmp_path)
    store = make_store(crashed)
    with full_for(part):
        store.open()
        check_refusing(store)
        assert list_messages(store) == ["in a block"]
    check_recovered(store, list_sent())
    store.submit(say("new")).result()
    store.close()
    with opened(make_store(crashed)) as again:
        assert list_messages(again) == sorted([*list_sent(), "new"])


def test_a_full_disk_holds_no_more_in_memory_than_a_flush_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    crashed = make_crashed(tmp_path, events=20)
    store = make_store(crashed, flush_rows=3)
    with full_for("/blocks/"):
        store.open()
        check_refusing(store)
        assert store.measure_buffer().events == 3
    check_recovered(store, list_sent(20))
    store.close()


def test_a_disk_that_fills_up_while_the_log_is_replayed_stores_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    crashed = make_crashed(tmp_path, events=20)
    store = make_store(crashed, flush_rows=3)
    blocks: list[object] = []

    def is_later(handle: int, _data: object) -> bool:
        if name_of(handle).endswith(".tmp") and ".parquet." in name_of(handle):
            blocks.append(handle)
        return len(blocks) > 3

    with failing("write", errno.ENOSPC, when=is_later):
        store.open()
        check_refusing(store)
    check_recovered(store, list_sent(20))
    store.close()


def test_closed_before_there_is_room_the_log_stays(tmp_path: Path) -> None:
    crashed = make_crashed(tmp_path)
    for part in ("/.claim", "/blocks/"):
        with full_for(part), opened(make_store(crashed)) as store:
            check_refusing(store)
    with opened(make_store(crashed)) as store:
        check_recovered(store, list_sent())


def test_a_log_that_cannot_be_read_is_read_again_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    crashed = make_crashed(tmp_path)
    last = wal_module.list_segments(crashed / "wal")[-1]
    intact = last.rename(crashed / "intact")
    last.symlink_to(crashed, target_is_directory=True)
    with opened(make_store(crashed)) as store:
        with pytest.raises(Unavailable, match="Is a directory"):
            store.check_ready()
        assert list_messages(store) == ["in a block"]
        # In one step: the log is read again all the time, and would be complete without its last segment.
        intact.replace(last)
        check_recovered(store, list_sent())


def test_a_record_that_is_no_batch_is_set_aside_when_there_is_room(tmp_path: Path) -> None:
    crashed = make_crashed(tmp_path)
    log = Wal(crashed / "wal")
    list(log.replay())
    number = log.write([[b"\x04\x00\x00\x00no batch"]])
    log.close()
    store = make_store(crashed)
    with full_for("/set-aside/"):
        store.open()
        check_refusing(store)
    check_recovered(store, list_sent())
    assert (crashed / "set-aside" / f"{number}.record").exists()
    store.close()

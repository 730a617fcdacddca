"""The store as a whole: what is acknowledged survives every crash, once."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.store.disk import PATIENCE_S, Call, Gate, failing, name_of
from tests.store.stores import (
    NOW_NS,
    HandClock,
    checkpoint,
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
from tests.waiting import poll_until

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Corrupt, Unavailable
from logboom.store import store as store_module
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.companions import Companions
from logboom.store.indexes import IndexCache
from logboom.store.store import Store
from logboom.store.wal import log as wal_module

CALLS = ("writev", "write", "fsync", "fdatasync", "link", "unlink", "replace", "mkdir", "ftruncate")


WORDS = ("one", "two", "three", "four", "five")
"""A word of each batch whose key is its place in this list."""


def list_segments(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "wal").iterdir())


def test_an_acknowledged_batch_survives_the_moment_of_its_acknowledgement(tmp_path: Path) -> None:
    copies: list[Path] = []

    def copy(_future: object) -> None:
        copies.append(copy_directory(tmp_path / "data", tmp_path / f"copy {len(copies)}"))

    with opened(make_store(tmp_path / "data")) as store:
        for number in range(3):
            acknowledged = store.submit(say(f"event {number}"))
            acknowledged.add_done_callback(copy)
            acknowledged.result()
            poll_until(lambda: len(copies) > number, "the copy")  # noqa: B023
    for number, path in enumerate(copies):
        with opened(make_store(path)) as store:
            assert list_messages(store) == [f"event {at}" for at in range(number + 1)]


class Moment(NamedTuple):
    """A copy of the data directory as a death just before a system call would leave it."""

    copy: Path
    call: str
    acked: frozenset[str]


class Filmer:
    """Copies the data directory before every system call that changes it, while filming."""

    def __init__(self, data: Path, copies: Path) -> None:
        self.data = data
        self.copies = copies
        self.acked: set[str] = set()
        self.moments: list[Moment] = []
        self._busy = threading.Lock()

    def film(self, call: str) -> Callable[[Call], Call]:
        def make(real: Call) -> Call:
            def filmed(*args: object, **kwargs: object) -> object:
                if self._busy.acquire(blocking=False):
                    try:
                        self._take(call, args)
                    finally:
                        self._busy.release()
                return real(*args, **kwargs)

            return filmed

        return make

    def _take(self, call: str, args: tuple[object, ...]) -> None:
        target = args[-1] if call in ("link", "replace") else args[0]
        path = name_of(target) if isinstance(target, int) else str(target)
        if not path.startswith(str(self.data)) or not self.data.exists():
            return
        copy = copy_directory(self.data, self.copies / f"{len(self.moments):03d}")
        place = f"{call} {os.path.relpath(path, self.data)}"
        self.moments.append(Moment(copy, place, frozenset(self.acked)))


@pytest.fixture
def filmer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Filmer:
    filmer = Filmer(tmp_path / "data", tmp_path / "copies")
    for call in CALLS:
        monkeypatch.setattr(os, call, filmer.film(call)(getattr(os, call)))
    return filmer


def live_through_everything(data: Path, filmer: Filmer) -> set[str]:
    """Two lives of a store: submit, flush, bulk load, checkpoint, close, open; returns what was sent."""
    sent: set[str] = set()

    def name(*names: str) -> tuple[str, ...]:
        sent.update(names)
        return names

    def submit(store: Store, key: str, *names: str, arrival_ns: int = NOW_NS) -> None:
        batch = say(*name(*names), arrival_ns=arrival_ns)
        store.submit(batch, Companions(make_answer(key))).result()
        filmer.acked.update(names)

    with opened(make_store(data)) as store:
        submit(store, "1", "one", "uno")
        submit(store, "2", "two", arrival_ns=NOW_NS - NS_PER_DAY)
        store.flush().result()
        submit(store, "3", "three")
        load = store.open_bulk()
        load.add(say(*name("bulk one", "bulk two")))
        load.commit(Companions(make_answer("bulk")))
        filmer.acked.update(["bulk one", "bulk two"])
        store.flush().result()
        checkpoint(data / "store")
        submit(store, "4", "four")
    with opened(make_store(data)) as store:
        submit(store, "5", "five")
    return sent


def test_death_before_any_system_call_loses_nothing_and_doubles_nothing(
    filmer: Filmer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 200)
    sent = live_through_everything(filmer.data, filmer)
    moments = filmer.moments
    monkeypatch.undo()
    for call in ("fsync", "fdatasync"):  # the copies are kept from no power cut
        monkeypatch.setattr(os, call, lambda _handle: None)
    seen = Counter(moment.call.split()[0] for moment in moments)
    assert {"writev", "fdatasync", "link", "unlink", "replace"} <= set(seen)
    assert len(moments) > 60
    for moment in moments:
        with opened(make_store(moment.copy)) as store:
            found = list_messages(store)
            answered = [key for key in "12345" if store.answers.find(key)]
        assert moment.acked <= set(found) <= sent, moment
        assert len(set(found)) == len(found), moment
        assert ("bulk one" in found) == ("bulk two" in found), moment
        with opened(make_store(moment.copy)) as store:
            assert list_messages(store) == found, moment
            assert [key for key in "12345" if store.answers.find(key)] == answered, moment
            is_loaded = store.answers.find("bulk") is not None
        acked_keys = [str(at) for at, word in enumerate(WORDS, 1) if word in found]
        assert answered == acked_keys, moment
        assert is_loaded == ("bulk one" in found), moment


def test_the_log_is_replayed_once_however_often_the_store_is_opened(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        for number in range(3):
            store.submit(say(f"event {number}")).result()
        copy_directory(data, tmp_path / "copy")
    for _ in range(3):
        with opened(make_store(tmp_path / "copy")) as store:
            assert list_messages(store) == ["event 0", "event 1", "event 2"]
            assert list_segments(tmp_path / "copy") == []


def test_numbers_go_on_when_all_blocks_were_removed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        store.submit(say("old")).result()
        store.flush().result()
        store.catalog.remove([block.path for block in store.snapshot().list_blocks()])
    with opened(make_store(data)) as store:
        store.submit(say("new")).result()
        assert find_after_crash(data, tmp_path / "copy") == ["new"]


def test_a_replay_keeps_times_and_numbers(tmp_path: Path) -> None:
    data = tmp_path / "data"
    columns = ["_time", "_seq", "message"]
    with opened(make_store(data)) as store:
        store.submit(say("a", "b", arrival_ns=NOW_NS + 1)).result()
        store.submit(say("c", arrival_ns=NOW_NS + 2)).result()
        copy_directory(data, tmp_path / "copy")
        store.flush().result()
        flushed = read_rows(store).select(columns)
    clock = HandClock(NOW_NS + NS_PER_DAY)
    with opened(make_store(tmp_path / "copy", clock=clock)) as store:
        assert read_rows(store).select(columns).equals(flushed)


def test_a_large_log_is_replayed_in_pieces(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        for number in range(10):
            store.submit(say(f"event {number}", "x")).result()
        copy_directory(data, tmp_path / "copy")
    with opened(make_store(tmp_path / "copy", flush_rows=4)) as store:
        assert len(list_messages(store)) == 20
        assert count_writes(store) == 1 + 5, "its second claim, and five pieces"


def test_a_damaged_record_costs_nothing_but_itself(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        for number in range(3):
            store.submit(say(f"event {number}")).result()
        copy_directory(data, tmp_path / "copy")
    segment = next((tmp_path / "copy" / "wal").iterdir())
    segment.write_bytes(segment.read_bytes().replace(b"event 1", b"EVENT 1"))
    with opened(make_store(tmp_path / "copy")) as store:
        assert list_messages(store) == ["event 0", "event 2"]
        store.submit(say("event 3")).result()
        store.flush().result()
        assert read_rows(store)["_seq"].n_unique() == 3


def test_a_closed_store_has_an_empty_log(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("a")).result()
    assert list_segments(tmp_path) == []
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["a"]


def test_what_arrives_during_the_last_flush_is_flushed_too(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.submit(say("first")).result()
    gate = Gate()
    with gate.holding("link"):
        store.flush()
        gate.wait()
        store.submit(say("second")).result()
        closing = threading.Thread(target=store.close)
        closing.start()
        gate.go_on.set()
        closing.join(PATIENCE_S)
    assert list_segments(tmp_path) == []
    with opened(make_store(tmp_path)) as again:
        assert list_messages(again) == ["first", "second"]


def test_a_store_that_cannot_flush_closes_and_keeps_its_log(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.submit(say("kept")).result()
    with failing("link"):
        store.close()
    assert len(list_segments(tmp_path)) == 1
    with opened(make_store(tmp_path)) as again:
        assert list_messages(again) == ["kept"]


def test_a_closed_store_refuses_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with opened(store):
        pass
    with pytest.raises(Unavailable, match="closed"):
        store.submit(say("late")).result(PATIENCE_S)
    with pytest.raises(Unavailable, match="closed"):
        store.flush().result(PATIENCE_S)


def test_a_second_store_on_the_directory_is_refused(tmp_path: Path) -> None:
    with (
        opened(make_store(tmp_path)),
        pytest.raises(Unavailable, match=f"{tmp_path} is in use by another process"),
    ):
        make_store(tmp_path)
    with opened(make_store(tmp_path)):
        pass


def test_a_store_whose_log_of_commits_is_gone_is_refused(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("a")).result()
    for path in (tmp_path / "store" / LOG).iterdir():
        path.unlink()
    with pytest.raises(Corrupt, match="no log"), opened(make_store(tmp_path)):
        pass


@pytest.mark.parametrize("content", [b"", b"not a node\n", b"\xff\xff"])
def test_a_damaged_node_name_is_refused(tmp_path: Path, content: bytes) -> None:
    with opened(make_store(tmp_path)):
        pass
    (tmp_path / "node").write_bytes(content)
    with pytest.raises(Corrupt, match="not the name of a node"):
        make_store(tmp_path)


def test_answers_survive_a_flush_and_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        store.submit(say("a"), Companions(make_answer("flushed"))).result()
        store.flush().result()
        store.submit(say("b"), Companions(make_answer("logged"))).result()
        copy_directory(data, tmp_path / "copy")
    for path in (data, tmp_path / "copy"):
        for _ in range(2):
            with opened(make_store(path)) as store:
                assert store.answers.find("flushed") == make_answer("flushed")
                assert store.answers.find("logged") == make_answer("logged")


def test_an_answer_is_known_as_soon_as_it_may_be_given(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("a"), Companions(make_answer("key"))).result()
        assert store.answers.find("key") == make_answer("key")


def test_a_refused_batch_leaves_no_answer(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        with failing("fsync"), pytest.raises(Unavailable):
            store.submit(say("a"), Companions(make_answer("key"))).result()
        assert store.answers.find("key") is None
        store.flush().result()
        assert list_messages(store) == []


def test_a_nearly_full_disk_refuses_new_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(make_store(tmp_path)) as store:
        monkeypatch.setattr(store_module, "MIN_FREE_SHARE", 2.0)
        monkeypatch.setattr(store_module, "MIN_FREE_BYTES", 2**80)
        with pytest.raises(Unavailable, match="the disk is full"):
            store.submit(say("a"))


def test_many_senders_and_flushes_at_once_lose_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    sent = sorted(f"{sender}/{number}" for sender in range(6) for number in range(25))

    def send(sender: int) -> None:
        for number in range(25):
            store.submit(say(f"{sender}/{number}")).result(PATIENCE_S)

    with opened(make_store(data, flush_rows=7, flush_secs=0.01)) as store:
        threads = [threading.Thread(target=send, args=(sender,)) for sender in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # A copy that is made while files come and go is no picture of any moment.
        store.flush().result(PATIENCE_S)
        assert find_after_crash(data, tmp_path / "copy") == sent
    with opened(make_store(data)) as store:
        assert list_messages(store) == sent
        rows = read_rows(store)
        assert rows["_seq"].n_unique() == rows.height


def write_blocks(store: Store, count: int) -> list[BlockInfo]:
    for number in range(count):
        store.submit(say(f"event {number}")).result()
        store.flush().result()
    return list(store.snapshot().list_blocks())


def test_indexes_are_read_once_while_they_fit(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        infos = write_blocks(store, 3)
        cache = IndexCache(store.access, capacity_bytes=2**20)
        first = [cache.read(info) for info in infos]
        for index in (tmp_path / "store" / "blocks").rglob("*.index"):
            index.unlink()
        assert [cache.read(info) for info in infos] == first


def test_threads_that_read_the_same_index_count_it_once(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        infos = write_blocks(store, 4)
        sizes = [4 * len(store.objects.read(name_index(info.path))) for info in infos]
        cache = IndexCache(store.access, capacity_bytes=sum(sizes))
        for info in infos:
            start = threading.Barrier(8)

            def read(info: BlockInfo = info, start: threading.Barrier = start) -> None:
                start.wait(PATIENCE_S)
                cache.read(info)

            threads = [threading.Thread(target=read) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for index in (tmp_path / "store" / "blocks").rglob("*.index"):
            index.unlink()
        for info in infos:
            cache.read(info)


def test_a_refresh_has_the_indexes_at_hand_while_there_is_room(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        infos = write_blocks(store, 3)
        store.refresh()
        for index in (tmp_path / "store" / "blocks").rglob("*.index"):
            index.unlink()
        assert [store.indexes.read(info).rows for info in infos]
        IndexCache(store.access, capacity_bytes=0).warm(infos)


def test_a_removed_environment_takes_its_events_with_it(tmp_path: Path) -> None:
    with opened(make_store(tmp_path / "data")) as store:
        store.submit(say("gone", env="a")).result()
        store.submit(say("kept", env="b")).result()
        store.flush().result()
        store.submit(say("gone too", env="a", arrival_ns=NOW_NS + NS_PER_DAY)).result()
        store.remove_env("a")
        assert list_messages(store) == ["kept"]
        assert store.snapshot().envs == ["b"]
    with opened(make_store(tmp_path / "data")) as store:
        assert list_messages(store) == ["kept"]

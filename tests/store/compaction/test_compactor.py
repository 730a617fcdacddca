"""The compactor: merges what is planned, commits it once, and gives up without a trace."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.logged import list_said_by
from tests.store.stores import NOW_NS, HandClock, list_messages, make_store, opened, read_rows, say
from tests.waiting import poll_until

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Conflict, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.compaction.compactor import Extent
from logboom.store.compaction.merge import Merger
from logboom.store.compaction.pace import Pace
from logboom.store.expiry.retention import Retention
from logboom.store.store import Store

BLOCKS = 10
NO_PACE = Pace(threading.Event(), lambda: False, idle_share=1.0, busy_share=1.0)
LOGGER = "logboom.store.compaction.compactor"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(make_store(tmp_path)) as store:
        yield store


def fill(store: Store, blocks: int = BLOCKS, env: str = "default", first: int = 0) -> list[str]:
    """Some blocks of two events each; returns their messages."""
    messages = []
    for number in range(first, first + blocks):
        pair = [f"{env} {number} a", f"{env} {number} b"]
        store.submit(say(*pair, env=env, arrival_ns=NOW_NS + number)).result()
        store.flush().result()
        messages += pair
    return sorted(messages)


def everything(_env: str) -> bool:
    return True


def list_files(store: Store) -> set[str]:
    """The blocks that have a file."""
    objects = store.objects
    return {
        f"blocks/{day}/{name}"
        for day in objects.list("blocks")
        for name in objects.list(f"blocks/{day}")
        if name.endswith(".parquet")
    }


def list_live(store: Store) -> list[BlockInfo]:
    return list(store.catalog.refresh().list_blocks())


def interfere(
    store: Store, monkeypatch: pytest.MonkeyPatch, act: Callable[[list[BlockInfo]], None]
) -> None:
    """Do something when the new block of a merge is written and not yet committed."""
    merge = Merger.merge

    def merge_then_act(*args: object) -> list[BlockInfo]:
        written = merge(*args)  # type: ignore[arg-type]
        act(written)
        return written

    monkeypatch.setattr(Merger, "merge", merge_then_act)


def test_what_is_asked_for_is_merged_at_once_with_every_event_in_place(store: Store) -> None:
    messages = fill(store)
    before = read_rows(store)
    size_bytes = sum(block.size_bytes for block in list_live(store))
    compacted = store.compactor.compact(everything)
    (merged,) = list_live(store)
    assert compacted.before == Extent(BLOCKS, 2 * BLOCKS, size_bytes)
    assert compacted.after == Extent(1, 2 * BLOCKS, merged.size_bytes)
    assert merged.level == 1
    assert list_messages(store) == messages
    columns = ["_time", "_seq", "_node", "_index", "message"]
    assert read_rows(store)[columns].equals(before[columns])
    assert store.compactor.compact(everything).before == compacted.after


def test_only_the_environments_that_are_meant_are_merged(store: Store) -> None:
    fill(store, env="a")
    fill(store, env="b")
    store.compactor.compact(lambda env: env == "a")
    snapshot = store.snapshot()
    assert len(list(snapshot.list_blocks("a"))) == 1
    assert len(list(snapshot.list_blocks("b"))) == BLOCKS


def test_the_background_merges_by_itself(tmp_path: Path) -> None:
    store = make_store(tmp_path, compaction_secs=0.01)
    with opened(store):
        messages = fill(store, 30)
        poll_until(lambda: len(list_live(store)) < 16, "blocks to be merged")
        assert list_messages(store) == messages


def test_a_store_without_compaction_merges_only_when_asked(store: Store) -> None:
    assert not store.compactor.is_running
    fill(store, 20)
    assert len(list_live(store)) == 20


def test_merged_blocks_survive_a_restart(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        messages = fill(store)
        store.compactor.compact(everything)
    with opened(make_store(tmp_path)) as store:
        (merged,) = list_live(store)
        assert merged.through == max(
            path.split("/")[-1][:-8] for path in list_files(store) - {merged.path}
        )
        assert list_messages(store) == messages


def test_blocks_that_are_removed_meanwhile_stay_removed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    kept = fill(store, 2, env="other")
    first = list_live(store)[0]
    written: list[str] = []

    def remove(blocks: list[BlockInfo]) -> None:
        written.extend(block.path for block in blocks)
        store.catalog.remove([first.path])
        monkeypatch.undo()

    interfere(store, monkeypatch, remove)
    store.compactor.compact(lambda env: env == "default")
    assert not list_files(store) & set(written), "the refused merge leaves no files"
    assert sum(block.rows for block in store.snapshot().list_blocks("default")) == 2 * BLOCKS - 2
    assert set(kept) < set(list_messages(store))


def test_a_merge_that_slept_for_days_is_not_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other nodes may have deleted its files as left-overs of a crash."""
    clock = HandClock()
    with opened(make_store(tmp_path, clock=clock)) as store:
        messages = fill(store)

        def sleep(_blocks: list[BlockInfo]) -> None:
            clock.time_ns += 8 * NS_PER_DAY
            monkeypatch.undo()

        interfere(store, monkeypatch, sleep)
        before = store.catalog.refresh().version
        with pytest.raises(Unavailable, match="too long ago"):
            store.compactor._attempt(store.compactor._plan(NS_PER_DAY, lambda *_: True)[0], NO_PACE)
        assert store.catalog.refresh().version == before
        assert len(list_files(store)) == BLOCKS
        assert list_messages(store) == messages


def test_a_deleted_environment_does_not_come_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    interfere(store, monkeypatch, lambda _: store.remove_env("default"))
    compacted = store.compactor.compact(everything)
    assert compacted.after == Extent(0, 0, 0)
    assert list_live(store) == []


def test_an_environment_that_is_merged_while_it_is_deleted_goes_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    remove = store.catalog.remove

    def merge_first(paths: Iterator[str]) -> object:
        wanted = list(paths)
        store.compactor.compact(everything)
        return remove(wanted)

    monkeypatch.setattr(store.catalog, "remove", merge_first)
    store.remove_env("default")
    assert list_live(store) == []


def test_two_nodes_that_merge_the_same_blocks_do_no_harm(tmp_path: Path) -> None:
    objects = LocalObjects(tmp_path / "store")
    with (
        opened(make_store(tmp_path / "a", objects=objects)) as a,
        opened(make_store(tmp_path / "b", objects=LocalObjects(tmp_path / "store"))) as b,
    ):
        messages = sorted([*fill(a), *fill(b, first=100)])
        threads = [
            threading.Thread(target=node.compactor.compact, args=(everything,)) for node in (a, b)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for node in (a, b):
            assert len(list_live(node)) == 1
            assert list_messages(node) == messages


class Held:
    """A lease that another node has."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_mine = False

    def take(self, _thing_id: str) -> bool:
        self.asked += 1
        return self.is_mine

    def keep(self, _thing_id: str) -> bool:
        return False

    def release(self, _thing_id: str) -> None: ...


def test_the_background_waits_while_another_node_has_the_lease(tmp_path: Path) -> None:
    lease = Held()
    store = make_store(tmp_path, compaction_secs=0.01)
    store.share(lease, lambda: False)
    with opened(store):
        fill(store)
        poll_until(lambda: lease.asked > 3, "the lease to be asked for")
        assert len(list_live(store)) == BLOCKS
        lease.is_mine = True
        poll_until(lambda: len(list_live(store)) < BLOCKS, "blocks to be merged")


def test_nothing_is_merged_on_a_full_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    monkeypatch.setattr(store.compactor, "_has_room", lambda size_bytes: size_bytes < 1)
    with pytest.raises(Unavailable, match="default cannot be merged: the disk is too full"):
        store.compactor.compact(everything)
    assert len(list_live(store)) == len(list_files(store)) == BLOCKS


def test_a_day_that_fails_does_not_keep_others_from_being_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    merge = Merger.merge

    def fail_for_a(self: Merger, inputs: list[BlockInfo], give_way: Callable[[], None]) -> object:
        if inputs[0].env == "a":
            raise ValueError("cannot digest this")
        return merge(self, inputs, give_way)

    monkeypatch.setattr(Merger, "merge", fail_for_a)
    store = make_store(tmp_path, compaction_secs=0.01)
    with opened(store):
        fill(store, env="a")
        fill(store, env="b")
        poll_until(lambda: len(list(store.snapshot().list_blocks("b"))) < 8, "b to be merged")
        poll_until(lambda: list_said_by(LOGGER, caplog), "the failure to be logged")
        assert len(list(store.snapshot().list_blocks("a"))) == BLOCKS
        assert store.compactor.is_running
    assert list_said_by(LOGGER, caplog)[0].reason == "cannot digest this"


def test_a_commit_that_fails_is_made_later_with_the_same_blocks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    fill(store, 2, env="other")

    def fail(_change: Change) -> None:
        raise Unavailable("the store is out of reach")

    monkeypatch.setattr(store.catalog, "commit", fail)
    with pytest.raises(Unavailable, match="out of reach"):
        store.compactor.compact(lambda env: env == "default")
    monkeypatch.undo()
    written = list_files(store)
    store.compactor.compact(everything)
    (merged,) = store.snapshot().list_blocks("default")
    assert merged.path in written


def test_a_commit_whose_outcome_is_unknown_is_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = fill(store)
    commit = store.catalog.commit
    outcomes = iter([True])

    def lose_the_answer(change: Change) -> object:
        done = commit(change)
        if next(outcomes, False):
            raise Unavailable("the answer was lost")
        return done

    monkeypatch.setattr(store.catalog, "commit", lose_the_answer)
    with pytest.raises(Unavailable, match="the answer was lost"):
        store.compactor.compact(everything)
    fill(store, 3, first=50)
    store.compactor.compact(everything)
    assert len(list_live(store)) == 1
    assert set(messages) < set(list_messages(store))
    assert read_rows(store).height == 2 * BLOCKS + 6


@pytest.mark.parametrize("is_removed", [False, True], ids=["live", "removed since"])
def test_a_merge_that_was_committed_after_all_keeps_its_files(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    """Its answer is lost, and another process takes the node's name before it is asked for again."""
    fill(store)
    fill(store, env="other")
    commit = store.catalog.commit

    def lose_the_answer(change: Change) -> None:
        commit(change)
        raise Unavailable("the answer was lost")

    monkeypatch.setattr(store.catalog, "commit", lose_the_answer)
    with pytest.raises(Unavailable, match="the answer was lost"):
        store.compactor.compact(lambda env: env == "default")
    monkeypatch.undo()
    (merged,) = store.catalog.refresh().list_blocks("default")
    if is_removed:
        store.catalog.remove([merged.path])
    before = list_files(store)
    take_name(store)
    with pytest.raises(Unavailable, match="other cannot be merged: another process has taken over"):
        store.compactor.compact(everything)
    assert list_files(store) == before
    assert merged.path in before


def take_name(store: Store) -> None:
    rival = Catalog(store.objects, HandClock())
    rival.open()
    rival.claim(store.node, 17, expected=store.catalog.find_claim(store.node))


def test_a_merge_that_loses_events_is_never_committed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = fill(store)
    merge = Merger.merge
    monkeypatch.setattr(
        Merger, "merge", lambda self, inputs, give_way: merge(self, inputs[1:], give_way)
    )
    store.compactor.compact(everything)
    assert list_messages(store) == messages
    assert len(list_live(store)) == len(list_files(store)) == BLOCKS


def test_blocks_that_do_not_become_fewer_are_left_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = fill(store)
    merge = Merger.merge

    def merge_each(
        self: Merger, inputs: list[BlockInfo], give_way: Callable[[], None]
    ) -> list[BlockInfo]:
        return [written for block in inputs for written in merge(self, [block], give_way)]

    monkeypatch.setattr(Merger, "merge", merge_each)
    before = list_live(store)
    store.compactor.compact(everything)
    assert list_live(store) == before
    assert len(list_files(store)) == BLOCKS
    assert list_messages(store) == messages


def test_a_block_that_turns_out_to_be_damaged_does_not_keep_others_from_being_merged(
    store: Store,
) -> None:
    fill(store)
    damaged = list_live(store)[3]
    Path(store.objects.locate(damaged.path)).write_bytes(b"damaged")
    with pytest.raises(Unavailable, match="default cannot be merged"):
        store.compactor.compact(everything)
    store.compactor.compact(everything)
    assert damaged in list_live(store)
    assert len(list_live(store)) == 2


def test_damaged_blocks_are_left_where_they_are(store: Store) -> None:
    fill(store)
    damaged = list_live(store)[3]
    store.compactor.may_merge = lambda block: block.path != damaged.path
    store.compactor.compact(everything)
    assert len(list_live(store)) == 2
    assert damaged in list_live(store)


def test_stopping_gives_up_a_merge_and_leaves_nothing_behind(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with opened(store):
        messages = fill(store)
        store.compactor._stopping.set()
        with pytest.raises(Unavailable, match="the store is closing"):
            store.compactor.compact(everything)
        assert len(list_files(store)) == BLOCKS
    with opened(make_store(tmp_path)) as again:
        assert list_messages(again) == messages


def test_old_events_are_removed_with_the_block_they_were_merged_into(tmp_path: Path) -> None:
    clock = HandClock()
    with opened(make_store(tmp_path, clock=clock)) as store:
        fill(store)
        store.compactor.compact(everything)
        clock.time_ns += NS_PER_DAY + NS_PER_DAY // 2
        assert store.sweeper.remove_old(Retention(lambda _: 1)).events == 2 * BLOCKS
        assert store.compactor.compact(everything).after == Extent(0, 0, 0)


def test_the_index_of_a_merged_block_is_forgotten(store: Store) -> None:
    fill(store)
    store.refresh()
    old = [block.path for block in list_live(store)]
    assert set(old) <= set(store.indexes._cached)
    store.compactor.compact(everything)
    store.refresh()
    assert not set(old) & set(store.indexes._cached)


def test_a_commit_that_is_refused_says_so(store: Store) -> None:
    fill(store, 2)
    paths = [block.path for block in list_live(store)]
    store.catalog.remove(paths)
    with pytest.raises(Conflict, match="2 of 2 blocks are no longer live"):
        store.catalog.commit(Change(removes=tuple(paths), is_new_data=False))


@pytest.mark.parametrize(("is_busy", "share"), [(False, 0.5), (True, 0.1)])
def test_the_pace_waits_in_proportion_to_the_work(
    monkeypatch: pytest.MonkeyPatch, is_busy: bool, share: float
) -> None:
    times = iter([0.0, 100.0, 102.0, 500.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(times))
    waits: list[float] = []
    stopping = threading.Event()
    monkeypatch.setattr(stopping, "wait", waits.append)
    pace = Pace(stopping, lambda: is_busy, idle_share=0.5, busy_share=0.1)
    pace.begin()
    pace.give_way()
    assert waits == [pytest.approx(2.0 * (1 / share - 1))]

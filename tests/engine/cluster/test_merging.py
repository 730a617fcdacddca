"""Blocks are merged by the workers of a cluster as by the node itself, whatever happens to them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.engine.cluster.running import Machines, connected, machines
from tests.engine.stored import Stored
from tests.waiting import PATIENCE_S, poll_until

from logboom.base.errors import Unavailable
from logboom.engine.cluster import counts
from logboom.engine.cluster.dask import DaskCluster
from logboom.engine.cluster.opening import merge_on
from logboom.status.service import count
from logboom.store.block.info import BlockInfo
from logboom.store.compaction.compactor import BlockMerger
from logboom.store.store import Store

EVENTS = [{"n": number, "message": f"event {number} of many"} for number in range(600)]
BLOCKS = 6


@pytest.fixture(scope="module")
def all_machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("cluster"), workers=1) as started:
        yield started


@pytest.fixture
def running(all_machines: Machines) -> Machines:
    all_machines.repair(workers=1)
    return all_machines


@pytest.fixture
def env(wide: Stored) -> str:
    env = wide.make_env()
    for start in range(BLOCKS):
        wide.keep(env, EVENTS[start::BLOCKS])
    return env


class OwnMerger:
    """The node's own, which counts how often it was needed."""

    def __init__(self, merger: BlockMerger) -> None:
        self._merger = merger
        self.times = 0

    def merge(self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]) -> list[BlockInfo]:
        self.times += 1
        return self._merger.merge(inputs, give_way)


@contextmanager
def merging(running: Machines, store: Store, stored: Stored) -> Iterator[OwnMerger]:
    """A store that has its blocks merged on the cluster."""
    before = store.compactor.merger
    own = store.compactor.merger = OwnMerger(before)
    try:
        with connected(running.address, stored) as cluster:
            await_worker(cluster)
            merge_on(cluster, store)
            yield own
    finally:
        store.compactor.merger = before


def await_worker(cluster: DaskCluster) -> None:
    poll_until(lambda: cluster.state.workers == 1, "the worker to be seen")


def compact(store: Store, env: str) -> int:
    """How many blocks there are afterwards."""
    return store.compactor.compact(lambda name: name == env).after.blocks


def list_blocks(store: Store, env: str) -> list[BlockInfo]:
    return [block for block in store.catalog.snapshot.list_blocks() if block.env == env]


def list_files(store: Store) -> set[Path]:
    return set(Path(store.objects.locate("blocks")).rglob("*.*"))


def list_numbers(stored: Stored, env: str) -> list[object]:
    answer = stored.search(env, "* | sort n | fields n | limit 10000")
    return [row["n"] for row in answer.rows]


def test_a_worker_merges_and_the_node_commits(running: Machines, wide: Stored, env: str) -> None:
    store = wide.store
    assert len(list_blocks(store, env)) == BLOCKS
    with merging(running, store, wide) as own:
        assert compact(store, env) == 1
    assert own.times == 0
    [block] = list_blocks(store, env)
    assert (block.rows, block.node, block.level) == (len(EVENTS), store.node, 1)
    assert list_numbers(wide, env) == list(range(len(EVENTS)))
    assert store.objects.read(block.path)


def test_a_worker_that_dies_leaves_the_merge_to_the_node(
    running: Machines, wide: Stored, env: str
) -> None:
    store = wide.store
    [worker] = running.workers
    with merging(running, store, wide) as own, ThreadPoolExecutor(1) as pool:
        worker.pause()
        merged = pool.submit(compact, store, env)
        poll_until(lambda: store.compactor.merging, "the merge to begin")
        worker.kill()
        assert merged.result() == 1
    assert own.times == 1
    assert list_numbers(wide, env) == list(range(len(EVENTS)))


def test_a_worker_that_cannot_write_leaves_the_merge_to_the_node(
    running: Machines, wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = wide.store
    with merging(running, store, wide) as own:
        # As if the store were mounted elsewhere on the worker.
        monkeypatch.setattr(store.compactor.merger._cluster, "store_url", "file:///proc/nowhere")  # type: ignore[attr-defined]
        assert compact(store, env) == 1
    assert own.times == 1
    assert list_numbers(wide, env) == list(range(len(EVENTS)))


def test_a_merge_that_is_given_up_leaves_nothing_behind(
    running: Machines, wide: Stored, env: str
) -> None:
    store = wide.store
    [worker] = running.workers
    before = list_files(store)
    waiting, stopping = threading.Event(), threading.Event()

    def give_way() -> None:
        if sent < count(counts.tasks_sent):
            waiting.set()
        if stopping.is_set():
            raise Unavailable("the store is closing")

    with merging(running, store, wide) as own, ThreadPoolExecutor(1) as pool:
        worker.pause()
        blocks = list_blocks(store, env)
        sent = count(counts.tasks_sent)
        merged = pool.submit(store.compactor.merger.merge, blocks, give_way)
        assert waiting.wait(PATIENCE_S)
        stopping.set()
        with pytest.raises(Unavailable, match="closing"):
            merged.result()
        worker.go_on()
        assert own.times == 0
        # The worker has done what it was asked before when it does this.
        assert compact(store, env) == 1
    [block] = list_blocks(store, env)
    added = {path.stem for path in list_files(store) - before}
    assert added == {Path(block.path).stem}

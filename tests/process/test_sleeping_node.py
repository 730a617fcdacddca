"""Real servers on a real bucket: one sleeps for longer than anybody waits, while the others merge and clean up."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.buckets import Rule, S3Server
from tests.process.service import Service
from tests.process.test_bucket_store import Cluster, ask, await_everything
from tests.store.stores import HandClock, make_store, opened

from logboom.base.clock import NS_PER_DAY, system_clock
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place
from logboom.store.catalog import upkeep
from logboom.store.expiry.sweep import GRACE_NS
from logboom.store.store import Store

pytestmark = [pytest.mark.process]

CACHE_BYTES = 1 << 24


@pytest.fixture
def cluster(s3_server: S3Server, tmp_path: Path) -> Iterator[Cluster]:
    with s3_server.relayed() as relay:
        cluster = Cluster(tmp_path, s3_server, relay)
        yield cluster
        for service in cluster.services.values():
            service.close()


@pytest.fixture
def third(
    cluster: Cluster, s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Store, HandClock]]:
    """A node of this process, whose time can be moved on."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    objects = open_objects(parse_place(cluster.url), tmp_path / "cache", CACHE_BYTES)
    clock = HandClock(system_clock())
    store = make_store(tmp_path / "third", objects=objects, clock=clock)
    store.sweeper._stopwatch = clock
    with opened(store):
        yield store, clock


@contextmanager
def asleep(node: Service) -> Iterator[None]:
    node.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        node.signal(signal.SIGCONT)


def merge_everything(node: Service) -> None:
    answer = ask(node, "POST", "/api/admin/compact", json={"env": "default"}).raise_for_status()
    assert answer.json()["blocks_after"] < answer.json()["blocks_before"]


def clean_up_behind(store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> int:
    """Delete the files of merged blocks and all commits that a checkpoint sums up; returns how many blocks went."""
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 0)
    assert store.sweeper.delete_files() == 0
    clock.time_ns += GRACE_NS + NS_PER_DAY
    deleted = store.sweeper.delete_files()
    for _ in range(2):
        store.catalog.refresh()
        upkeep.write_checkpoint(store.catalog, store.objects)
        store.catalog.name_fields()
    return deleted


def test_a_node_that_slept_while_everything_was_merged_and_cleaned_up(
    cluster: Cluster, third: tuple[Store, HandClock], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = cluster.run("one"), cluster.run("two")
    for _ in range(3):
        cluster.keep(one)
        cluster.keep(two)
    await_everything(cluster, two)
    cluster.send(two)
    first_commits = cluster.list_objects(".json")
    with asleep(two):
        for _ in range(4):
            cluster.keep(one)
        merge_everything(one)
        assert clean_up_behind(*third, monkeypatch) > 0
        assert set(first_commits) - set(cluster.list_objects(".json"))
    # What it knows is no longer there, what it holds is not flushed yet, and neither may be lost.
    cluster.send(two)
    two.flush()
    for node in (one, two):
        await_everything(cluster, node)
    cluster.keep(two)
    await_everything(cluster, one)


def test_a_node_that_slept_in_the_middle_of_a_merge_does_not_undo_the_others(
    cluster: Cluster,
) -> None:
    """It holds the lease when it falls asleep, and goes on with its merge when it wakes up."""
    one, two = cluster.run("one"), cluster.run("two")
    for _ in range(4):
        cluster.keep(one)
    await_everything(cluster, two)
    cluster.relay.holds = hold_first_block()
    two._client.timeout = httpx.Timeout(0.5)
    with pytest.raises(httpx.TimeoutException):
        ask(two, "POST", "/api/admin/compact", json={"env": "default"})
    assert cluster.relay.reached.wait(30)
    with asleep(two):
        for _ in range(2):
            cluster.keep(one)
        merge_everything(one)
        blocks = count_blocks(one)
        cluster.relay.holds = lambda _method, _path: False
    two._client.timeout = httpx.Timeout(60)
    # Waits for the merge that is under way.
    assert count_blocks(two) <= blocks
    for node in (one, two):
        await_everything(cluster, node)


def hold_first_block() -> Rule:
    """The block that is written first, and no other one."""
    held: list[str] = []

    def holds(method: str, path: str) -> bool:
        if method == "PUT" and path.endswith(".parquet") and not held:
            held.append(path)
        return path in held

    return holds


def count_blocks(node: Service) -> int:
    answer = ask(node, "POST", "/api/admin/compact", json={"env": "default"}).raise_for_status()
    blocks: int = answer.json()["blocks_after"]
    return blocks

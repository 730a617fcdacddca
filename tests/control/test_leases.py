"""Leases: one node at a time, also when nodes die, stall, or race."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Corrupt, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket
from logboom.control.registry.leases import KEPT_NUMBERS, Leases

LEASE_SECS = 300
SOURCE = "01hf8example"


class Cluster:
    """Nodes on one store, with a clock that stands where it is put."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.objects = LocalObjects(root)
        self.now_ns = 1_700_000_000 * NS_PER_S

    def join(self, node: str) -> Leases:
        return Leases(self.objects, "sources", node, LEASE_SECS, lambda: self.now_ns)

    def wait(self, seconds: float) -> None:
        self.now_ns += int(seconds * NS_PER_S)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path / "store")


def test_while_one_node_reads_no_other_may(cluster: Cluster) -> None:
    one, two = cluster.join("one"), cluster.join("two")
    assert one.take(SOURCE)
    assert not two.take(SOURCE)
    assert two.take("another")
    assert one.keep(SOURCE)
    assert not two.keep(SOURCE)
    one.release(SOURCE)
    assert not one.keep(SOURCE)
    assert two.take(SOURCE)
    assert not one.take(SOURCE)


def test_a_lease_that_was_left_is_reclaimed_when_its_time_is_over(cluster: Cluster) -> None:
    assert cluster.join("dead").take(SOURCE)
    alive = cluster.join("alive")
    cluster.wait(LEASE_SECS - 1)
    assert not alive.take(SOURCE)
    cluster.wait(1)
    assert alive.take(SOURCE)


def test_a_node_that_starts_again_has_its_own_lease_at_once(cluster: Cluster) -> None:
    assert cluster.join("one").take(SOURCE)
    again = cluster.join("one")
    assert not again.keep(SOURCE)
    assert again.take(SOURCE)
    assert again.keep(SOURCE)


def test_a_long_run_renews_its_lease(cluster: Cluster) -> None:
    one, two = cluster.join("one"), cluster.join("two")
    assert one.take(SOURCE)
    for _ in range(20):
        cluster.wait(LEASE_SECS / 2)
        assert one.keep(SOURCE)
        assert not two.take(SOURCE)
    assert len(cluster.objects.list(f"leases/sources/{SOURCE}")) <= KEPT_NUMBERS


def test_a_node_that_stalled_stops_when_another_took_over(cluster: Cluster) -> None:
    one, two = cluster.join("one"), cluster.join("two")
    assert one.take(SOURCE)
    cluster.wait(LEASE_SECS + 1)
    assert two.take(SOURCE)
    assert not one.keep(SOURCE)
    assert two.keep(SOURCE)
    one.release(SOURCE)
    assert two.keep(SOURCE)


def test_a_node_that_stalled_does_not_release_what_another_took_over(cluster: Cluster) -> None:
    one, two, three = map(cluster.join, ("one", "two", "three"))
    assert one.take(SOURCE)
    cluster.wait(LEASE_SECS + 1)
    assert two.take(SOURCE)
    one.release(SOURCE)
    assert not three.take(SOURCE)


def test_a_node_that_stalled_while_it_took_a_lease_does_not_have_it(cluster: Cluster) -> None:
    """Its number was used and deleted meanwhile."""

    class Stalling(LocalObjects):
        def put_new(self, name: str, data: bytes) -> None:
            for number in range(KEPT_NUMBERS + 2):
                assert cluster.join(f"other {number}").take(SOURCE)
                cluster.wait(LEASE_SECS + 1)
            super().put_new(name, data)

    assert cluster.join("one").take(SOURCE)
    cluster.wait(LEASE_SECS + 1)
    stalled = Leases(
        Stalling(cluster.root), "sources", "stalled", LEASE_SECS, lambda: cluster.now_ns
    )
    assert not stalled.take(SOURCE)


def test_a_node_that_stalled_stops_also_when_the_other_has_ended_by_now(cluster: Cluster) -> None:
    one, two = cluster.join("one"), cluster.join("two")
    assert one.take(SOURCE)
    cluster.wait(LEASE_SECS + 1)
    assert two.take(SOURCE)
    two.release(SOURCE)
    assert not one.keep(SOURCE)
    assert one.take(SOURCE)


def test_a_stall_that_nobody_used_does_not_end_a_run(cluster: Cluster) -> None:
    one = cluster.join("one")
    assert one.take(SOURCE)
    cluster.wait(LEASE_SECS * 2)
    assert one.keep(SOURCE)


def test_without_the_store_a_lease_counts_for_two_thirds_of_its_time(cluster: Cluster) -> None:
    one = cluster.join("one")
    assert one.take(SOURCE)
    cluster.root.rename(cluster.root.with_name("gone"))
    cluster.root.write_bytes(b"not a directory")
    cluster.wait(LEASE_SECS / 2)
    assert one.keep(SOURCE)
    cluster.wait(LEASE_SECS / 4)
    assert not one.keep(SOURCE)
    with pytest.raises(Unavailable, match="unreachable"):
        one.take(SOURCE)


def test_a_damaged_lease_is_said_with_its_place(cluster: Cluster) -> None:
    assert cluster.join("one").take(SOURCE)
    (cluster.root / "leases" / "sources" / SOURCE / "000000000001").write_bytes(b"{}")
    with pytest.raises(Corrupt, match=f"leases/sources/{SOURCE}/000000000001"):
        cluster.join("two").take(SOURCE)


def test_of_many_nodes_that_want_it_at_once_one_has_it(
    store_place: Path | Bucket, tmp_path: Path
) -> None:
    objects = open_objects(store_place, tmp_path / "unused", 1)
    nodes = [
        Leases(objects, "sources", f"node-{number}", LEASE_SECS, lambda: NS_PER_S)
        for number in range(8)
    ]
    for _ in range(5):
        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(lambda node: node.take(SOURCE), nodes))
        assert sum(won) == 1
        nodes[won.index(True)].release(SOURCE)

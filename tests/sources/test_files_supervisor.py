"""The supervisor: polls as the records say, one node at a time."""

import asyncio
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest
from tests.running import JWT_SECRET
from tests.store.stores import HandClock, copy_directory, make_store, opened, read_rows

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, NotFound
from logboom.base.process.offload import Offload
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.control.saved.sources import Source
from logboom.ingest.sink import Sink
from logboom.sources.files import passes, reading
from logboom.sources.files.identity import HEAD_BYTES
from logboom.sources.files.marks import KEPT_NS, REVIEW_NS
from logboom.sources.files.poll import PollerServices
from logboom.sources.files.supervisor import SourceSupervisor
from logboom.sources.roots import Roots

LEASE_S = 300


class Node:
    """A node of a shared store."""

    def __init__(self, root: Path, name: str, clock: HandClock, runner: asyncio.Runner) -> None:
        self.clock = clock
        self._runner = runner
        objects = LocalObjects(root / "shared")
        self.control = Control.open(objects, None, JWT_SECRET, clock)
        self.store = make_store(root / name, objects=objects, clock=clock)
        self.store.open()
        self.leases = Leases(objects, "sources", self.store.node, LEASE_S, clock)
        self._offload = Offload(2, name)
        self.supervisor = runner.run(self._make())

    async def _make(self) -> SourceSupervisor:
        sink = Sink(self.store, self._offload, 8, self.clock)
        means = PollerServices(sink, self.store, self._offload, Roots([Path("/")]), self.clock)
        return SourceSupervisor(self.control, self.leases, means)

    def follow(self) -> None:
        """Follow the records, and wait for the polls that this begins."""
        self._runner.run(self._follow())

    async def _follow(self) -> None:
        await self.supervisor.follow()
        polls = [poll for each in self.supervisor._watched.values() for poll in each.polls]
        if polls:
            await asyncio.wait(polls)

    def run(self, source: Source) -> None:
        self._runner.run(self.supervisor.run(source.id))

    @property
    def messages(self) -> list[str]:
        self.store.flush().result()
        self.store.refresh()
        return list(read_rows(self.store)["message"])

    def close(self) -> None:
        self._runner.run(self.supervisor.close())
        self.store.close()
        self._offload.close()


class Cluster:
    """Two nodes, and a directory of logs that both can read."""

    def __init__(self, root: Path) -> None:
        self.logs = root / "logs"
        self.logs.mkdir()
        self.clock = HandClock()
        self._runner = asyncio.Runner()
        self.one = Node(root, "one", self.clock, self._runner)
        self.two = Node(root, "two", self.clock, self._runner)

    def create(self, **members: object) -> Source:
        members = {"name": "logs", "path": f"{self.logs}/*.log", "format": "text", **members}
        return self.one.control.sources.create(members, lambda _: None)

    def update(self, source: Source, **changes: object) -> None:
        self.one.control.sources.update(source.id, changes, lambda _: None)

    def write(self, name: str, *lines: str) -> None:
        with (self.logs / name).open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    def pass_time(self, seconds: float) -> None:
        self.clock.time_ns += int(seconds * NS_PER_S)

    def close(self) -> None:
        self.one.close()
        self.two.close()
        self._runner.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


def test_a_source_is_polled_at_once_and_then_at_its_interval(cluster: Cluster) -> None:
    source = cluster.create(poll_interval_secs=20)
    cluster.write("a.log", "a")
    cluster.one.follow()
    assert cluster.one.messages == ["a"]
    cluster.write("a.log", "b")
    cluster.pass_time(19)
    cluster.one.follow()
    assert cluster.one.messages == ["a"]
    cluster.pass_time(1)
    cluster.one.follow()
    assert cluster.one.messages == ["a", "b"]
    status = cluster.one.supervisor.find_status(source.id)
    assert (status.last_run_ns, status.total_ingested) == (cluster.clock.time_ns, 2)


def test_a_source_that_is_off_is_polled_only_when_asked(cluster: Cluster) -> None:
    source = cluster.create(enabled=False)
    cluster.write("a.log", "a")
    cluster.one.follow()
    assert cluster.one.messages == []
    assert cluster.one.supervisor.find_status(source.id).last_run_ns is None
    cluster.one.run(source)
    cluster.one.run(source)
    assert cluster.one.messages == ["a"]
    assert cluster.two.leases.take(source.id)


def test_files_that_nobody_else_has_read_since_are_not_opened_again(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = cluster.create(enabled=False)
    cluster.two.control.refresh()
    cluster.write("a.log", "a")
    cluster.one.run(source)
    opened_paths: list[str] = []
    open_file = Roots.open_file

    def watch(roots: Roots, path: str) -> FileIO:
        opened_paths.append(path)
        return open_file(roots, path)

    monkeypatch.setattr(Roots, "open_file", watch)
    cluster.one.run(source)
    assert opened_paths == []
    cluster.write("b.log", "b")
    cluster.two.run(source)
    opened_paths.clear()
    cluster.one.run(source)
    assert sorted(map(os.path.basename, opened_paths)) == ["a.log", "b.log"]
    assert sorted(cluster.one.messages) == ["a", "b"]


def test_a_changed_record_counts_from_the_next_poll(cluster: Cluster) -> None:
    source = cluster.create()
    cluster.write("a.log", "a")
    cluster.one.follow()
    cluster.update(source, path=f"{cluster.logs}/*", exclude=["*.old"])
    cluster.write("b.txt", "b")
    cluster.write("c.old", "c")
    cluster.one.follow()
    assert cluster.one.messages == ["a", "b"]
    assert cluster.one.supervisor.find_status(source.id).total_ingested == 2
    cluster.one.control.sources.reset(source.id)
    cluster.one.follow()
    assert sorted(cluster.one.messages) == ["a", "a", "b", "b"]


@pytest.mark.parametrize("way", ["delete", "disable"])
def test_a_source_that_is_no_more_is_left_to_others(cluster: Cluster, way: str) -> None:
    source = cluster.create()
    cluster.write("a.log", "a")
    cluster.one.follow()
    assert not cluster.two.leases.take(source.id)
    if way == "delete":
        cluster.one.control.sources.delete(source.id)
    else:
        cluster.update(source, enabled=False)
    cluster.write("a.log", "b")
    cluster.pass_time(60)
    cluster.one.follow()
    assert cluster.one.messages == ["a"]
    assert cluster.two.leases.take(source.id)


def test_only_one_node_reads_a_source(cluster: Cluster) -> None:
    source = cluster.create()
    cluster.write("a.log", "a")
    cluster.one.follow()
    cluster.two.control.refresh()
    cluster.two.follow()
    with pytest.raises(Conflict, match="another node"):
        cluster.two.run(source)
    assert cluster.one.messages == ["a"]
    assert cluster.two.supervisor.find_status(source.id).last_run_ns is None


def test_the_next_node_goes_on_where_the_one_before_has_stopped(cluster: Cluster) -> None:
    source = cluster.create()
    cluster.write("a.log", "a", "b")
    cluster.one.follow()
    cluster.one._runner.run(cluster.one.supervisor.close())
    cluster.write("a.log", "c")
    cluster.two.control.refresh()
    cluster.two.run(source)
    assert sorted(cluster.two.messages) == ["a", "b", "c"]


def test_what_a_source_has_brought_is_counted_over_restarts_and_nodes(cluster: Cluster) -> None:
    source = cluster.create(enabled=False, format="ndjson")
    cluster.two.control.refresh()
    cluster.write("a.log", '{"n":1}', "no event", '{"n":2}')
    cluster.one.run(source)
    assert cluster.one.supervisor.find_status(source.id).total_ingested == 2
    cluster.two.store.refresh()
    assert cluster.two.supervisor.find_status(source.id).total_ingested == 2
    cluster.write("a.log", '{"n":3}')
    cluster.two.run(source)
    cluster.one.store.refresh()
    cluster.one.supervisor = cluster.one._runner.run(cluster.one._make())
    assert cluster.one.supervisor.find_status(source.id).total_ingested == 3


def test_nodes_that_read_in_turn_read_each_line_once(cluster: Cluster) -> None:
    source = cluster.create(enabled=False)
    cluster.two.control.refresh()
    for number, node in enumerate((cluster.one, cluster.two, cluster.one, cluster.two)):
        cluster.write("a.log", str(number))
        node.run(source)
    assert sorted(cluster.one.messages) == sorted(cluster.two.messages) == ["0", "1", "2", "3"]


def test_a_node_that_has_lost_its_lease_stops_before_its_next_delivery(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "BATCH_LINES", 10)
    monkeypatch.setattr(reading, "PIECE_LINES", 10)
    source = cluster.create()
    cluster.write("a.log", *(f"line {number}" for number in range(30)))
    ingest = Sink.ingest

    async def lose(*arguments: object) -> object:
        receipt = await ingest(*arguments)  # type: ignore[arg-type]
        cluster.pass_time(LEASE_S + 1)
        assert cluster.two.leases.take(source.id)
        return receipt

    monkeypatch.setattr(Sink, "ingest", lose)
    cluster.one.follow()
    assert len(cluster.one.messages) == 10
    status = cluster.one.supervisor.find_status(source.id)
    assert (status.last_status, status.last_error) == (
        "error",
        "another node reads this source now",
    )


def test_what_cannot_be_read_is_said_and_stops_no_other_source(cluster: Cluster) -> None:
    cluster.one.control.environments.create("gone")
    lost = cluster.create(environment="gone")
    bad = cluster.create(path="/logs/[z-a]*")
    good = cluster.create()
    cluster.one.control.environments.delete("gone")
    cluster.write("a.log", "a")
    cluster.one.follow()
    errors = [
        cluster.one.supervisor.find_status(source.id).last_error for source in (lost, bad, good)
    ]
    assert "unknown environment 'gone'" in errors[0]
    assert "[z-a]" in errors[1]
    assert errors[2] == ""
    assert cluster.one.messages == ["a"]


def test_what_was_never_there_is_not_found(cluster: Cluster) -> None:
    with pytest.raises(NotFound):
        cluster.one._runner.run(cluster.one.supervisor.run("none"))


def test_those_who_poll_at_once_take_turns(cluster: Cluster) -> None:
    source = cluster.create()
    cluster.write("a.log", *map(str, range(100)))

    async def poll_at_once() -> None:
        supervisor = cluster.one.supervisor
        await asyncio.gather(supervisor.follow(), *(supervisor.run(source.id) for _ in range(8)))

    cluster.one._runner.run(poll_at_once())
    cluster.update(source, name="other")
    cluster.one._runner.run(poll_at_once())
    assert cluster.one.messages == list(map(str, range(100)))


def test_marks_of_a_source_that_is_no_more_end_after_a_while(cluster: Cluster) -> None:
    source, other = cluster.create(), cluster.create(name="other")
    cluster.write("a.log", "a")
    cluster.one.follow()
    cluster.one.control.sources.delete(source.id)
    cluster.one.follow()
    cluster.two.control.refresh()
    cluster.pass_time((KEPT_NS - REVIEW_NS) / NS_PER_S)
    cluster.two.follow()
    assert cluster.two.store.list_marks(source.id)
    cluster.pass_time(REVIEW_NS / NS_PER_S)
    cluster.two.follow()
    assert not cluster.two.store.list_marks(source.id)
    assert cluster.two.store.list_marks(other.id)
    assert cluster.two.messages == ["a", "a"]


@pytest.mark.parametrize("way", ["dies", "hangs"])
def test_a_node_that_comes_back_does_not_undo_how_far_the_next_one_has_read(
    cluster: Cluster, tmp_path: Path, way: str
) -> None:
    source = cluster.create()
    cluster.two.control.refresh()
    head = "x" * HEAD_BYTES  # so that a file's marks keep their names while it grows
    cluster.write("a.log", head, "a")
    cluster.one.follow()
    cluster.pass_time(LEASE_S + 1)
    left = copy_directory(tmp_path / "one", tmp_path / "left")
    cluster.write("a.log", "b")
    cluster.two.run(source)
    assert cluster.two.messages == [head, "a", "b"]
    if way == "dies":
        objects = LocalObjects(tmp_path / "shared")
        with opened(make_store(left, objects=objects, clock=cluster.clock)) as again:
            again.flush().result()
    else:
        cluster.one.store.flush().result()
    assert sorted(cluster.two.messages) == ["a", "a", "b", head, head]
    cluster.write("a.log", "c")
    cluster.two.supervisor = cluster.two._runner.run(cluster.two._make())
    cluster.two.run(source)
    assert sorted(cluster.two.messages) == ["a", "a", "b", "c", head, head]
    if way == "dies":
        return  # its successor has taken over its name for good
    cluster.two._runner.run(cluster.two.supervisor.close())
    cluster.write("a.log", "d")
    cluster.one.run(source)
    assert sorted(cluster.one.messages) == ["a", "a", "b", "c", "d", head, head]

"""A node that is killed and never comes back: its log is carried over or given up, and its name ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.process.service import Service, ServiceDiedError
from tests.process.shared import SharedStore
from tests.store.stores import HandClock
from tests.waiting import poll_until
from typer.testing import CliRunner, Result

from logboom.base.clock import NS_PER_S, system_clock
from logboom.base.stores.local import LocalObjects
from logboom.cli.choice import choose_app
from logboom.control.documents.cipher import AesCipher
from logboom.control.documents.secrets import read_secret
from logboom.control.documents.store import Documents
from logboom.control.registry.nodes import Node, Nodes

pytestmark = [pytest.mark.process]

EVENT = b'{"message":"acknowledged and not yet flushed"}\n'


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedStore]:
    shared = SharedStore(tmp_path)
    for name, value in shared.settings.items():
        monkeypatch.setenv(name, value)
    yield shared
    shared.close()


def kill_with_an_event(shared: SharedStore) -> tuple[Service, Service, str]:
    """A node that stays, one that is gone with an event in its log, and that one's name."""
    left = shared.start("left", {"SERVICE_BLOCK_FLUSH_SECS": "3600"})
    stays = shared.start("stays", {})
    assert left.ingest(EVENT).status_code == 200
    left.kill9()
    return stays, left, (left.data / "node").read_text()


def age(tmp_path: Path, node: str) -> None:
    """Let it be long ago that the node was heard of."""
    cipher = AesCipher(read_secret(tmp_path / "control-key"))
    long_ago = HandClock(system_clock() - 3600 * NS_PER_S)
    nodes = Nodes(Documents(LocalObjects(tmp_path / "store"), cipher), long_ago)
    nodes.announce(node, Node("0.1", 0, long_ago()))


def forget(*arguments: object) -> Result:
    words = ["admin", "forget-node", *map(str, arguments)]
    return CliRunner().invoke(choose_app(words), words)


def count(service: Service) -> int:
    rows = service.search("acknowledged | stats count as n")["rows"]
    return int(rows[0]["n"])


def list_nodes(service: Service) -> list[str]:
    status = service.call("GET", "/api/admin/status").raise_for_status().json()
    return [each["node"] for each in status["nodes"]]


def test_a_log_is_carried_over(shared: SharedStore, tmp_path: Path) -> None:
    stays, left, node = kill_with_an_event(shared)
    refused = forget(node, "--wal", left.data)
    assert "less than five minutes ago" in str(refused.exception)
    age(tmp_path, node)
    wrong = forget("00000000", "--wal", left.data)
    assert f"the data directory of node {node}" in str(wrong.exception)

    done = forget(node, "--wal", left.data)
    assert done.exit_code == 0, done.exception
    assert "all events of its log are in the store" in done.output
    poll_until(lambda: count(stays) == 1, "the event of the node that is gone")
    with pytest.raises(ServiceDiedError):
        left.start()
    assert "another data directory works as node" in left.log.read_text()
    # A node hears of others when it says that it is there, which is when it starts.
    stays.stop()
    stays.start()
    poll_until(lambda: node not in list_nodes(stays), "the list without the node")
    assert count(stays) == 1


def test_a_log_is_given_up(shared: SharedStore, tmp_path: Path) -> None:
    stays, left, node = kill_with_an_event(shared)
    age(tmp_path, node)
    done = forget(node, "--give-up-wal")
    assert done.exit_code == 0, done.exception
    assert "are lost" in done.output
    with pytest.raises(ServiceDiedError):
        left.start()
    assert stays.ingest(EVENT).status_code == 200
    poll_until(lambda: count(stays) == 1, "the event of the node that stays")


def test_what_cannot_be_is_refused(shared: SharedStore, tmp_path: Path) -> None:
    service = shared.start("only", {})
    node = (service.data / "node").read_text()
    assert "expected either --wal" in str(forget(node).exception)
    assert "expected either --wal" in str(forget(node, "--give-up-wal", "--wal", "x").exception)
    assert "expected one of" in str(forget("00000000", "--give-up-wal").exception)
    age(tmp_path, node)
    assert "is not the data directory of a node" in str(
        forget(node, "--wal", tmp_path / "nowhere").exception
    )
    # It is there, although nobody has heard of it.
    locked = forget(node, "--wal", service.data)
    assert locked.exit_code != 0
    assert service.ingest(EVENT).status_code == 200
    poll_until(lambda: count(service) == 1, "the event of a node that was not forgotten")

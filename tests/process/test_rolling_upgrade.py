"""Nodes of the last release are replaced one by one, while events arrive at all of them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from release.bundle import ROOT
from tests.process.checks import check_everything
from tests.process.conftest import print_log_tail
from tests.process.ledger import Ledger
from tests.process.load import Load, send_again
from tests.process.service import Service
from tests.process.shared import SharedStore
from tests.release.roots import CommandService
from tests.waiting import poll_until

FIRST_RELEASE = "674a845c3"
"""The commit of 0.1.0."""
BATCHES = 200
pytestmark = [pytest.mark.soak, pytest.mark.process, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def last_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the last release: LOGBOOM_LAST_RELEASE, or built from the history of the project."""
    if installed := os.environ.get("LOGBOOM_LAST_RELEASE"):
        return Path(installed)
    folder = tmp_path_factory.mktemp("last") / "logboom"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    if subprocess.run(["git", "checkout", "-q", FIRST_RELEASE], cwd=folder, check=False).returncode:
        pytest.skip("this clone has no history back to the last release")
    subprocess.run(["make", ".venv/.runtime"], cwd=folder, check=True)
    return folder / ".venv" / "bin" / "logboom"


class Nodes:
    """Nodes on one shared store, each with a data directory that survives its programs."""

    def __init__(self, root: Path, last_release: Path) -> None:
        self._root = root
        self._last_release = last_release
        self._settings = SharedStore(root).settings | {"SERVICE_CHECKPOINT_COMMITS": "10"}
        self.running: dict[str, Service] = {}

    def start_old(self, name: str) -> Service:
        """A node of the last release."""
        data = self._root / name
        node = CommandService([str(self._last_release)], data, data, self._root / f"{name}.log")
        node.settings = self._settings
        return self._start(name, node)

    def start_new(self, name: str) -> Service:
        """A node of this version, on the data directory of the one of that name."""
        self.running[name].close()
        node = Service(self._root / name, self._root / f"{name}.log", self._settings)
        return self._start(name, node)

    def _start(self, name: str, node: Service) -> Service:
        self.running[name] = node
        node.start()
        return node

    def close(self) -> None:
        for node in self.running.values():
            node.close()
            print_log_tail(node.log)


@pytest.fixture
def nodes(tmp_path: Path, last_release: Path) -> Iterator[Nodes]:
    nodes = Nodes(tmp_path, last_release)
    yield nodes
    nodes.close()


def load(ledger: Ledger, *receivers: Service) -> None:
    """Send to all of them for a while, as a new cycle."""
    ledger.cycle += 1
    enough = len(ledger.batches) + BATCHES
    with ExitStack() as loads:
        for node in receivers:
            loads.enter_context(Load(node, ledger))
        poll_until(lambda: len(ledger.batches) > enough, "enough batches")


def check_all(ledger: Ledger, *askers: Service) -> None:
    """Each of them finds what all have taken."""
    for node in askers:
        node.flush()
    poll_until(lambda: len({count(node) for node in askers}) == 1, "the events of the others")
    for node in askers:
        check_everything(node, ledger)


def count(node: Service) -> int:
    return int(node.search("| stats count as n")["rows"][0]["n"])


def test_no_event_is_lost_and_senders_are_never_refused(nodes: Nodes, ledger: Ledger) -> None:
    one, two = nodes.start_old("one"), nodes.start_old("two")
    load(ledger, one, two)
    check_all(ledger, one, two)

    assert one.stop() == 0
    one = nodes.start_new("one")
    load(ledger, one, two)
    two.flush()
    check_all(ledger, one)
    # What this version writes cannot be searched by 0.1: it says so, and takes events all the same.
    answer = two.post("/api/search", {"query": "| stats count"})
    assert answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR
    load(ledger, one, two)

    two.kill9()
    two = nodes.start_new("two")
    send_again(two, ledger)
    load(ledger, one, two)
    check_all(ledger, one, two)
    assert not any(status >= 500 for status in ledger.statuses)

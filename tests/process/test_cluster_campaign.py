"""Three nodes on a bucket with a cluster of workers, all of which die, sleep and fail at random under load.

Whatever happens, a node answers what was sent before as it was sent, says that it cannot, or says what is missing; and in
the end every node has every acknowledged event once.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx
import pytest
from tests.buckets import Relay, S3Server
from tests.engine.cluster.running import Machines, machines
from tests.process.checks import check_cycle
from tests.process.conftest import print_log_tail
from tests.process.ledger import Ledger
from tests.process.load import Load, send_again
from tests.process.service import Service
from tests.process.test_bucket_store import Cluster
from tests.waiting import poll_until

pytestmark = [
    pytest.mark.soak,
    pytest.mark.process,
    pytest.mark.crash,
    pytest.mark.timeout(4 * 3600),
]

NODES = ("one", "two", "three")
WORKERS = 2
LONGEST_S = 2.0
SETTINGS = {
    "SERVICE_BLOCK_FLUSH_SECS": 1,
    "SERVICE_BLOCK_FLUSH_ROWS": 5000,
    "SERVICE_CHECKPOINT_COMMITS": 5,
    "SERVICE_COMPACTION": "on",
    "SERVICE_DASK_LEAST_MB": 0,
    "SERVICE_DASK_COMPACTION": "on",
}


class Scene(NamedTuple):
    """Everything that may fail."""

    random: Random
    nodes: list[Service]
    machines: Machines
    relay: Relay

    def heal(self) -> None:
        """Let everything run again."""
        self.relay.is_cut = self.relay.is_torn = False
        self.relay.delay_s = 0
        self.relay.loses = lambda _method, _path: False
        self.machines.repair(WORKERS)
        for node in self.nodes:
            if not node.is_running:
                node.close()
                node.start()


def kill_node(scene: Scene) -> None:
    scene.random.choice(scene.nodes).kill9()


def pause_node(scene: Scene) -> None:
    node = scene.random.choice(scene.nodes)
    node.signal(signal.SIGSTOP)
    time.sleep(scene.random.uniform(0, LONGEST_S))
    node.signal(signal.SIGCONT)


def kill_worker(scene: Scene) -> None:
    scene.random.choice(scene.machines.workers).kill()


def pause_worker(scene: Scene) -> None:
    scene.random.choice(scene.machines.workers).pause()


def kill_scheduler(scene: Scene) -> None:
    assert scene.machines.scheduler
    scene.machines.scheduler.kill()


def cut_bucket(scene: Scene) -> None:
    scene.relay.is_cut = True


def tear_answers(scene: Scene) -> None:
    scene.relay.is_torn = True


def slow_bucket(scene: Scene) -> None:
    scene.relay.delay_s = 0.3


def lose_answers(scene: Scene) -> None:
    scene.relay.loses = lambda method, _path: method == "PUT"


DISASTERS: tuple[Callable[[Scene], None], ...] = (
    kill_node,
    pause_node,
    kill_worker,
    pause_worker,
    kill_scheduler,
    cut_bucket,
    tear_answers,
    slow_bucket,
    lose_answers,
)


class Asking:
    """Asks every node about an earlier cycle, again and again, until left."""

    def __init__(self, nodes: list[Service], cycle: int, expected: list[object]) -> None:
        self._nodes = nodes
        self._query = make_query(cycle)
        self._expected = expected
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self.wrong: list[object] = []
        self.right = 0

    def __enter__(self) -> "Asking":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stopped.set()
        self._thread.join()
        assert not self.wrong, self.wrong[:3]

    def _ask(self) -> None:
        while not self._stopped.is_set():
            for number, node in enumerate(self._nodes):
                # Named anew each time, so that no node only repeats itself.
                query = f"{self._query} | eval asked={time.monotonic_ns()} | fields - asked"
                try:
                    answer = node.post("/api/search", {"query": query})
                except httpx.TransportError:
                    continue
                self._judge(number, answer)

    def _judge(self, number: int, answer: httpx.Response) -> None:
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            return
        content = answer.json()
        if answer.status_code == httpx.codes.OK and not content["complete"]:
            assert content["warnings"], content
        elif answer.status_code != httpx.codes.OK or content["rows"] != self._expected:
            self.wrong.append((number, answer.status_code, content))
        else:
            self.right += 1


def make_query(cycle: int) -> str:
    first = cycle * len(NODES)
    return (
        f"cycle:[{first}, {first + len(NODES) - 1}] | stats count as n, sum(place) as places, "
        "dc(message) as messages, max(http.took_ms) as took by cycle | sort cycle"
    )


@pytest.fixture
def scene(s3_server: S3Server, tmp_path: Path, seed: str) -> Iterator[Scene]:
    with ExitStack() as stack:
        relay = stack.enter_context(s3_server.relayed())
        running = stack.enter_context(machines(tmp_path, WORKERS, relay.environment))
        cluster = Cluster(tmp_path, s3_server, relay)
        nodes = []
        for name in NODES:
            node = cluster.make(name, **SETTINGS, SERVICE_DASK_SCHEDULER=running.address)
            stack.callback(node.close)
            stack.callback(print_log_tail, node.log)
            node.start()
            nodes.append(node)
        yield Scene(Random(seed), nodes, running, relay)


@pytest.mark.parametrize("cycles", [10, 200])
def test_three_nodes_and_their_workers_survive_everything(
    scene: Scene, seed: str, cycles: int
) -> None:
    # Keys of requests are known to the node that took them: each has a ledger of its own.
    ledgers = [Ledger(f"run-{seed}-{name}") for name in NODES]
    expected: list[object] = []
    askings: list[Asking] = []
    for cycle in range(cycles):
        strike = scene.random.choice(DISASTERS)
        sys.stdout.write(f"cycle {cycle}: {strike.__name__}\n")
        with ExitStack() as running:
            if expected:
                askings.append(running.enter_context(Asking(scene.nodes, cycle - 1, expected)))
            for number, (node, ledger) in enumerate(zip(scene.nodes, ledgers, strict=True)):
                ledger.cycle = cycle * len(NODES) + number
                running.enter_context(Load(node, ledger))
            time.sleep(scene.random.uniform(0, LONGEST_S))
            strike(scene)
            time.sleep(scene.random.uniform(0, LONGEST_S))
        scene.heal()
        for node, ledger in zip(scene.nodes, ledgers, strict=True):
            send_again(node, ledger)
        expected = agree(scene.nodes, cycle)
    assert sum(asking.right for asking in askings) >= cycles
    for node in scene.nodes:
        check_ledgers(node, ledgers)


def agree(nodes: list[Service], cycle: int) -> list[object]:
    """What all nodes say about a cycle, once they have seen each other's blocks."""
    for node in nodes:
        node.flush()
    answers: list[list[object]] = []

    def are_equal() -> bool:
        answers[:] = [node.search(make_query(cycle))["rows"] for node in nodes]
        return all(answer == answers[0] for answer in answers)

    poll_until(are_equal, "equal answers")
    return answers[0]


def check_ledgers(node: Service, ledgers: list[Ledger]) -> None:
    """All is well with what every cycle sent to every node, and there is nothing else."""
    found = sum(
        check_cycle(node, ledger, cycle)
        for ledger in ledgers
        for cycle in sorted({batch.cycle for batch in ledger.batches})
    )
    (row,) = node.search("| stats count")["rows"]
    assert row == {"count": found}

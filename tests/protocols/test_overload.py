"""A tiny writer queue and clients that do as they are told: nothing is lost, nothing comes twice."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.protocols.seeds import list_seeds
from tests.running import RunningService

CLIENTS = 5
"""Of each protocol."""
REQUESTS = 4
EVENTS = 50
PROTOCOLS = list(list_seeds(range(1)))
BUSY_WORDS = {
    "bulk": b'"type":"circuit_breaking_exception"',
    "otlp": b"the writer queue is full",
    "push": b"the writer queue is full",
    "collector": b'"code":9',
    "journal": b"the writer queue is full",
}


class Obedient:
    """A client that sends a request again, after as long as it was told to wait, until it is taken."""

    def __init__(self, service: RunningService, env: str) -> None:
        self._client = httpx.Client(base_url=service.anonymous.base_url, timeout=30.0, verify=False)
        self._env = env
        self.refusals = 0

    def close(self) -> None:
        self._client.close()

    def send(self, protocol: str, numbers: range) -> None:
        seed = list_seeds(numbers)[protocol][0]
        for _ in range(200):
            answer = self._client.post(
                seed.path, content=seed.body, headers=dict(seed.headers), params={"env": self._env}
            )
            if answer.status_code != 429:
                assert answer.status_code in (200, 202, 204), answer.text
                return
            self.refusals += 1
            assert BUSY_WORDS[protocol] in answer.content
            time.sleep(int(answer.headers["retry-after"]))
        pytest.fail("refused 200 times")


def test_obedient_clients_lose_nothing_and_send_nothing_twice(
    start_service: Callable[..., RunningService],
) -> None:
    service = start_service(queue_cap=1)
    refused_before = count_overloads(service)
    gate = threading.Barrier(CLIENTS * len(PROTOCOLS))

    def work(client: int) -> tuple[str, int]:
        protocol = PROTOCOLS[client % len(PROTOCOLS)]
        obedient = Obedient(service, "default")
        gate.wait()
        for request in range(REQUESTS):
            first = (client * REQUESTS + request) * EVENTS
            obedient.send(protocol, range(first, first + EVENTS))
        obedient.close()
        return protocol, obedient.refusals

    clients = range(CLIENTS * len(PROTOCOLS))
    refusals: Counter[str] = Counter()
    with ThreadPoolExecutor(len(clients)) as pool:
        for protocol, refused in pool.map(work, clients):
            refusals[protocol] += refused
    assert set(refusals) == set(PROTOCOLS)
    assert all(refusals.values()), refusals
    service.flush()
    table = service.search("* | stats count by n | sort n")
    sent = len(clients) * REQUESTS * EVENTS
    found = sorted((int(row["n"]), row["count"]) for row in table["rows"])
    assert found == [(n, 1) for n in range(sent)]
    assert count_overloads(service) == refused_before + refusals.total()


def count_overloads(service: RunningService) -> int:
    (line,) = [
        line
        for line in service.anonymous.get("/metrics").text.splitlines()
        if line.startswith("logboom_ingest_overloads_total ")
    ]
    return int(float(line.split()[1]))

"""Concurrent clients that send until they are told to stop or the server is gone."""

from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from threading import Event
from types import TracebackType

import httpx
from tests.process.ledger import Batch, Ledger
from tests.process.service import Service

CLIENTS = 4
BATCH_SIZES = (1, 2, 10, 50, 200, 500)
KEYED_SHARE = 0.3
REFUSED_SHARE = 0.03
BULK_EVERY = 8
UNKNOWN_ENVIRONMENT = "nowhere"


def send(service: Service, ledger: Ledger, batch: Batch, env: str = "default") -> bool:
    """Send one batch and record the answer; return False if the connection broke, so that the outcome is unknown."""
    try:
        response = service.ingest(batch.encode_body(), batch.key, env)
    except httpx.TransportError:
        return False
    ledger.record(batch, response)
    return True


def send_again(service: Service, ledger: Ledger) -> None:
    """Repeat every unanswered batch that has a key, as a shipper does after a crash."""
    for batch in ledger.unknown_with_key():
        assert send(service, ledger, batch)


class Load:
    """Four clients with mixed batches, some with a key, a few that must be refused.

    In every eighth cycle one of them begins with a bulk load.
    """

    def __init__(self, service: Service, ledger: Ledger) -> None:
        self._service = service
        self._ledger = ledger
        self._stopped = Event()
        self._pool = ThreadPoolExecutor(CLIENTS)
        self._clients: list[Future[None]] = []

    def __enter__(self) -> "Load":
        for client in range(CLIENTS):
            random = Random(f"{self._ledger.run}/{self._ledger.cycle}/{client}")
            with_bulk = client == 0 and self._ledger.cycle % BULK_EVERY == 1
            self._clients.append(self._pool.submit(self._send_batches, random, with_bulk))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._pool.shutdown()
        if error is None:
            for client in self._clients:
                client.result()

    def _send_batches(self, random: Random, with_bulk: bool) -> None:
        if with_bulk and not send(self._service, self._ledger, self._ledger.make_bulk()):
            return
        while not self._stopped.is_set():
            env = UNKNOWN_ENVIRONMENT if random.random() < REFUSED_SHARE else "default"
            size = random.randint(1, random.choice(BATCH_SIZES))
            batch = self._ledger.make_batch(size, keyed=random.random() < KEYED_SHARE)
            if not send(self._service, self._ledger, batch, env):
                return

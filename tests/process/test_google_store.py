"""Two nodes on a bucket of Google Cloud Storage: they write and merge at once, one dies, and nothing is lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from tests.buckets import S3Server
from tests.google import google_front
from tests.process.checks import check_everything
from tests.process.conftest import print_log_tail
from tests.process.ledger import Ledger, Outcome
from tests.process.load import send
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

ROUNDS = 4
EVENTS = 10


@pytest.fixture
def nodes(s3_server: S3Server, tmp_path: Path) -> Iterator[list[Service]]:
    with google_front(s3_server) as front:
        settings = front.make_environment(tmp_path) | {
            "SERVICE_STORE_URL": front.make_url(),
            "SERVICE_JWT_SECRET_PATH": str(tmp_path / "jwt"),
            "SERVICE_CONTROL_KEY_PATH": str(tmp_path / "control"),
            "SERVICE_BLOCK_FLUSH_SECS": "3600",
            "SERVICE_BLOCK_SYNC_SECS": "0.3",
            "SERVICE_CHECKPOINT_COMMITS": "2",
        }
        services = [
            Service(tmp_path / name, tmp_path / f"{name}.log", settings) for name in ("one", "two")
        ]
        for service in services:
            service.start()
        yield services
        for service in services:
            service.close()
            print_log_tail(service.log)


def keep_and_merge(node: Service, ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        batch = ledger.make_batch(EVENTS)
        assert send(node, ledger, batch)
        assert batch.outcome is Outcome.ACKED
        node.flush()
        node.post("/api/admin/compact", {}).raise_for_status()


def test_nodes_that_write_and_merge_at_once_lose_nothing(nodes: list[Service]) -> None:
    ledger = Ledger("google")
    one, two = nodes
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(partial(keep_and_merge, ledger=ledger), nodes))
    batch = ledger.make_batch(EVENTS)
    assert send(one, ledger, batch)
    one.kill9()
    one.start()
    one.flush()
    sent = sum(batch.count for batch in ledger.batches)
    assert sent == (2 * ROUNDS + 1) * EVENTS
    for node in (one, two):
        poll_until(partial(has_all, node, sent), "the other's blocks")
        check_everything(node, ledger)


def has_all(node: Service, sent: int) -> bool:
    return bool(node.search("", limit=0, count=True)["total"] == sent)

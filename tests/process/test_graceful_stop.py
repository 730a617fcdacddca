"""SIGTERM: finish what was begun, keep what was promised, leave nothing to replay."""

import signal
import socket

import httpx
import pytest
from tests.process.checks import check_everything
from tests.process.conftest import MakeService
from tests.process.ledger import Ledger
from tests.process.load import Load, send
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

AT_ONCE_S = 5.0


def refuses_connections(service: Service) -> bool:
    """Whether nobody listens any more."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", service.port)) != 0


def test_sigterm_under_load_ends_cleanly_and_keeps_everything_acked(
    services: MakeService, ledger: Ledger
) -> None:
    service = services()
    service.start()
    with Load(service, ledger):
        poll_until(lambda: ledger.statuses[httpx.codes.OK] >= 20, "20 acked batches")
        assert service.stop() == 0
    left = [path for path in (service.data / "wal").glob("*.wal") if path.stat().st_size]
    assert not left
    service.start()
    check_everything(service, ledger)


def test_a_second_sigterm_ends_a_stop_that_waits_for_a_client(
    services: MakeService, ledger: Ledger
) -> None:
    service = services(SERVICE_BLOCK_FLUSH_SECS=3600)
    service.start()
    assert send(service, ledger, ledger.make_batch(10))
    with socket.create_connection(("127.0.0.1", service.port)) as stalled:
        stalled.sendall(b"POST /api/ingest HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n{")
        assert service.search("", limit=1)
        service.signal(signal.SIGTERM)
        poll_until(lambda: refuses_connections(service), "the service to stop listening")
        assert service.is_running
        service.signal(signal.SIGTERM)
        service.wait(AT_ONCE_S)
    service.start()
    check_everything(service, ledger)


def test_an_open_tail_does_not_hold_up_a_stop(services: MakeService) -> None:
    service = services()
    service.start()
    with service.open_tail() as lines:
        assert next(lines) == ": tail"
        service.signal(signal.SIGTERM)
        assert service.wait(AT_ONCE_S) == 0


def test_a_second_process_on_the_same_data_says_so_and_leaves_the_first_alone(
    services: MakeService, ledger: Ledger
) -> None:
    first, second = services(), services()
    first.start()
    second.spawn()
    assert second.wait() not in (0, None)
    (line,) = second.log.read_text().splitlines()
    assert "in use" in line
    assert send(first, ledger, ledger.make_batch(10))
    check_everything(first, ledger)

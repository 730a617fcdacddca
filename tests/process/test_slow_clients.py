"""The real server against clients that dawdle: it answers, closes, keeps nothing of theirs, serves the others."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.process.conftest import MakeService
from tests.process.ledger import Ledger
from tests.process.load import send
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

WAIT_S = 20.0
CROWD = 50


@contextmanager
def connect(service: Service) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", service.port), timeout=WAIT_S) as connection:
        yield connection


def read_to_end(connection: socket.socket) -> bytes:
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


def test_a_head_that_does_not_come_is_answered_408(services: MakeService) -> None:
    service = services(SERVICE_HTTP_HEAD_SECS=0.3)
    service.start()
    with connect(service) as connection:
        connection.sendall(b"POST /api/ingest HTTP/1.1\r\nHost: te")
        assert read_to_end(connection).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("path", ["/api/ingest", "/api/auth/login"])
def test_a_body_that_stops_is_answered_408_and_leaves_nothing(
    services: MakeService, path: str
) -> None:
    service = services(SERVICE_HTTP_STALL_SECS=0.3)
    service.start()
    with connect(service) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n"
        connection.sendall(head.encode() + b'{"message":"half"}\n{"mess')
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert b'"code":"timeout"' in answer
    service.flush()
    assert service.search("half")["rows"] == []
    assert b'"level":"error"' not in service.log.read_bytes()


def test_a_crowd_of_slow_clients_keeps_nobody_out_for_long(
    services: MakeService, ledger: Ledger
) -> None:
    service = services(SERVICE_HTTP_HEAD_SECS=1, SERVICE_HTTP_CONNECTIONS=CROWD)
    service.start()
    with ExitStack() as stack:
        crowd = [stack.enter_context(connect(service)) for _ in range(2 * CROWD)]
        for connection in crowd:
            connection.sendall(b"GET")
        with connect(service) as connection:
            assert read_to_end(connection).startswith(b"HTTP/1.1 503 ")
        poll_until(lambda: send(service, ledger, ledger.make_batch(1)), "room for a request")


@pytest.mark.parametrize(("hard", "expected"), [(8192, 4000), (1500, 1500)])
def test_as_many_files_may_be_open_as_connections_need(
    services: MakeService, hard: int, expected: int
) -> None:
    service = services(SERVICE_HTTP_CONNECTIONS=2000)
    service.start(["prlimit", f"--nofile=256:{hard}"])
    limits = Path(f"/proc/{service.pid}/limits").read_text()
    assert re.search(rf"Max open files +{expected} +{hard} ", limits)
    assert ("the limit of open files is low" in service.log.read_text()) == (expected == hard)


def test_an_idle_connection_is_closed(services: MakeService) -> None:
    service = services(SERVICE_HTTP_IDLE_SECS=1)
    service.start()
    with connect(service) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: test\r\n\r\n")
        assert read_to_end(connection).endswith(b'{"status":"ok"}')


def test_a_stop_does_not_wait_for_clients_that_send_nothing(services: MakeService) -> None:
    service = services()
    service.start()
    with connect(service), connect(service) as connection:
        connection.sendall(b"GET")
        assert service.stop() == 0

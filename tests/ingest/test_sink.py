"""The sink under many clients: the queue blocks and never refuses, half a request is no request."""

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

MakeService = Callable[..., RunningService]


def test_a_full_queue_makes_clients_wait_and_never_refuses(start_service: MakeService) -> None:
    service = start_service(queue_cap=1)
    gate = threading.Barrier(30)
    throttled: list[bool] = []

    def send(client: int) -> None:
        gate.wait()
        for request in range(10):
            body = encode_lines({"client": client, "request": request} for _ in range(200))
            answer = service.ingest(body)
            assert answer.status_code == 200
            assert answer.json()["ingested"] == 200
            throttled.append(answer.json()["throttled"])

    with ThreadPoolExecutor(30) as pool:
        list(pool.map(send, range(30)))
    assert len(throttled) == 300
    assert True in throttled
    service.flush()
    assert service.count() == 300 * 200
    table = service.search("* | stats count by client, request")
    assert {row["count"] for row in table["rows"]} == {200}


def open_request(service: RunningService, body: bytes, length: int) -> socket.socket:
    """A request whose body has begun and is not whole."""
    client = socket.create_connection(("127.0.0.1", service.port))
    head = f"POST /api/ingest HTTP/1.1\r\nHost: here\r\nContent-Length: {length}\r\n\r\n"
    client.sendall(head.encode() + body)
    return client


def test_clients_that_send_nothing_more_hold_up_nobody(service: RunningService, env: str) -> None:
    clients = [open_request(service, b'{"stuck":1}\n', 100_000_000) for _ in range(100)]
    try:
        for number in range(20):
            answer = service.ingest(encode_lines([{"id": number}]), {"env": env})
            assert answer.json()["ingested"] == 1
    finally:
        for client in clients:
            client.close()


def test_half_a_request_is_no_request(start_service: MakeService) -> None:
    service = start_service()
    lines = encode_lines({"half": number} for number in range(1_000))
    for _ in range(5):
        open_request(service, lines, len(lines) + 1).close()
    whole = open_request(service, lines, len(lines))
    poll_until(lambda: b"200 OK" in whole.recv(100), "the answer to the whole request")
    whole.close()
    service.flush()
    assert service.count() == 1_000


def test_a_flush_is_due_by_rows(start_service: MakeService) -> None:
    service = start_service(flush_rows=500)
    service.ingest(encode_lines({"id": number} for number in range(499)))
    assert service.count() == 0
    service.ingest(encode_lines([{"id": 499}]))
    poll_until(lambda: service.count() == 500, "the flush by rows")


def test_a_flush_is_due_by_time(start_service: MakeService) -> None:
    service = start_service(flush_secs=0.05)
    service.ingest(encode_lines([{"id": 1}]))
    poll_until(lambda: service.count() == 1, "the flush by time")


def test_what_was_acknowledged_is_there_after_a_restart(start_service: MakeService) -> None:
    service = start_service()
    service.ingest(encode_lines({"id": number} for number in range(100)))
    service.restart()
    assert service.count() == 100

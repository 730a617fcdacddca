"""Requests that offer another protocol, as Java's client and `curl --http2` make them: the offer is ignored."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from tests.running import RunningService
from tests.web.wire import Desk, connect, read_answer, serve

from logboom.web.server.parser import encode_head

BODY = b'{"message":"from java 0"}\n'
JAVA = (
    b"POST /x HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 26\r\nHost: test\r\n"
    b"HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\nUpgrade: h2c\r\n"
    b"User-Agent: Java-http-client/17.0.15\r\nContent-Type: application/json\r\n\r\n"
)
"""Recorded from `java.net.http.HttpClient`, but for the name of the host."""


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def port(desk: Desk) -> Iterator[int]:
    with serve(desk, sockets=["/socket"]) as port:
        yield port


def test_the_body_after_an_offer_of_http_2_is_read(desk: Desk, port: int) -> None:
    with connect(port) as connection:
        for _ in range(3):
            connection.sendall(JAVA + BODY)
            assert read_answer(connection).endswith(b"\r\n\r\n26")
    assert dict(desk.headers) == {
        b"content-length": b"26",
        b"host": b"test",
        b"user-agent": b"Java-http-client/17.0.15",
        b"content-type": b"application/json",
    }


def test_the_body_may_come_in_parts(port: int) -> None:
    request = JAVA + BODY
    with connect(port) as connection:
        for place in range(0, len(request), 50):
            connection.sendall(request[place : place + 50])
        assert read_answer(connection).endswith(b"\r\n\r\n26")


def test_requests_may_follow_at_once(port: int) -> None:
    with connect(port) as connection:
        connection.sendall((JAVA + BODY) * 40)
        answers = b""
        while answers.count(b"\r\n\r\n26") < 40:
            part = connection.recv(65536)
            assert part
            answers += part


def test_the_body_may_be_chunked_and_waited_for(port: int) -> None:
    head = JAVA.replace(
        b"Content-Length: 26", b"Transfer-Encoding: chunked\r\nExpect: 100-continue"
    )
    with connect(port) as connection:
        connection.sendall(head)
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"1a\r\n" + BODY + b"\r\n0\r\n\r\n")
        assert read_answer(connection).endswith(b"\r\n\r\n26")


def test_an_offer_for_the_path_of_a_websocket_is_ignored_too(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(JAVA.replace(b"/x", b"/socket") + BODY)
        assert read_answer(connection).endswith(b"\r\n\r\n26")


@pytest.mark.parametrize(
    ("connection", "kept"),
    [
        (b"upgrade", b""),
        (b"keep-alive, Upgrade", b"connection: keep-alive\r\n"),
        (b"HTTP2-Settings , close,Upgrade", b"connection: close\r\n"),
    ],
)
def test_other_options_of_the_connection_are_kept(connection: bytes, kept: bytes) -> None:
    headers = [(b"connection", connection), (b"upgrade", b"h2c"), (b"host", b"test")]
    expected = b"GET /?a HTTP/1.0\r\n" + kept + b"host: test\r\n\r\n"
    assert encode_head(b"GET", b"/?a", "1.0", headers) == expected


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_what_curl_sends_with_an_offer_is_stored(service: RunningService, env: str) -> None:
    address = f"http://127.0.0.1:{service.port}/api/ingest?env={env}"
    command = ["curl", "--silent", "--http2", "--data-binary", BODY.decode(), address]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert '"ingested":1,"errors":0' in ended.stdout
    service.flush()
    assert service.count("from java 0", env=env) == 1

"""Connections: clients that are slow, silent, too talkative or too many."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.web.wire import (
    PIECE,
    PIECES,
    WAIT_S,
    Desk,
    connect,
    read_answer,
    read_to_end,
    serve,
)

from logboom.web.headers import SECURITY_HEADERS
from logboom.web.server.connection import MAX_HEAD_BYTES, MAX_HEADERS

SOON_S = 0.2
GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
POST_HEAD = b"POST / HTTP/1.1\r\nHost: test\r\n"


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def port(desk: Desk) -> Iterator[int]:
    with serve(desk) as port:
        yield port


def check_refusal(answer: bytes, status: int, code: str) -> None:
    """The envelope, every header, and the end of the connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0].split()[1] == str(status)
    headers = dict(line.split(": ", 1) for line in lines[1:])
    assert headers.items() >= SECURITY_HEADERS.items()
    assert headers["connection"] == "close"
    assert int(headers["content-length"]) == len(body)
    assert ("retry-after" in headers) == (status == 503)
    error = json.loads(body)["error"]
    assert error["code"] == code
    assert error["message"]


@pytest.mark.parametrize("part", [b"G", GET[:-2], GET + GET[:-1]])
def test_a_head_that_never_ends_is_answered_408(desk: Desk, part: bytes) -> None:
    with serve(desk, head_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(part)
        if part.startswith(GET):
            assert read_answer(connection).endswith(b"0")
        check_refusal(read_to_end(connection), 408, "timeout")


def test_a_head_sent_byte_by_byte_gets_no_more_time(desk: Desk) -> None:
    with serve(desk, head_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(POST_HEAD)
        connection.settimeout(SOON_S / 20)
        answer = b""
        while not answer:
            connection.sendall(b"x")
            try:
                answer = connection.recv(65536)
            except TimeoutError:
                continue
    check_refusal(answer, 408, "timeout")


def test_a_connection_that_says_nothing_is_closed_without_a_word(desk: Desk) -> None:
    with serve(desk, head_s=SOON_S) as port, connect(port) as connection:
        assert read_to_end(connection) == b""


def test_a_connection_is_kept_between_requests_and_closed_when_idle(desk: Desk) -> None:
    with serve(desk, idle_s=1, head_s=0.5) as port, connect(port) as connection:
        for _ in range(3):
            connection.sendall(GET)
            assert read_answer(connection).startswith(b"HTTP/1.1 200")
        assert read_to_end(connection) == b""


@pytest.mark.parametrize("framing", [b"Content-Length: 10", b"Transfer-Encoding: chunked"])
def test_a_body_that_stops_coming_is_answered_408(desk: Desk, framing: bytes) -> None:
    with serve(desk, stall_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(POST_HEAD + framing + b"\r\n\r\n")
        check_refusal(read_to_end(connection), 408, "timeout")
        assert desk.finished.acquire(timeout=WAIT_S)


def test_a_client_that_waits_to_be_asked_for_its_body_is_not_slow(desk: Desk) -> None:
    with serve(desk, stall_s=SOON_S) as port, connect(port) as connection:
        head = b"POST /late HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        connection.sendall(head)
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"xx")
        assert read_answer(connection).endswith(b"2")


def test_a_body_that_nobody_reads_yet_is_not_slow(desk: Desk) -> None:
    body = bytes(1 << 20)
    with serve(desk, stall_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(b"POST /late HTTP/1.1\r\nHost: test\r\nContent-Length: 1048576\r\n\r\n")
        connection.sendall(body)
        assert read_answer(connection).endswith(b"1048576")


def test_a_body_that_keeps_coming_may_take_its_time(desk: Desk) -> None:
    with serve(desk, stall_s=WAIT_S) as port, connect(port) as connection:
        connection.sendall(POST_HEAD + b"Content-Length: 50\r\n\r\n")
        for _ in range(50):
            connection.sendall(b"x")
        assert read_answer(connection).endswith(b"50")


def test_a_body_nobody_waits_for_any_more_has_the_time_of_a_head(desk: Desk) -> None:
    with serve(desk, head_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(b"POST /early HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n")
        assert read_answer(connection).endswith(b'"early"')
        connection.sendall(b"x")
        assert read_to_end(connection) == b""


def test_a_client_that_takes_nothing_of_its_answer_is_cut_off(desk: Desk) -> None:
    with serve(desk, stall_s=SOON_S) as port, connect(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
        assert desk.finished.acquire(timeout=WAIT_S)
        assert len(read_to_end(connection)) < len(PIECE) * PIECES


def test_a_large_answer_that_is_taken_comes_whole(desk: Desk) -> None:
    with serve(desk, stall_s=5) as port, connect(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        head, _, body = read_to_end(connection).partition(b"\r\n\r\n")
        assert b"connection: close" in head
        assert len(body) == len(PIECE) * PIECES


LARGE_HEADS = {
    "a path": b"GET /" + b"x" * MAX_HEAD_BYTES + b" HTTP/1.1\r\n\r\n",
    "a value": POST_HEAD + b"A: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n",
    "a name": POST_HEAD + b"x" * MAX_HEAD_BYTES + b": a\r\n\r\n",
    "many headers": POST_HEAD + b"A: b\r\n" * MAX_HEADERS + b"\r\n",
    "a value without an end": POST_HEAD + b"A: " + b"x" * MAX_HEAD_BYTES,
    "headers without an end": POST_HEAD + b"A: b\r\n" * (MAX_HEAD_BYTES // 6),
    "a trailer without an end": POST_HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: "
    + b"x" * 8 * MAX_HEAD_BYTES,
}


@pytest.mark.parametrize("head", LARGE_HEADS.values(), ids=LARGE_HEADS)
def test_a_head_that_is_too_large_is_answered_431(port: int, head: bytes) -> None:
    with connect(port) as connection:
        connection.sendall(head)
        check_refusal(read_to_end(connection), 431, "too_large")


def test_a_head_as_large_as_allowed_is_read(port: int) -> None:
    head = POST_HEAD + b"A: b\r\n" * (MAX_HEADERS - 3) + b"B: " + b"x" * (MAX_HEAD_BYTES - 1000)
    with connect(port) as connection:
        connection.sendall(head + b"\r\nContent-Length: 2\r\n\r\nxx")
        assert read_answer(connection).endswith(b"2")


def test_trailers_do_not_become_headers(port: int, desk: Desk) -> None:
    body = b"1\r\nx\r\n0\r\nAuthorization: Bearer x\r\n\r\n"
    with connect(port) as connection:
        connection.sendall(POST_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)
        assert read_answer(connection).endswith(b"1")
        connection.sendall(GET)
        assert read_answer(connection).endswith(b"0")
    assert b"authorization" not in dict(desk.headers)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET nowhere HTTP/1.1\r\n\r\n",
        b"CONNECT test:80 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: test\r\nhost: test\r\n\r\n",
        POST_HEAD + b"Content-Length: -1\r\n\r\n",
        POST_HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        POST_HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_400_in_the_envelope(
    port: int, request_bytes: bytes
) -> None:
    with connect(port) as connection:
        connection.sendall(request_bytes)
        check_refusal(read_to_end(connection), 400, "invalid")


def test_an_answer_under_way_is_never_mixed_with_a_refusal(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: test\r\n\r\n" + b"\x00nonsense\r\n\r\n")
        assert read_to_end(connection).count(b"HTTP/1.1") == 1


def test_one_connection_too_many_is_answered_503_and_room_is_used_again(desk: Desk) -> None:
    with serve(desk, connections=3) as port:
        with ExitStack() as stack:
            for _ in range(3):
                connection = stack.enter_context(connect(port))
                connection.sendall(GET)
                assert read_answer(connection).startswith(b"HTTP/1.1 200")
            with connect(port) as refused:
                check_refusal(read_to_end(refused), 503, "unavailable")
        status = b"503"
        while status == b"503":
            with connect(port) as connection:
                connection.sendall(GET)
                status = read_answer(connection).split()[1]
        assert status == b"200"

"""Small requests that are answered without ASGI, behind the real server."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.web.wire import Desk, connect, read_answer, read_to_end, serve

from logboom.web.asgi import ClientGone
from logboom.web.direct import MOST_BYTES, Answering, WholeRequest, encode_answer
from logboom.web.guard import Guard
from logboom.web.hosts import HostRule
from logboom.web.proxies import read_proxies
from logboom.web.reply import Reply

SOON_S = 0.2


class Counter(Desk):
    """Answers small requests, but for those to `/app`; everything else is left to the application."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[bytes] = []
        self.gone = threading.Event()

    def find_answer(self, request: WholeRequest) -> Answering | None:
        return None if request.scope["path"] == "/app" else self._answer(request)

    async def _answer(self, request: WholeRequest) -> Reply:
        self.bodies.append(request.body)
        match str(request.scope["path"]):
            case "/wait":
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                self.gone.set()
                raise ClientGone
            case "/slow":
                await asyncio.sleep(0.1)
            case "/fail":
                raise RuntimeError("secret")
            case "/injected":
                return Reply(headers={"x-name": "a\r\nset-cookie: b"})
            case "/empty":
                return Reply(204)
            case _:
                pass
        return Reply(201, b"prompt %d" % len(request.body), "text/plain", {"x-own": "yes"})


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.fixture
def port(counter: Counter) -> Iterator[int]:
    with serve(counter, find_answer=counter.find_answer) as port:
        yield port


@contextmanager
def post(port: int, path: str, body: bytes = b"abc", *more: bytes) -> Iterator[bytes]:
    """The answer to one request."""
    with connect(port) as connection:
        connection.sendall(head(path, len(body), *more) + body)
        yield read_answer(connection)


def head(path: str, length: int, *more: bytes) -> bytes:
    lines = [b"POST %b HTTP/1.1" % path.encode(), b"Host: test", b"Content-Length: %d" % length]
    return b"\r\n".join([*lines, *more, b"", b""])


def test_a_small_request_is_answered_with_all_headers(port: int) -> None:
    with post(port, "/x") as answer:
        first, *lines = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
        headers = dict(line.split(b": ", 1) for line in lines)
        assert first == b"HTTP/1.1 201 Created"
        assert answer.endswith(b"\r\n\r\nprompt 3")
        assert headers[b"content-type"] == b"text/plain"
        assert headers[b"x-own"] == b"yes"
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert b"date" in headers
        assert b"strict-transport-security" not in headers


def test_a_body_in_pieces_is_whole(port: int, counter: Counter) -> None:
    with connect(port) as connection:
        connection.sendall(head("/x", 6))
        for piece in (b"ab", b"cd", b"ef"):
            connection.sendall(piece)
        assert read_answer(connection).endswith(b"prompt 6")
    assert counter.bodies == [b"abcdef"]


@pytest.mark.parametrize("size", [0, 1, MOST_BYTES])
def test_the_largest_and_smallest_bodies_arrive(port: int, counter: Counter, size: int) -> None:
    with post(port, "/x", bytes(size)) as answer:
        assert answer.endswith(b"prompt %d" % size)
    assert counter.bodies == [bytes(size)]


def test_a_declined_request_reaches_the_application_whole(port: int, counter: Counter) -> None:
    with post(port, "/app", b"x" * 5000) as answer:
        assert answer.endswith(b"\r\n5000")
    assert counter.bodies == []


@pytest.mark.parametrize(
    "lines",
    [[b"Origin: http://test"], [b"Sec-Fetch-Site: same-origin"]],
    ids=["origin", "fetch"],
)
def test_unusual_requests_take_the_usual_way(
    port: int, counter: Counter, lines: list[bytes]
) -> None:
    with post(port, "/x", b"abc", *lines) as answer:
        assert b"prompt" not in answer
    assert counter.bodies == []


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(port: int, counter: Counter) -> None:
    with connect(port) as connection:
        connection.sendall(head("/x", 3, b"Expect: 100-continue"))
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"abc")
        assert read_answer(connection).endswith(b"3")
    assert counter.bodies == []


def test_large_and_chunked_bodies_take_the_usual_way(port: int, counter: Counter) -> None:
    with post(port, "/x", bytes(MOST_BYTES + 1)) as answer:
        assert answer.endswith(b"%d" % (MOST_BYTES + 1))
    with connect(port) as connection:
        connection.sendall(b"POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"3\r\nabc\r\n0\r\n\r\n")
        assert read_answer(connection).endswith(b"3")
    assert counter.bodies == []


def test_an_answer_to_head_has_no_body(port: int, counter: Counter) -> None:
    with connect(port) as connection:
        connection.sendall(head("/x", 0, b"Connection: close").replace(b"POST", b"HEAD"))
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\n")
    assert counter.bodies == []


def test_a_path_that_must_be_checked_is(port: int, counter: Counter) -> None:
    with post(port, "/a//b") as answer:
        assert answer.startswith(b"HTTP/1.1 400")
    assert counter.bodies == []


def test_a_connection_serves_many_requests_of_both_kinds_in_order(port: int) -> None:
    paths = ["/x", "/app", "/slow", "/x", "/app"]
    with connect(port) as connection:
        for length, path in enumerate(paths):
            connection.sendall(head(path, length) + bytes(length))
            assert read_answer(connection).endswith(b"%d" % length)


def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    paths = ["/slow", "/x", "/app", "/slow", "/x"]
    with connect(port) as connection:
        requests = [head(path, length) + bytes(length) for length, path in enumerate(paths)]
        last = head("/x", 9, b"Connection: close") + bytes(9)
        connection.sendall(b"".join(requests) + last)
        answers = read_to_end(connection).split(b"HTTP/1.1 ")[1:]
    ends = [b"prompt 0", b"prompt 1", b"2", b"prompt 3", b"prompt 4", b"prompt 9"]
    found = [answer.rsplit(b"\r\n\r\n", 1)[1].removeprefix(b"prompt ") for answer in answers]
    assert found == [end.removeprefix(b"prompt ") for end in ends]


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
def test_the_connection_closes_when_the_client_wants_it(port: int, version: bytes) -> None:
    more = b"" if version == b"1.0" else b"Connection: close\r\n"
    with connect(port) as connection:
        connection.sendall(
            b"POST /x HTTP/%b\r\nHost: t\r\n%bContent-Length: 1\r\n\r\nx" % (version, more)
        )
        answer = read_to_end(connection)
    assert b"connection: close\r\n" in answer
    assert answer.endswith(b"prompt 1")


def test_an_answer_without_a_body_has_no_length(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(head("/empty", 1, b"Connection: close") + b"x")
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 204 No Content\r\n")
    assert answer.endswith(b"\r\n\r\n")
    assert b"content-" not in answer.lower().replace(b"content-security", b"").replace(
        b"x-content-", b""
    )


@pytest.mark.parametrize("path", ["/fail", "/injected"])
def test_an_internal_error_reveals_nothing_and_closes(port: int, path: str) -> None:
    with connect(port) as connection:
        connection.sendall(head(path, 1) + b"x")
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 500")
    assert b"secret" not in answer
    assert b"set-cookie" not in answer


def test_whoever_answers_learns_that_the_client_has_gone(port: int, counter: Counter) -> None:
    with connect(port) as connection:
        connection.sendall(head("/wait", 1) + b"x")
    assert counter.gone.wait(20)


def test_a_body_that_stops_coming_is_answered_408(counter: Counter) -> None:
    with (
        serve(counter, find_answer=counter.find_answer, stall_s=SOON_S) as port,
        connect(port) as connection,
    ):
        connection.sendall(head("/x", 10) + b"x")
        assert read_to_end(connection).startswith(b"HTTP/1.1 408")
    assert counter.bodies == []


def test_a_client_that_goes_before_its_body_is_complete_does_no_harm(
    port: int, counter: Counter
) -> None:
    with connect(port) as connection:
        connection.sendall(head("/x", 10) + b"x")
    with post(port, "/x") as answer:
        assert answer.endswith(b"prompt 3")
    assert counter.bodies == [b"abc"]


def test_the_address_is_that_behind_a_trusted_proxy() -> None:
    seen: list[object] = []

    def find_answer(request: WholeRequest) -> None:
        seen.append(request.scope["client"])

    guard = Guard(Desk(), read_proxies("127.0.0.1"), HostRule(), find_answer)
    scope = {
        "type": "http",
        "path": "/x",
        "raw_path": b"/x",
        "client": ("127.0.0.1", 5),
        "headers": [(b"x-forwarded-for", b"192.0.2.7")],
    }
    guard.find_answer(WholeRequest(scope, None, b""))  # type: ignore[arg-type]
    assert seen == [("192.0.2.7", 0)]


def test_encrypted_answers_ask_for_encryption() -> None:
    answer = encode_answer(Reply(), [], is_last=False, tls=True)
    assert b"strict-transport-security: max-age=31536000\r\n" in answer

"""HEAD is answered wherever GET is, with the same head and without a body."""

import re
import socket
from collections.abc import Callable
from contextlib import ExitStack

import httpx
import pytest
from tests.routes import list_framework_routes
from tests.running import RunningService, encode_lines
from tests.together import together

MakeService = Callable[..., RunningService]

READABLE = sorted(path for method, path in list_framework_routes() if method == "GET")
ENDLESS = "/api/tail"
CHANGING = {"date", "transfer-encoding"}


def ask(client: httpx.Client, method: str, path: str) -> tuple[int, dict[str, str]]:
    """The head of an answer, of which no more is read."""
    place = re.sub(r"\{(\w+):str\}", "nothing", path)
    with client.stream(method, place) as answer:
        headers = {key: value for key, value in answer.headers.items() if key not in CHANGING}
        if path in ("/metrics", "/api/search", "/api/admin/status"):
            headers.pop("content-length")  # counts and durations change from one answer to the next
        return answer.status_code, headers


@together("path", READABLE)
def test_head_is_answered_like_get(service: RunningService, path: str) -> None:
    for client in (service.client, service.anonymous):
        assert ask(client, "HEAD", path) == ask(client, "GET", path)
        assert client.head(re.sub(r"\{(\w+):str\}", "nothing", path)).content == b""


@pytest.mark.parametrize("path", ["/api/auth/login", "/api/nothing"])
def test_where_get_is_refused_head_is_refused(service: RunningService, path: str) -> None:
    assert ask(service.client, "HEAD", path) == ask(service.client, "GET", path)
    assert service.client.head(path).status_code in (404, 405)


def test_nothing_follows_the_head_on_the_wire(service: RunningService) -> None:
    request = "{} HTTP/1.1\r\nHost: x\r\nConnection: {}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.sendall(request.format("HEAD /api/version", "keep-alive").encode())
        connection.sendall(request.format("HEAD /health", "close").encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    first, second, rest = received.split(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 200")
    assert second.startswith(b"HTTP/1.1 200")
    assert rest == b""


def test_what_is_long_is_not_made_for_nobody(start_service: MakeService) -> None:
    service = start_service(queries=(1, 0, 0.0))
    service.keep(encode_lines([{"message": "hello"}]))
    with ExitStack() as running:
        running.enter_context(service.gate.enter())
        for path in ("/api/export", ENDLESS):
            assert service.client.get(path).status_code == 429
            assert service.client.head(path).status_code == 200


@pytest.mark.parametrize("path", ["/api/export", ENDLESS])
@pytest.mark.parametrize("params", [{"env": "nowhere"}, {"query": "("}, {"unknown": "x"}])
def test_what_is_long_is_refused_as_it_would_be(
    service: RunningService, path: str, params: dict[str, str]
) -> None:
    assert service.client.head(path, params=params).status_code == 400
    assert service.client.get(path, params=params).status_code == 400

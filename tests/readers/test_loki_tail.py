"""Following new lines through the WebSocket of the Loki API, with a real client."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.api.signing_in import make_key
from tests.readers.loki import CATEGORIZE, START_NS, LokiClient
from tests.running import RunningService
from tests.waiting import poll_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from logboom.control.access.scopes import Scope
from logboom.search import streams

WAIT_S = 20
WEB = {"app": "web"}


@pytest.fixture
def client(service: RunningService, env: str) -> LokiClient:
    return LokiClient(service, env)


@contextmanager
def tail(
    client: LokiClient, headers: dict[str, str] | None = None, **parameters: Any
) -> Iterator[ClientConnection]:
    """An open socket; by default of the admin's session."""
    service = client.service
    authorization = {"Authorization": service.client.headers["Authorization"]}
    asked = urlencode({"query": '{app="web"}', "start": START_NS} | parameters)
    with connect(
        f"ws://127.0.0.1:{service.port}/loki/api/v1/tail?{asked}",
        additional_headers={"X-Scope-OrgID": client.env} | (headers or authorization),
        open_timeout=WAIT_S,
    ) as tailed:
        yield tailed


def receive(tailed: ClientConnection) -> list[dict[str, Any]]:
    content = json.loads(tailed.recv(timeout=WAIT_S))
    assert content.keys() == {"streams"}
    streams: list[dict[str, Any]] = content["streams"]
    return streams


def list_lines(tailed: ClientConnection) -> list[str]:
    return [value[1] for stream in receive(tailed) for value in stream["values"]]


def write(place: int) -> list[str]:
    return [str(START_NS + place), f"line {place}"]


def test_the_latest_lines_come_first_and_then_the_new_ones(client: LokiClient) -> None:
    client.push((WEB, [write(place) for place in range(5)]), ({"app": "db"}, [write(9)]))
    with tail(client, limit=3) as tailed:
        assert list_lines(tailed) == ["line 2", "line 3", "line 4"]
        client.push((WEB, [write(6), write(5)]), ({"app": "db"}, [write(7)]))
        (stream,) = receive(tailed)
        assert stream["stream"] == {"app": "web", "index": "default"}
        assert stream["values"] == [write(5), write(6)]
        client.push((WEB, [write(8)]))
        assert list_lines(tailed) == ["line 8"]


def test_stages_and_categories_work_as_in_queries(client: LokiClient) -> None:
    query = '{app="web"} |= "7" | regexp "line (?P<n>.)" | line_format "<{{.n}}>"'
    authorization = {"Authorization": client.service.client.headers["Authorization"]}
    with tail(client, CATEGORIZE | authorization, query=query, delay_for=1) as tailed:
        client.push((WEB, [write(6), write(7)]))
        (stream,) = receive(tailed)
        assert stream["values"] == [[str(START_NS + 7), "<7>", {"parsed": {"n": "7"}}]]


def test_many_lines_come_in_several_messages(client: LokiClient) -> None:
    with tail(client) as tailed:
        tailed.send("ignored")
        client.push((WEB, [write(place) for place in range(1200)]))
        found: list[str] = []
        while len(found) < 1200:
            found += list_lines(tailed)
        assert found == [f"line {place}" for place in range(1200)]


def test_it_ends_with_the_key(client: LokiClient, service: RunningService) -> None:
    key, secret = service.control.keys.create("tail", (Scope.SEARCH,))
    with tail(client, {"Authorization": f"Bearer {secret}"}) as tailed:
        service.control.keys.delete(key.id)
        with pytest.raises(ConnectionClosed):
            tailed.recv(timeout=WAIT_S)


def test_clients_that_leave_are_forgotten(client: LokiClient, service: RunningService) -> None:
    before = len(service._server.server_state.tasks)
    for _ in range(3):
        with tail(client):
            pass
    poll_until(lambda: len(service._server.server_state.tasks) <= before, "the tails to end")


@pytest.mark.parametrize(
    ("headers", "parameters", "status", "said"),
    [
        ({"Authorization": "Bearer wrong"}, {}, 401, ""),
        (None, {"query": "{app"}, 400, "col 5"),
        (None, {"query": ""}, 400, "query is empty"),
        (None, {"query": 'rate({app="web"}[1m])'}, 400, "no lines to follow"),
        (None, {"delay_for": "6"}, 400, "delay_for '6'"),
        (None, {"limit": "6000"}, 400, "max entries limit"),
        (None, {"env": "nowhere"}, 400, "unknown environment"),
    ],
)
def test_a_wrong_request_is_refused_before_it_opens(
    client: LokiClient,
    caplog: pytest.LogCaptureFixture,
    headers: dict[str, str] | None,
    parameters: dict[str, str],
    status: int,
    said: str,
) -> None:
    with pytest.raises(InvalidStatus) as refused, tail(client, headers, **parameters):
        pass
    response = refused.value.response
    assert response.status_code == status
    assert response.headers["Content-Type"].startswith("text/plain")
    assert said in (response.body or b"").decode()
    assert not caplog.records


def test_only_who_may_search_follows(client: LokiClient, service: RunningService) -> None:
    with pytest.raises(InvalidStatus), tail(client, make_key(service, Scope.INGEST)):
        pass
    hidden = make_key(service, Scope.SEARCH, indexes=("other",))
    with tail(client, hidden) as tailed:
        client.push((WEB, [write(1)]))
        client.service.keep(
            b'{"app":"web","message":"seen"}', {"env": client.env, "index": "other"}
        )
        assert list_lines(tailed) == ["seen"]


def test_a_long_message_of_the_client_ends_it(client: LokiClient) -> None:
    with tail(client) as tailed:
        tailed.send("x" * 5000)
        with pytest.raises(ConnectionClosed) as closed:
            tailed.recv(timeout=WAIT_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


def test_what_the_client_sends_is_discarded(client: LokiClient) -> None:
    with tail(client) as tailed:
        tailed.send(["x", *[""] * 1000, "y"])
        tailed.send(b"z")
        client.push((WEB, [write(0)]))
        assert list_lines(tailed) == ["line 0"]


def test_only_so_many_follow_at_once(client: LokiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_OF_ONE", 2)
    with tail(client), tail(client):
        with pytest.raises(InvalidStatus) as refusal, tail(client):
            pass
        answer = refusal.value.response
        assert answer.status_code == 429
        assert b"2 tails and exports of this account are open, expected at most 2" in answer.body
        assert "Retry-After" in answer.headers
        with tail(client, headers=make_key(client.service, Scope.SEARCH)):
            pass
    poll_until(lambda: not client.service.searching.streams.count(), "the tails to be forgotten")


def test_other_paths_have_no_sockets(client: LokiClient) -> None:
    plain = client.get("tail", query="{}")
    assert plain.status_code == 400
    assert "is a WebSocket" in plain.text
    port = client.service.port
    with pytest.raises(InvalidStatus) as refused, connect(f"ws://127.0.0.1:{port}/health"):
        pass
    assert refused.value.response.status_code == 200


def test_the_server_stops_with_open_sockets(
    start_service: Any,
) -> None:
    """Without a close frame, so that clients connect again."""
    service = start_service()
    with tail(LokiClient(service, "default")) as tailed:
        service.restart()
        with pytest.raises(ConnectionClosed) as closed:
            tailed.recv(timeout=WAIT_S)
        assert closed.value.rcvd is None


def test_a_client_that_answers_no_ping_is_cut_off(start_service: Any) -> None:
    service = start_service()
    service._server.config.ws_ping_interval = 0.01
    service._server.config.ws_ping_timeout = 0.01
    asked = urlencode({"query": '{app="web"}'})
    lines = [
        f"GET /loki/api/v1/tail?{asked} HTTP/1.1",
        f"Host: 127.0.0.1:{service.port}",
        f"Authorization: {service.client.headers['Authorization']}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    with socket.create_connection(("127.0.0.1", service.port), timeout=WAIT_S) as connection:
        connection.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
        assert connection.recv(12) == b"HTTP/1.1 101"
        with suppress(ConnectionResetError):
            while connection.recv(4096):
                pass
    poll_until(lambda: not service._server.server_state.tasks, "the tail to end")

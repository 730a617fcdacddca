"""How many tails and exports may be open: one count for all protocols, and room again when a client is gone."""

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

from logboom.search import streams
from logboom.web.limits import ConnectionLimits

WAIT_S = 20
LONG = "x" * 100_000
UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
KINDS = {
    "tail": ("/api/tail?env={env}", ""),
    "export": ("/api/export?env={env}", ""),
    "export of a table": ("/api/export?env={env}&query=*|sort n", ""),
    "tail of Loki": ("/loki/api/v1/tail?env={env}&query={{app=%22web%22}}", UPGRADE),
}


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    """An environment with more than the kernel buffers of an answer."""
    name = "streams"
    service.control.environments.create(name)
    keep_much(service, name)
    return name


def keep_much(service: RunningService, env: str) -> None:
    lines = [{"n": n, "app": "web", "message": LONG} for n in range(150)]
    service.keep(encode_lines(lines), {"env": env})


@contextmanager
def ask(service: RunningService, env: str, kind: str) -> Iterator[socket.socket]:
    """A connection on which a stream was asked for, of which hardly anything is read."""
    path, headers = KINDS[kind]
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(WAIT_S)
        connection.connect(("127.0.0.1", service.port))
        token = service.client.headers["Authorization"]
        target = path.format(env=env).replace(" ", "%20").replace("|", "%7C")
        connection.sendall(
            f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {token}\r\n{headers}\r\n".encode()
        )
        yield connection


def wait_for(service: RunningService, count: int) -> None:
    poll_until(lambda: service.searching.streams.count() == count, f"{count} open streams")


def hang_up(connection: socket.socket) -> None:
    connection.close()


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_status(connection: socket.socket) -> int:
    return int(connection.recv(12).split()[1])


def test_all_streams_of_an_account_count_together(
    service: RunningService, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_OF_ONE", len(KINDS))
    with ExitStack() as held:
        for kind in KINDS:
            assert read_status(held.enter_context(ask(service, filled, kind))) in {101, 200}
        for path in ("/api/tail", "/api/export"):
            refused = service.client.get(path, params={"env": filled})
            assert refused.status_code == 429
            assert int(refused.headers["Retry-After"]) >= 1
            said = f"{len(KINDS)} tails and exports of this account are open"
            assert said in refused.json()["error"]["message"]
            assert service.client.head(path, params={"env": filled}).status_code == 200
    wait_for(service, 0)
    assert service.client.get("/api/export", params={"env": filled}).status_code == 200


def test_all_accounts_count_together(
    service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_STREAMS", 1)
    with ask(service, env, "tail") as first:
        assert read_status(first) == 200
        refused = service.client.get("/api/tail", params={"env": env})
    assert refused.status_code == 429
    assert "1 tails and exports of all accounts are open" in refused.json()["error"]["message"]
    wait_for(service, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leave", [hang_up, reset], ids=["hangs up", "resets"])
def test_a_client_that_leaves_gives_its_place_back(
    service: RunningService, filled: str, kind: str, leave: Callable[[socket.socket], None]
) -> None:
    with ask(service, filled, kind) as connection:
        read_status(connection)
        assert service.searching.streams.count() == 1
        leave(connection)
        wait_for(service, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_leaves_at_once_gives_its_place_back(
    service: RunningService, filled: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_OF_ONE", 100)
    for _ in range(30):
        with ask(service, filled, kind) as connection:
            reset(connection)
    with ask(service, filled, kind) as connection:
        assert read_status(connection) in {101, 200}
        wait_for(service, 1)
    wait_for(service, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_reads_nothing_loses_its_place(
    start_service: Callable[..., RunningService], kind: str
) -> None:
    service = start_service()
    keep_much(service, "default")
    config = service._server.config
    config.limits = ConnectionLimits(stall_s=0.1)  # type: ignore[attr-defined]
    config.ws_ping_interval = config.ws_ping_timeout = 0.1
    with ask(service, "default", kind) as connection:
        read_status(connection)
        if kind == "tail":
            keep_much(service, "default")
        wait_for(service, 0)


def test_a_refused_question_holds_no_place(service: RunningService, env: str) -> None:
    for path, status in (("/api/tail", 400), ("/api/export", 400)):
        answer = service.client.get(path, params={"env": env, "query": "level:"})
        assert answer.status_code == status
    assert httpx.get(f"http://127.0.0.1:{service.port}/api/tail").status_code == 401
    assert service.searching.streams.count() == 0

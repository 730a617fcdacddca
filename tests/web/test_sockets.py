"""WebSockets: opened for their paths only, refused and ended in the form of their protocol."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.web.wire import serve
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from logboom.base.errors import Invalid, LogboomError
from logboom.web.asgi import RawRequest, send_answer
from logboom.web.errors import find_status
from logboom.web.readiness import Readiness
from logboom.web.reply import Reply
from logboom.web.route import Protocol
from logboom.web.sockets import Socket, SocketRoute, Sockets
from logboom.web.types import Receive, Scope, Send

PATH = "/echo"
WAIT_S = 20
LIMIT_S = 0.05


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    return Reply(find_status(error), error.message.encode(), "text/plain")


async def tell(service: str, request: RawRequest, socket: Socket) -> None:
    """Greets, or fails as the request wants it."""
    when = request.parameters.get("fails", "")
    if when == "before":
        raise Invalid("a wrong request")
    if when == "broken":
        raise RuntimeError("not to be told")
    await socket.accept()
    await socket.send(f"{service} {request.method}")
    if when == "after":
        raise Invalid("a wrong moment " + "ä" * 200)
    if when == "at last":
        raise RuntimeError("not to be told")


async def answer_plain(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send_answer(send, 200, b"plain")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    app = Sockets([SocketRoute(PATH, tell, Protocol("test", refuse))], "hello", answer_plain)
    with serve(app, sockets=[PATH]) as found:
        yield found


@contextmanager
def open_socket(port: int, path: str = PATH) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{port}{path}", open_timeout=WAIT_S) as socket:
        yield socket


def test_a_handler_sends_and_ends(port: int) -> None:
    with open_socket(port) as socket:
        assert socket.recv(timeout=WAIT_S) == "hello GET"
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=WAIT_S)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000


@pytest.mark.parametrize(
    ("when", "status", "body"),
    [("before", 400, "a wrong request"), ("broken", 500, "internal error, see the server's log")],
)
def test_an_error_before_it_opens_is_an_answer(
    port: int, when: str, status: int, body: str
) -> None:
    with pytest.raises(InvalidStatus) as refused, open_socket(port, f"{PATH}?fails={when}"):
        pass
    response = refused.value.response
    assert (response.status_code, (response.body or b"").decode()) == (status, body)


@pytest.mark.parametrize(
    ("when", "reason"), [("after", "a wrong moment ä"), ("at%20last", "internal error")]
)
def test_an_error_after_it_opened_is_the_reason_of_its_end(
    port: int, when: str, reason: str
) -> None:
    with open_socket(port, f"{PATH}?fails={when}") as socket:
        assert socket.recv(timeout=WAIT_S) == "hello GET"
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=WAIT_S)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1011
    assert closed.value.rcvd.reason.startswith(reason)


@pytest.mark.parametrize("path", ["/", "/other", f"{PATH}/", "/%65cho"])
def test_for_other_paths_the_wish_is_ignored(port: int, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused, open_socket(port, path):
        pass
    assert refused.value.response.status_code == 200


def test_none_opens_before_the_service_is_ready() -> None:
    app = Readiness(answer_plain, lambda _request: None)
    with (
        serve(app, sockets=[PATH]) as port,
        pytest.raises(InvalidStatus) as refused,
        open_socket(port),
    ):
        pass
    assert refused.value.response.status_code == 503
    assert refused.value.response.headers["Retry-After"] == "1"


async def outlast(_service: str, _request: RawRequest, socket: Socket) -> None:
    """Sends again after every deadline of a request would have passed."""
    await socket.accept()
    await socket.wait(4 * LIMIT_S)
    await socket.send("still here")


def test_it_outlasts_the_deadlines_of_requests() -> None:
    app = Sockets([SocketRoute(PATH, outlast, Protocol("test", refuse))], "", answer_plain)
    with (
        serve(app, sockets=[PATH], head_s=LIMIT_S, stall_s=LIMIT_S, idle_s=LIMIT_S) as port,
        open_socket(port) as socket,
    ):
        assert socket.recv(timeout=WAIT_S) == "still here"

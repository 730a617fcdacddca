"""A small application behind the real server, and raw connections to it."""

import asyncio
import socket
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from logboom.web.asgi import send_answer
from logboom.web.direct import FindAnswer
from logboom.web.hosts import HostRule
from logboom.web.limits import ConnectionLimits
from logboom.web.proxies import TrustedProxies
from logboom.web.server.listening import make_server
from logboom.web.types import ASGIApp, Receive, Scope, Send

WAIT_S = 20.0
"""How long a test waits for what must come."""
NEVER_S = 600
PIECE = bytes(1 << 20)
PIECES = 64
LATE_S = 0.7


class Desk:
    """An application that answers with the size of the body.

    `/late` begins to read it only after a while, `/early` answers without, `/large` answers at length.
    """

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.finished = threading.Semaphore(0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers = scope["headers"]
        if scope["path"] == "/large":
            await self._send_much(send)
        elif scope["path"] == "/early":
            await send_answer(send, 200, b'"early"')
        elif scope["path"] == "/late":
            await asyncio.sleep(LATE_S)
            await self._count(receive, send)
        else:
            await self._count(receive, send)
        self.finished.release()

    async def _count(self, receive: Receive, send: Send) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                break
            size, more = size + len(message["body"]), message["more_body"]
        await send_answer(send, 200, b"%d" % size)

    async def _send_much(self, send: Send) -> None:
        length = b"%d" % (len(PIECE) * PIECES)
        headers = [(b"content-length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for left in reversed(range(PIECES)):
            await send({"type": "http.response.body", "body": PIECE, "more_body": left > 0})


@contextmanager
def serve(
    app: ASGIApp,
    *,
    proxies: TrustedProxies = TrustedProxies(),  # noqa: B008 - it never changes
    hosts: HostRule = HostRule(),  # noqa: B008 - it never changes
    find_answer: FindAnswer | None = None,
    sockets: Collection[str] = (),
    **limits: float,
) -> Iterator[int]:
    """The port of a server for the application; what is not limited is never reached."""
    never = {"head_s": NEVER_S, "stall_s": NEVER_S, "idle_s": NEVER_S}
    bounds = ConnectionLimits(**(never | limits))  # type: ignore[arg-type]
    server = make_server(
        app, bounds, proxies=proxies, hosts=hosts, find_answer=find_answer, sockets=sockets
    )
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        deadline = time.monotonic() + WAIT_S
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.005)
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def connect(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as connection:
        yield connection


def read_to_end(connection: socket.socket) -> bytes:
    """Return everything until the server closes."""
    parts = []
    try:
        while part := connection.recv(1 << 20):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def read_answer(connection: socket.socket) -> bytes:
    """Return one answer whose length is announced."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive_some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    (length,) = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
    while len(body) < length:
        body += receive_some(connection)
    return head + b"\r\n\r\n" + body


def receive_some(connection: socket.socket) -> bytes:
    part = connection.recv(65536)
    assert part, "the server closed too early"
    return part

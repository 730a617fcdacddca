"""WebSockets as an ASGI layer: handlers by path, and errors in the form of their protocol."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Generic, NamedTuple, TypeAlias

from logboom.base.errors import LogboomError
from logboom.web.asgi import RawRequest
from logboom.web.errors import describe_fault
from logboom.web.headers import encode
from logboom.web.reply import Reply
from logboom.web.route import Protocol, S
from logboom.web.types import SOCKET, ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

INTERNAL_ERROR = 1011
MAX_REASON_BYTES = 123
"""The longest reason of a close frame."""


class Socket:
    """One end of a WebSocket that only sends; what the client sends is discarded."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._gone: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        return self._gone is not None

    @property
    def is_gone(self) -> bool:
        """Whether the client has left, or the server stops."""
        return self._gone is not None and self._gone.done()

    async def accept(self) -> None:
        await self._send({"type": "websocket.accept"})
        self._gone = asyncio.ensure_future(self._watch())

    async def send(self, text: str) -> None:
        """Send a message, once the client has read enough of the earlier ones."""
        await self._send({"type": "websocket.send", "text": text})

    async def wait(self, seconds: float) -> None:
        """Wait, but not for a client that has left."""
        assert self._gone is not None, "the socket is open"
        await asyncio.wait({self._gone}, timeout=seconds)

    async def close(self, code: int, reason: str) -> None:
        short = reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
        await self._send({"type": "websocket.close", "code": code, "reason": short})

    async def refuse(self, reply: Reply) -> None:
        """Answer the request instead of opening the socket."""
        headers = encode({"Content-Type": reply.content_type, **reply.headers})
        await self._send(
            {"type": "websocket.http.response.start", "status": reply.status, "headers": headers}
        )
        await self._send({"type": "websocket.http.response.body", "body": reply.body})

    def release(self) -> None:
        """Stop watching the client."""
        if self._gone is not None:
            self._gone.cancel()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "websocket.disconnect":
            pass


SocketHandler: TypeAlias = Callable[[S, RawRequest, Socket], Awaitable[None]]


class SocketRoute(NamedTuple, Generic[S]):
    """A path, the handler of its sockets, and the protocol of its errors."""

    path: str
    handler: SocketHandler[S]
    protocol: Protocol


class Sockets(Generic[S]):
    """The ASGI application of some sockets, wrapped around the one that answers everything else."""

    def __init__(self, routes: Sequence[SocketRoute[S]], service: S, rest: ASGIApp) -> None:
        self._routes: Mapping[str, SocketRoute[S]] = {route.path: route for route in routes}
        self._service = service
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != SOCKET:
            await self._rest(scope, receive, send)
            return
        route = self._routes[scope["path"]]
        request = RawRequest({**scope, "method": "GET"}, receive)
        socket = Socket(receive, send)
        # A client may leave at any time, which the server tells as an OSError.
        with suppress(OSError):
            await self._serve(route, request, socket)

    async def _serve(self, route: SocketRoute[S], request: RawRequest, socket: Socket) -> None:
        try:
            await route.handler(self._service, request, socket)
            await socket.close(1000, "")
        except LogboomError as error:
            await end(route, request, socket, error)
        except OSError:
            raise
        except Exception:
            log.exception("socket failed", extra={"path": request.path})
            await end(route, request, socket, describe_fault())
        finally:
            socket.release()


async def end(
    route: SocketRoute[S], request: RawRequest, socket: Socket, error: LogboomError
) -> None:
    """Tell the error: as an answer to the request, or when closing an open socket."""
    if socket.is_open:
        await socket.close(INTERNAL_ERROR, error.message)
    else:
        await socket.refuse(route.protocol.refuse(error, request))

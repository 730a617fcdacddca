"""A client connection: time limits, and limits on the size of a request's head."""

import asyncio
import logging
from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Any

import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from logboom.base.errors import DeadlineExceeded, Invalid, LogboomError, TooLarge, Unavailable
from logboom.web.asgi import ClientGone
from logboom.web.direct import Answering, FindAnswer, WholeRequest, encode_answer, is_small
from logboom.web.errors import describe_fault, render_error
from logboom.web.headers import add_security, encode
from logboom.web.limits import ConnectionLimits
from logboom.web.reply import Reply
from logboom.web.server.parser import RequestParser, encode_head
from logboom.web.server.pieces import Pieces

log = logging.getLogger(__name__)

MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
MAX_SOCKET_MESSAGE_BYTES = 4096
"""What a client sends through a WebSocket is discarded."""


class ConnectionConfig(uvicorn.Config):
    """uvicorn's configuration with the limits of a connection, what answers small requests, and paths of WebSockets."""

    def __init__(
        self,
        app: Any,
        limits: ConnectionLimits,
        find_answer: FindAnswer | None,
        sockets: Collection[str],
        **options: Any,
    ) -> None:
        super().__init__(
            app,
            timeout_keep_alive=limits.idle_s,
            ws="none",
            ws_max_size=MAX_SOCKET_MESSAGE_BYTES,
            ws_per_message_deflate=False,
            **options,
        )
        self.limits = limits
        self.find_answer = find_answer
        self.sockets = frozenset(path.encode() for path in sockets)


class Connection(HttpToolsProtocol):
    """uvicorn's connection with deadlines, limits of the head, and errors in the common envelope.

    A client that has begun a request has `head_s` to finish its head. After one to two times `stall_s` without a byte
    of a body it gets 408; if it reads nothing of the answer for as long, the connection is closed.
    """

    def __init__(
        self,
        config: ConnectionConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.parser = RequestParser(self)
        # As uvicorn has it: an answer is also given to what follows a request with `Connection: close`.
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._limits = config.limits
        self._find_answer = config.find_answer
        self._sockets = config.sockets
        self._is_upgraded = False
        self._small: RequestResponseCycle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._in_head = False
        self._unread_bytes = 0
        self._received_bytes = 0
        self._refusal: tuple[int, LogboomError] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            error = Unavailable(f"{self._limits.connections} connections are open, the maximum")
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, error)
        else:
            self._set_deadline(self._limits.head_s, self._end_head)

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        self._clear_stall()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unread_bytes += len(data)
        self._received_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self._is_upgraded:
            return
        if self._unread_bytes > MAX_HEAD_BYTES:
            self._refuse(*describe_large_head())
        elif self._deadline is None and self._is_free():
            self._set_deadline(self._limits.head_s, self._end_head)
        elif self._deadline is None and self.cycle.more_body:
            self._watch_body()

    def _should_upgrade(self) -> bool:
        """Return whether it is a request for a WebSocket; for other paths such a request is ignored."""
        return self.url.partition(b"?")[0] in self._sockets and self._get_upgrade() == b"websocket"

    def _refuses_offer(self) -> bool:
        """Return whether the request offers another protocol that is not spoken. CONNECT demands a tunnel instead."""
        is_offer = self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"
        return is_offer and not self._should_upgrade()

    def get_refused_head(self) -> bytes | None:
        if not self._refuses_offer():
            return None
        method, version = self.parser.get_method(), self.parser.get_http_version()
        return encode_head(method, self.url, version, self.headers)

    def handle_websocket_upgrade(self) -> None:
        # Few services need the library, which is slow to load.
        from logboom.web.server.upgraded import UpgradedConnection  # noqa: PLC0415

        self.ws_protocol_class = UpgradedConnection
        self._is_upgraded = True
        self._clear_deadline()
        self._clear_stall()
        super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:  # a trailer, which comes too late to matter
            return
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        head_bytes = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if head_bytes > MAX_HEAD_BYTES or len(self.headers) > MAX_HEADERS:
            self._refusal = describe_large_head()
            raise self._refusal[1]
        if sum(name == b"host" for name, _ in self.headers) > 1:
            # A proxy before the service may have checked another one than the service would.
            self._refusal = HTTPStatus.BAD_REQUEST, Invalid("several Host headers, expected one")
            raise self._refusal[1]
        if self._refuses_offer():
            return
        self._clear_deadline()
        self._in_head = False
        self._unread_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread_bytes = 0
        if not self.cycle.body:
            # The buffer of uvicorn copies each piece, and then all of them.
            self.cycle.body = Pieces()  # type: ignore[assignment]
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._refuses_offer():
            return
        self._clear_deadline()
        self._unread_bytes = 0
        super().on_message_complete()
        if self._small is not None and self._small is self.cycle:
            self._start_small(self._small)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._set_deadline(self._limits.stall_s, self.transport.abort)
        elif self._is_free() and (self._in_head or self.cycle.more_body):
            self._set_deadline(self._limits.head_s, self._end_head)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Called by uvicorn when it is the request's turn. A small one must arrive first."""
        scope: Any = cycle.scope
        if self._find_answer and cycle.more_body and is_small(scope):
            self._small = cycle
        else:
            super()._start_asgi_task(cycle, app)

    def _start_small(self, cycle: RequestResponseCycle) -> None:
        self._small = None
        request = WholeRequest(cycle.scope, cycle.receive, bytes(cycle.body))  # type: ignore[arg-type]
        answering = self._find_answer(request) if self._find_answer else None
        if answering is None:
            super()._start_asgi_task(cycle, self.app)
            return
        cycle.body.clear()
        task = self.loop.create_task(self._answer(cycle, answering))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _answer(self, cycle: RequestResponseCycle, answering: Answering) -> None:
        try:
            reply = await answering
            await self._send(cycle, reply)
        except ClientGone:
            log.debug("client went away", extra={"path": cycle.scope["path"]})
        except Exception:
            log.exception("request failed", extra={"path": cycle.scope["path"]})
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, describe_fault())

    async def _send(self, cycle: RequestResponseCycle, reply: Reply) -> None:
        common = self.server_state.default_headers
        is_last, tls = not cycle.keep_alive, cycle.scope["scheme"] == "https"
        answer = encode_answer(reply, common, is_last=is_last, tls=tls)
        if self.flow.write_paused:
            await self.flow.drain()
        if self.transport.is_closing():
            return
        self.transport.write(answer)
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if is_last:
            self.transport.close()
        cycle.on_response()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_writing()

    def resume_writing(self) -> None:
        self._clear_stall()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the caller's words for it
        """Called by uvicorn when the parser fails."""
        self._refuse(*(self._refusal or (HTTPStatus.BAD_REQUEST, Invalid("not a valid request"))))

    def _is_free(self) -> bool:
        """Return whether there is no request yet, or the last one is answered."""
        return bool(getattr(self.cycle, "response_complete", True))

    def _end_head(self) -> None:
        if self._in_head:
            error = DeadlineExceeded(
                f"the request's head was incomplete after {self._limits.head_s:g} seconds"
            )
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, error)
        else:
            self._close()

    def _refuse(self, status: int, error: LogboomError) -> None:
        """Answer with an error, unless an answer is under way, and close."""
        if self._is_free() or not self.cycle.response_started:
            self.transport.write(encode_refusal(status, error, is_encrypted=self.scheme == "https"))
        self._close()

    def _close(self) -> None:
        """Close when everything is sent; what the client does not read in time is discarded."""
        self.transport.close()
        self._set_deadline(self._limits.stall_s, self.transport.abort)

    def _watch_body(self) -> None:
        received_bytes, was_paused = self._received_bytes, self._is_paused()

        def look() -> None:
            if was_paused or self._is_paused() or self._received_bytes > received_bytes:
                self._watch_body()
            else:
                error = f"no byte of the body arrived for {self._limits.stall_s:g} seconds"
                self._refuse(HTTPStatus.REQUEST_TIMEOUT, DeadlineExceeded(error))

        self._set_deadline(self._limits.stall_s, look)

    def _is_paused(self) -> bool:
        """Return whether reading is paused, so that the client cannot send."""
        return self.flow.read_paused or self.cycle.waiting_for_100_continue

    def _watch_writing(self) -> None:
        left_bytes = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() < left_bytes:
                self._watch_writing()
            else:
                self.transport.abort()

        self._clear_stall()
        self._stall = self.loop.call_later(self._limits.stall_s, look)

    def _set_deadline(self, seconds: float, act: Callable[[], None]) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(seconds, act)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _clear_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


def describe_large_head() -> tuple[int, LogboomError]:
    expected = f"expected at most {MAX_HEAD_BYTES} bytes and {MAX_HEADERS} headers"
    error = TooLarge(f"the request's head is too large, {expected}")
    return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, error


def encode_refusal(status: int, error: LogboomError, *, is_encrypted: bool) -> bytes:
    """Return a complete answer as sent over the wire."""
    answer = render_error(error)
    framing = {"Content-Length": str(len(answer.body)), "Connection": "close"}
    headers = add_security(encode(answer.headers | framing), is_encrypted)
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    start = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()
    return b"%b%b\r\n%b" % (start, lines, answer.body)

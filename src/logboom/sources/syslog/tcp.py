"""TCP connections, with or without TLS, each with a framer that splits its stream into messages."""

import asyncio
import logging
import socket
import ssl
from collections import Counter as Counts
from collections.abc import Callable
from typing import cast

from prometheus_client import Counter, Gauge

from logboom.sources.syslog.framing import Framer, Message

log = logging.getLogger(__name__)

HANDSHAKE_S = 10.0
READ_BYTES = 256 * 1024
STALL_S = 60.0
"""An incomplete message is accepted as it is after this long without data."""
KEEPALIVE = {socket.TCP_KEEPIDLE: 60, socket.TCP_KEEPINTVL: 20, socket.TCP_KEEPCNT: 3}
"""Seconds, and probes: idle senders are fine, but those that have vanished must be dropped."""

open_connections = Gauge("logboom_syslog_connections", "Open connections of senders of syslog")
refused_connections = Counter(
    "logboom_syslog_refused_connections",
    "Connections refused, or closed for those of others, because too many were open",
)

Take = Callable[[list[Message]], None]


class TcpReceiver:
    """Passes received messages to `take`, on the event loop; while paused, senders wait."""

    def __init__(self, limit_bytes: int, most_connections: int, take: Take) -> None:
        self.limit_bytes = limit_bytes
        self.take = take
        self.is_paused = False
        self._most_connections = most_connections
        self._connections: set[Connection] = set()
        self._has_refused = False
        self.room = memoryview(bytearray(READ_BYTES))
        """Shared by all connections, because what is read is processed at once."""

    async def listen(self, listening: socket.socket, tls: ssl.SSLContext | None) -> None:
        """Accept connections from a socket, which then belongs to this receiver."""
        enable_keepalive(listening)
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self),
            sock=listening,
            ssl=tls,
            ssl_handshake_timeout=HANDSHAKE_S if tls else None,
        )

    def pause(self) -> None:
        self.is_paused = True
        for connection in self._connections:
            connection.transport.pause_reading()

    def resume(self) -> None:
        self.is_paused = False
        for connection in self._connections:
            connection.resume()

    def admit(self, connection: "Connection") -> bool:
        """Return whether there is room for another connection, which is made if one address holds too much of it."""
        if len(self._connections) >= self._most_connections:
            self._note_refusal()
            silent = self._find_dispensable(connection.peer)
            if silent is None:
                return False
            self.forget(silent)
            self._has_refused = True
            silent.transport.abort()
        self._connections.add(connection)
        open_connections.inc()
        return True

    def _note_refusal(self) -> None:
        refused_connections.inc()
        if not self._has_refused:
            self._has_refused = True
            log.warning("syslog refuses connections", extra={"open": self._most_connections})

    def _find_dispensable(self, peer: str) -> "Connection | None":
        """Return the longest silent connection of the address with most, if that has more than `peer` would have.

        None while senders wait: what they have sent would be lost.
        """
        if self.is_paused:
            return None
        counts = Counts(each.peer for each in self._connections)
        busiest, most = counts.most_common(1)[0]
        if most <= counts[peer] + 1:
            return None
        of_busiest = (each for each in self._connections if each.peer == busiest)
        return min(of_busiest, key=lambda each: each.last_received_s)

    def forget(self, connection: "Connection") -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            self._has_refused = False
            open_connections.dec()

    def finish_stalled(self) -> None:
        """Accept the incomplete messages of stalled senders, unless we made them wait."""
        if self.is_paused:
            return
        before_s = asyncio.get_running_loop().time() - STALL_S
        for connection in self._connections:
            if connection.last_received_s < before_s:
                connection.finish()

    def close(self) -> None:
        """Process what has been received, and stop."""
        self._server.close()
        for connection in list(self._connections):
            self.forget(connection)
            connection.finish()
            connection.transport.abort()


class Connection(asyncio.BufferedProtocol):
    """The stream of one sender."""

    transport: asyncio.Transport

    def __init__(self, receiver: TcpReceiver) -> None:
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._framer = Framer("", receiver.limit_bytes)
        self.peer = ""
        self.last_received_s = self._loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.peer = format_peer(transport)
        if not self._receiver.admit(self):
            self.transport.abort()
            return
        self._framer = Framer(self.peer, self._receiver.limit_bytes)
        self._wait_with_others()

    def _wait_with_others(self) -> None:
        if self._receiver.is_paused:
            self.transport.pause_reading()

    def resume(self) -> None:
        """Continue reading; time for which we made the sender wait does not count as silence."""
        self.last_received_s = self._loop.time()
        self.transport.resume_reading()

    def get_buffer(self, _suggested_bytes: int) -> memoryview:
        """Return the buffer to read into; a single byte if the event loop reads although it was told to wait."""
        room = self._receiver.room
        return room[:1] if self._receiver.is_paused else room

    def buffer_updated(self, size_bytes: int) -> None:
        self.last_received_s = self._loop.time()
        # The event loop reads from a new connection whatever `connection_made` said.
        self._wait_with_others()
        self._receiver.take(self._framer.feed(bytes(self._receiver.room[:size_bytes])))

    def connection_lost(self, _reason: Exception | None) -> None:
        self.finish()
        self._receiver.forget(self)

    def finish(self) -> None:
        """Accept an incomplete message as it is."""
        messages = self._framer.finish()
        if messages:
            self._receiver.take(messages)


def format_peer(transport: asyncio.BaseTransport) -> str:
    """Return the address of the peer, without the zone of a link-local address."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]).partition("%")[0].removeprefix("::ffff:") if peer else ""


def enable_keepalive(listening: socket.socket) -> None:
    """Enable keep-alives on a listening socket; its connections inherit them."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE.items():
        listening.setsockopt(socket.IPPROTO_TCP, option, value)

"""UDP: each datagram is one message. They are received in batches, and those that the kernel drops are counted."""

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import suppress

from logboom.base.compiled import find_compiled
from logboom.base.errors import Unavailable
from logboom.sources.syslog.datagrams import Inbox, PythonInbox
from logboom.sources.syslog.framing import ENDS, Message
from logboom.sources.syslog.packets import Packets

LAST_BATCHES = 1_000
"""More than kernel and inbox hold, so that a flood does not keep the socket open."""
BUFFER_BYTES = 16 * 1024 * 1024
"""The requested kernel buffer; without privileges the system limit applies."""
INBOX_BYTES = 16 * 1024 * 1024
"""What the compiled inbox holds in addition."""
SO_RCVBUFFORCE = 33
SO_MEMINFO = 55
MEMORY_INFO = struct.Struct("=9I")
DROPS_PLACE = 8
DROPS_MASK = 0xFFFF_FFFF

Take = Callable[[list[Message], int], None]
"""Takes messages, and how many were dropped."""


class UdpReceiver:
    """Passes what a socket receives to `take`, on the event loop, while it is not paused."""

    def __init__(self, receiving: socket.socket, limit_bytes: int, take: Take) -> None:
        self._socket = receiving
        self._inbox = open_inbox(receiving, limit_bytes)
        self._packets = Packets(limit_bytes)
        self._seen_drops = 0
        self._take = take
        self._loop = asyncio.get_running_loop()
        self.resume()

    def pause(self) -> None:
        self._loop.remove_reader(self._inbox.fileno())

    def resume(self) -> None:
        self._loop.add_reader(self._inbox.fileno(), self._read)

    def _read(self) -> bool:
        """Read one batch; return whether there was any."""
        datagrams = self._inbox.receive()
        messages = self._packets.open(datagrams)
        self._take([each for each in messages if each.data.rstrip(ENDS)], self._count_drops())
        return bool(datagrams)

    def _count_drops(self) -> int:
        """Return the drops since the last call."""
        before, self._seen_drops = self._seen_drops, read_drops(self._socket)
        return ((self._seen_drops - before) & DROPS_MASK) + self._packets.take_dropped()

    def drop_stalled(self) -> None:
        """Drop the messages whose chunks have not all come in time."""
        self._packets.expire()
        self._take([], self._packets.take_dropped())

    def close(self) -> None:
        """Process what has been received, and stop."""
        self.pause()
        self._inbox.stop()
        for _ in range(LAST_BATCHES):
            if not self._read():
                break
        self._socket.close()


def open_inbox(receiving: socket.socket, limit_bytes: int) -> Inbox:
    """Open an inbox; the compiled one empties the kernel's buffer in time, however busy the interpreter is."""
    native = find_compiled("logboom.sources.syslog._receive")
    if native is None:
        return PythonInbox(receiving, limit_bytes)
    try:
        inbox: Inbox = native.ThreadInbox(receiving, limit_bytes, INBOX_BYTES)
    except OSError:
        return PythonInbox(receiving, limit_bytes)
    return inbox


def read_drops(receiving: socket.socket) -> int:
    """Return how many datagrams did not fit into the kernel's buffer, modulo 2³²."""
    info = receiving.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, MEMORY_INFO.size)
    drops: int = MEMORY_INFO.unpack(info)[DROPS_PLACE]
    return drops


def open_udp(host: str, port: int) -> socket.socket:
    """Return a bound socket with a large buffer; raise Unavailable if that fails."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    receiving = socket.socket(family, socket.SOCK_DGRAM)
    try:
        receiving.setblocking(False)
        enlarge_buffer(receiving)
        receiving.bind((host, port))
    except OSError as error:
        receiving.close()
        raise Unavailable(f"cannot listen on {host} UDP port {port}: {error.strerror}") from error
    return receiving


def enlarge_buffer(receiving: socket.socket) -> None:
    receiving.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
    with suppress(PermissionError):
        receiving.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)

"""Datagrams: each is one message. Many are taken at once, and what the kernel had to drop is counted.

A call for each would give the interpreter lock away each time, and wait for it behind every busy thread.
"""

import asyncio
import ctypes
import mmap
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from logboom.base.errors import Unavailable
from logboom.sources.syslog.framing import ENDS, Message

BATCH = 256
LAST_BATCHES = 1_000
"""More than the kernel holds: a flood does not keep the socket open."""
LARGEST_BYTES = 65_536
"""No datagram is larger."""
BUFFER_BYTES = 16 * 1024 * 1024
"""What the kernel is asked to hold; without privileges it holds as much as the system allows everybody."""
SO_RCVBUFFORCE = 33
SO_MEMINFO = 55
MEMORY_INFO = struct.Struct("=9I")
DROPS_PLACE = 8
DROPS_MASK = 0xFFFF_FFFF
NAME_BYTES = 28
IPV4_PLACE = slice(4, 8)
IPV6_PLACE = slice(8, 24)
MAPPED_IPV4 = bytes(10) + b"\xff\xff"

Take = Callable[[list[Message], int], None]
"""Takes messages, and how many more had to be dropped."""


class Span(ctypes.Structure):
    """The kernel's `struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("size_bytes", ctypes.c_size_t))


class Header(ctypes.Structure):
    """The kernel's `struct msghdr`."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_bytes", ctypes.c_uint32),
        ("spans", ctypes.POINTER(Span)),
        ("span_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_bytes", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class Datagram(ctypes.Structure):
    """The kernel's `struct mmsghdr`."""

    _fields_ = (("header", Header), ("size_bytes", ctypes.c_uint32))


class Datagrams:
    """A socket, and room for what one look at it finds."""

    def __init__(self, receiving: socket.socket, limit_bytes: int) -> None:
        self.socket = receiving
        self._is_ipv6 = receiving.family == socket.AF_INET6
        self._stride_bytes = min(limit_bytes, LARGEST_BYTES)
        self._seen_drops = 0
        # Pages that no datagram was ever long enough to touch take no memory.
        self._data = mmap.mmap(-1, BATCH * self._stride_bytes)
        self._names = (ctypes.c_char * (BATCH * NAME_BYTES))()
        self._spans = (Span * BATCH)()
        self._datagrams = (Datagram * BATCH)()
        data = ctypes.addressof(ctypes.c_char.from_buffer(self._data))
        for at in range(BATCH):
            self._spans[at] = Span(data + at * self._stride_bytes, self._stride_bytes)
            header = self._datagrams[at].header
            header.name = ctypes.addressof(self._names) + at * NAME_BYTES
            header.name_bytes = NAME_BYTES
            header.spans = ctypes.pointer(self._spans[at])
            header.span_count = 1
        # Other than CDLL, PyDLL keeps the interpreter lock: the call never waits.
        self._receive = ctypes.PyDLL(None).recvmmsg

    def receive(self) -> list[Message]:
        """What is there, up to a batch."""
        flags = socket.MSG_DONTWAIT
        count = self._receive(self.socket.fileno(), self._datagrams, BATCH, flags, None)
        names = self._names.raw
        return [self._read(at, names) for at in range(count)]

    def _read(self, at: int, names: bytes) -> Message:
        datagram = self._datagrams[at]
        begin = at * self._stride_bytes
        data = self._data[begin : begin + datagram.size_bytes].rstrip(ENDS)
        name = names[at * NAME_BYTES : (at + 1) * NAME_BYTES]
        sender = format_address(name[IPV6_PLACE if self._is_ipv6 else IPV4_PLACE])
        return Message(data, sender, bool(datagram.header.flags & socket.MSG_TRUNC))

    def count_drops(self) -> int:
        """How many datagrams found no room in the kernel's buffer since this was asked last."""
        info = self.socket.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, MEMORY_INFO.size)
        before, self._seen_drops = self._seen_drops, MEMORY_INFO.unpack(info)[DROPS_PLACE]
        return (self._seen_drops - before) & DROPS_MASK


class UdpReceiver:
    """Gives what a socket receives to `take`, on the event loop, while it is not paused."""

    def __init__(self, receiving: socket.socket, limit_bytes: int, take: Take) -> None:
        self._datagrams = Datagrams(receiving, limit_bytes)
        self._take = take
        self._loop = asyncio.get_running_loop()
        self.resume()

    def pause(self) -> None:
        self._loop.remove_reader(self._datagrams.socket)

    def resume(self) -> None:
        self._loop.add_reader(self._datagrams.socket, self._read)

    def _read(self) -> bool:
        """Take one batch; whether there was any."""
        messages = self._datagrams.receive()
        self._take([each for each in messages if each.data], self._datagrams.count_drops())
        return bool(messages)

    def close(self) -> None:
        """Take what has come until now, and no more."""
        self.pause()
        for _ in range(LAST_BATCHES):
            if not self._read():
                break
        self._datagrams.socket.close()


@lru_cache(maxsize=4096)
def format_address(packed: bytes) -> str:
    """An address as text; an IPv4 one that came by IPv6 as what it is."""
    packed = packed.removeprefix(MAPPED_IPV4)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return socket.inet_ntop(family, packed)


def open_udp(host: str, port: int) -> socket.socket:
    """A bound socket with a large buffer; Unavailable when it cannot be had."""
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

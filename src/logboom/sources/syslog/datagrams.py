"""Receives datagrams in batches: the definition, in plain Python.

One call per datagram would release the interpreter lock each time, and wait for it behind every busy thread.
"""

import ctypes
import mmap
import socket
from functools import lru_cache
from typing import Protocol

from logboom.sources.syslog.framing import Message

BATCH = 256
LARGEST_BYTES = 65_536
"""The maximum size of a datagram."""
NAME_BYTES = 28
IPV4_PLACE = slice(4, 8)
IPV6_PLACE = slice(8, 24)
MAPPED_IPV4 = bytes(10) + b"\xff\xff"


class Inbox(Protocol):
    """The received datagrams of a socket."""

    def fileno(self) -> int:
        """Return a handle that is readable while there is something, until `receive` has found nothing more."""

    def receive(self) -> list[Message]:
        """Return up to a batch of datagrams, including empty ones; does not wait."""

    def stop(self) -> None:
        """Stop reading ahead: take from the socket only what `receive` asks for."""


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


class PythonInbox:
    """Received datagrams stay in the kernel; the buffers here hold one batch."""

    def __init__(self, receiving: socket.socket, limit_bytes: int) -> None:
        self._socket = receiving
        self._is_ipv6 = receiving.family == socket.AF_INET6
        self._stride_bytes = min(limit_bytes, LARGEST_BYTES)
        # Pages that no datagram reaches take no memory.
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
        # Unlike CDLL, PyDLL keeps the interpreter lock: the call never waits.
        self._receive = ctypes.PyDLL(None).recvmmsg

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> list[Message]:
        flags = socket.MSG_DONTWAIT
        count = self._receive(self._socket.fileno(), self._datagrams, BATCH, flags, None)
        names = self._names.raw
        return [self._read(at, names) for at in range(count)]

    def _read(self, at: int, names: bytes) -> Message:
        datagram = self._datagrams[at]
        begin = at * self._stride_bytes
        data = self._data[begin : begin + datagram.size_bytes]
        name = names[at * NAME_BYTES : (at + 1) * NAME_BYTES]
        sender = format_address(name[IPV6_PLACE if self._is_ipv6 else IPV4_PLACE])
        return Message(data, sender, bool(datagram.header.flags & socket.MSG_TRUNC))

    def stop(self) -> None:
        """Do nothing: it never reads ahead."""


@lru_cache(maxsize=4096)
def format_address(packed: bytes) -> str:
    """Return an address as text; an IPv4-mapped IPv6 address as IPv4."""
    packed = packed.removeprefix(MAPPED_IPV4)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return socket.inet_ntop(family, packed)

"""Datagrams that are not text as they come: compressed ones, and the chunks of GELF messages."""

import struct
import zlib
from collections.abc import Callable
from itertools import chain
from time import monotonic

from msgspec import field

from logboom.base.structs import MutableStruct
from logboom.sources.syslog.framing import Message

CHUNK = b"\x1e\x0f"
GZIP = b"\x1f\x8b"
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PACKED = frozenset((CHUNK, GZIP, *ZLIB))
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32

HEAD = struct.Struct(">2x8sBB")
"""Of a chunk: the id of its message, its number, and how many there are."""
MOST_CHUNKS = 128
MAX_AGE_S = 5.0
"""A message whose chunks have not all come by then is dropped, as GELF says."""
MAX_PARTIALS = 1_000
MAX_PARTIAL_BYTES = 16 * 1024 * 1024
CHUNK_BYTES = 256
"""Memory of a chunk beside its text."""

Key = tuple[str, bytes]
"""A sender, and the id of a message."""


class Partial(MutableStruct):
    """The chunks of a message so far, by their numbers."""

    since_s: float
    count: int
    chunks: dict[int, bytes] = field(default_factory=dict)
    size_bytes: int = 0


class Packets:
    """Inflates datagrams and puts chunks together, in bounded memory: the oldest incomplete messages give way."""

    def __init__(self, limit_bytes: int, clock_s: Callable[[], float] = monotonic) -> None:
        self._limit_bytes = limit_bytes
        self._clock_s = clock_s
        self._partials: dict[Key, Partial] = {}
        """The oldest first."""
        self._held_bytes = 0
        self._dropped = 0

    def open(self, datagrams: list[Message]) -> list[Message]:
        """Return the messages that these datagrams are or complete."""
        if PACKED.isdisjoint([datagram.data[:2] for datagram in datagrams]):
            return datagrams
        return list(chain.from_iterable(map(self._open, datagrams)))

    def expire(self) -> None:
        """Drop what has waited too long."""
        before_s = self._clock_s() - MAX_AGE_S
        while self._partials and next(iter(self._partials.values())).since_s < before_s:
            self._drop_oldest()

    def take_dropped(self) -> int:
        """Return how many messages were dropped since the last call."""
        dropped, self._dropped = self._dropped, 0
        return dropped

    def _open(self, datagram: Message) -> list[Message]:
        if not datagram.data.startswith(CHUNK):
            return self._inflate(datagram)
        joined = None if datagram.is_truncated else self._join(datagram)
        return self._inflate(datagram._replace(data=joined)) if joined else []

    def _inflate(self, message: Message) -> list[Message]:
        """Return the message inflated, or nothing if it is too long then; an invalid one stays as it is."""
        data = message.data
        if data[:2] not in PACKED:
            return [message]
        decoder = zlib.decompressobj(GZIP_OR_ZLIB)
        try:
            text = decoder.decompress(data, self._limit_bytes + 1)
        except zlib.error:
            return [message]
        if len(text) > self._limit_bytes:
            self._dropped += 1
            return []
        if decoder.unused_data or not (text or decoder.eof):
            return [message]
        return [Message(text, message.sender, not decoder.eof)]

    def _join(self, chunk: Message) -> bytes | None:
        """Return the message that a chunk completes, or None if it is not complete yet, or the chunk is not valid."""
        self.expire()
        data = chunk.data
        if len(data) < HEAD.size:
            self._dropped += 1
            return None
        identity, number, count = HEAD.unpack_from(data)
        key = chunk.sender, identity
        partial = self._partials.get(key) or Partial(self._clock_s(), count)
        if not number < count <= MOST_CHUNKS or partial.count != count:
            self._dropped += 1
            return None
        self._hold(key, partial, number, data[HEAD.size :])
        if len(partial.chunks) < count or self._partials.get(key) is not partial:
            return None
        self._forget(key)
        return b"".join(partial.chunks[place] for place in range(count))

    def _hold(self, key: Key, partial: Partial, number: int, data: bytes) -> None:
        """Keep a chunk, unless it came before; a message that becomes too long is dropped."""
        self._partials[key] = partial
        if number not in partial.chunks:
            partial.chunks[number] = data
            partial.size_bytes += len(data)
            self._held_bytes += len(data) + CHUNK_BYTES
        if partial.size_bytes > self._limit_bytes:
            self._forget(key)
            self._dropped += 1
        while len(self._partials) > MAX_PARTIALS or self._held_bytes > MAX_PARTIAL_BYTES:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._forget(next(iter(self._partials)))
        self._dropped += 1

    def _forget(self, key: Key) -> None:
        partial = self._partials.pop(key)
        self._held_bytes -= partial.size_bytes + len(partial.chunks) * CHUNK_BYTES

"""Receives a body at a pace: a sender that holds memory and is slow makes way while others wait for memory."""

import asyncio
import time
from contextlib import suppress

from logboom.base.errors import Unavailable
from logboom.ingest.memory import Share
from logboom.web.types import Message, Receive

PATIENCE_S = 10.0
PACE_BYTES = 64 * 1024
"""What must arrive within that time."""
CHECK_S = 1.0


class PacedBody:
    """The `receive` callable of a request whose memory is counted in a share."""

    def __init__(self, receive: Receive, share: Share, held_per_byte: int = 0) -> None:
        """`held_per_byte` is taken from the share for each byte that arrives."""
        self._receive = receive
        self._share = share
        self._held_per_byte = held_per_byte
        self._waited_s = 0.0
        self._arrived_bytes = 0

    async def receive(self) -> Message:
        """Return the next message; raise Unavailable if it takes too long while others wait for memory."""
        message: Message | None = None
        while message is None:
            began_s = time.monotonic()
            with suppress(TimeoutError):
                async with asyncio.timeout(CHECK_S):
                    message = await self._receive()
            self._waited_s += time.monotonic() - began_s
            if self._waited_s > PATIENCE_S and self._share.is_wanted:
                raise Unavailable(
                    "the body arrives too slowly while others wait for memory, try again"
                )
        size_bytes = len(message.get("body", b""))
        await self._share.take(size_bytes * self._held_per_byte)
        self._arrived_bytes += size_bytes
        if self._arrived_bytes >= PACE_BYTES:
            self._arrived_bytes, self._waited_s = 0, 0.0
        return message

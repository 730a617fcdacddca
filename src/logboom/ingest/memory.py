"""Limits the memory of concurrent requests."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

SMALL_SHARE = 1 / 64
"""A request with no more than this share of the memory is small."""
KEPT_SHARE = 1 / 8
"""The share of the memory that only small requests may use."""


class Share:
    """The memory of one request."""

    def __init__(self, budget: "MemoryBudget") -> None:
        self._budget = budget
        self.size_bytes = 0

    async def take(self, size_bytes: int) -> None:
        """Take this much more; waits while others hold too much."""
        await self._budget.grant(self, size_bytes)

    def give(self, size_bytes: int) -> None:
        """Give back some of it."""
        self._budget.release(self, size_bytes)

    @property
    def is_wanted(self) -> bool:
        """Whether it holds memory for which others wait."""
        return self.size_bytes > 0 and self._budget.is_wanted


class MemoryBudget:
    """Requests take memory as their bodies arrive.

    The oldest request never waits, so that some request can always finish. Small requests do not wait for large ones.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._small_bytes = int(capacity_bytes * SMALL_SHARE)
        self._kept_bytes = int(capacity_bytes * KEPT_SHARE)
        self._used_bytes = 0
        self._waiting = 0
        self._released = asyncio.Event()
        self._shares: dict[Share, None] = {}

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Yield a share of the memory, and release it at the end."""
        share = Share(self)
        self._shares[share] = None
        try:
            yield share
        finally:
            del self._shares[share]
            self.release(share, share.size_bytes)

    @property
    def is_wanted(self) -> bool:
        """Whether a request waits for memory."""
        return self._waiting > 0

    def release(self, share: Share, size_bytes: int) -> None:
        share.size_bytes -= size_bytes
        self._used_bytes -= size_bytes
        self._released.set()

    async def grant(self, share: Share, size_bytes: int) -> None:
        while not self._has_room(share, size_bytes):
            self._released.clear()
            self._waiting += 1
            try:
                await self._released.wait()
            finally:
                self._waiting -= 1
        share.size_bytes += size_bytes
        self._used_bytes += size_bytes

    def _has_room(self, share: Share, size_bytes: int) -> bool:
        is_small = share.size_bytes + size_bytes <= self._small_bytes
        room_bytes = self._capacity_bytes - (0 if is_small else self._kept_bytes)
        return self._used_bytes + size_bytes <= room_bytes or next(iter(self._shares)) is share

"""Limits the number of concurrent requests; others wait."""

import asyncio


class RequestLimit:
    """Limits concurrent requests.

    Use it with `async with` on the event loop; its counters may be read from any thread.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.present = 0
        """Requests inside and requests that wait."""
        self._places = asyncio.Semaphore(capacity)

    @property
    def is_full(self) -> bool:
        return self._places.locked()

    async def __aenter__(self) -> None:
        self.present += 1
        try:
            await self._places.acquire()
        except BaseException:
            self.present -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self._places.release()
        self.present -= 1

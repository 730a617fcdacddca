"""Room for a number of requests at once; whoever finds none waits."""

import asyncio


class Room:
    """Entered with `async with`; lives on the event loop, and may be looked at from any thread."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.present = 0
        """Those inside and those who wait for a place."""
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

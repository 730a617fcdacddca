"""Waits on the event loop for the log writer, which is a thread."""

import asyncio
from contextlib import suppress

from logboom.base.errors import Unavailable


class Written:
    """The outcome of one write. The writer calls it, from its thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()
        self._is_settled = False

    def __call__(self, outcome: int | Unavailable) -> None:
        with suppress(RuntimeError):  # the event loop is closed, nobody waits any more
            self._loop.call_soon_threadsafe(self._settle, outcome)

    def _settle(self, outcome: int | Unavailable) -> None:
        self._is_settled = True
        if self._future.done():
            return
        if isinstance(outcome, Unavailable):
            self._future.set_exception(outcome)
        else:
            self._future.set_result(None)

    async def wait(self) -> None:
        """Wait until the batch is on disk; raise Unavailable if it cannot be written.

        Waits until this is known even if cancelled: what follows depends on it.
        """
        try:
            await self._future
        except asyncio.CancelledError:
            if not self._is_settled:
                self._future = self._loop.create_future()
                with suppress(Unavailable):
                    await self._future
            raise

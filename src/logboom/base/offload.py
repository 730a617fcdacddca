"""Runs synchronous code from the event loop on a small pool of threads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Offload:
    """Runs synchronous work off the event loop."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.start(work, *args, **kwargs)

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Start the work, and return a future for its result; call it on the event loop."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._pool, lambda: work(*args, **kwargs))

    def close(self) -> None:
        self._pool.shutdown()

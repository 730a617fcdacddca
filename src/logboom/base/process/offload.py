"""Runs synchronous code from the event loop on a small pool of threads.

A search takes a millisecond, so the way to a thread and back must be short: it is one queue and one call back.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Task(NamedTuple):
    """Work for a thread, and where its result goes."""

    work: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class Offload:
    """Runs synchronous work off the event loop. It belongs to one event loop, and is used on it."""

    def __init__(self, threads: int, name: str) -> None:
        self._most = threads
        self._name = name
        self._threads: list[threading.Thread] = []
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._unfinished = 0

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.start(work, *args, **kwargs)

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Start the work, and return a future for its result."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._unfinished += 1
        if len(self._threads) < min(self._unfinished, self._most):
            self._add_thread()
        self._tasks.put(Task(work, args, kwargs, future, loop))
        return future

    def close(self) -> None:
        """Wait for everything that was started."""
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _add_thread(self) -> None:
        name = f"{self._name}_{len(self._threads)}"
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._do(task)
            # Release its result, which would otherwise stay in memory until the next task.
            del task

    def _do(self, task: Task) -> None:
        result, error = None, None
        if not task.future.cancelled():
            try:
                result = task.work(*task.args, **task.kwargs)
            except BaseException as raised:  # noqa: BLE001 - it is raised where the result is awaited
                error = raised
        with suppress(RuntimeError):  # the event loop is closed, nobody waits any more
            task.loop.call_soon_threadsafe(self._finish, task.future, result, error)
        del error  # its traceback refers to this frame

    def _finish(
        self, future: asyncio.Future[Any], result: Any, error: BaseException | None
    ) -> None:
        self._unfinished -= 1
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

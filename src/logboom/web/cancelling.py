"""Runs work for a client that may disconnect before it is done."""

import asyncio
import math
from collections.abc import Callable
from typing import TypeVar

from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.web.asgi import ClientGone
from logboom.web.types import Receive

T = TypeVar("T")

UNWATCHED_S = 0.05
"""How long work may take before we watch whether its client disconnects."""


async def run_cancellable(
    receive: Receive,
    offload: Offload,
    work: Callable[[Deadline], T],
    length_s: float = math.inf,
) -> T:
    """Run work off the event loop until its deadline, which is set if the client disconnects.

    `receive` is that of a request whose body was read.
    """
    deadline = Deadline(length_s)
    working = offload.start(work, deadline)
    watch = Watch(receive, deadline)
    # Most answers are ready before it pays to watch the client.
    start = asyncio.get_running_loop().call_later(UNWATCHED_S, watch.start)
    try:
        return await working
    finally:
        start.cancel()
        watch.stop()
        deadline.set()
        if watch.is_gone:
            raise ClientGone


class Watch:
    """Sets a deadline if the client disconnects."""

    def __init__(self, receive: Receive, deadline: Deadline) -> None:
        self._receive = receive
        self._deadline = deadline
        self._task: asyncio.Task[None] | None = None
        self.is_gone = False

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._watch())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        self._deadline.set()

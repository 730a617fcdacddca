"""Limits background work to a share of one core, and a smaller one while others are busy."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from logboom.base.errors import Unavailable

NICENESS = 5
"""Not more, because this thread sometimes holds the interpreter lock, and others must not wait long for it."""


class Pace:
    """Waits in proportion to the time worked. For one thread at a time."""

    def __init__(
        self,
        stopping: threading.Event,
        is_busy: Callable[[], bool],
        *,
        idle_share: float,
        busy_share: float,
    ) -> None:
        self._stopping = stopping
        self._is_busy = is_busy
        self._idle_share = idle_share
        self._busy_share = busy_share
        self._resumed_s = time.perf_counter()

    def begin(self) -> None:
        """Count the time from now on as work."""
        self._resumed_s = time.perf_counter()

    def give_way(self) -> None:
        """Pause; raise Unavailable once the store is closing."""
        worked_s = time.perf_counter() - self._resumed_s
        share = self._busy_share if self._is_busy() else self._idle_share
        if self._stopping.wait(worked_s * (1 / share - 1)):
            raise Unavailable("the store is closing")
        self.begin()


def lower_priority() -> None:
    """Lower the thread's priority below all others, if the operating system supports it."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

"""Background tasks of the process: every worker is named, logged, counted and restarted with back-off."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from prometheus_client import Counter

log = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.5
LAST_BACKOFF_S = 30.0

worker_failures = Counter(
    "logboom_worker_failures", "Background worker runs that failed", ["worker"]
)


class Workers:
    """Runs coroutines until stopped; the newest worker stops first."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def every(self, seconds: float, name: str, job: Callable[[], Awaitable[object]]) -> None:
        """Call `job` every `seconds`; failures are logged and cause back-off."""
        self._tasks.append(asyncio.create_task(self._repeat(seconds, name, job), name=name))

    async def _repeat(
        self, seconds: float, name: str, job: Callable[[], Awaitable[object]]
    ) -> None:
        backoff_s = FIRST_BACKOFF_S
        while True:
            try:
                await job()
            except Exception:
                worker_failures.labels(name).inc()
                log.exception("worker failed", extra={"worker": name, "retry_s": backoff_s})
                await asyncio.sleep(backoff_s)
                backoff_s = min(backoff_s * 2, LAST_BACKOFF_S)
            else:
                backoff_s = FIRST_BACKOFF_S
                await asyncio.sleep(seconds)

    async def stop(self) -> None:
        for task in reversed(self._tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()

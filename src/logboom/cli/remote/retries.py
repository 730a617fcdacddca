"""Retries for a server that is busy or temporarily gone."""

import time
from collections.abc import Callable
from typing import TypeVar

import httpx
from rich.console import Console

from logboom.base.errors import Unavailable
from logboom.cli.output import show

PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 30.0, 60.0, 60.0, 60.0)
"""Pauses before each retry; after the last one fails, the error is raised."""

T = TypeVar("T")


class Retrier:
    """Retries calls, and reports it. Nothing is retried before a first contact: the address may be wrong."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._was_reached = False

    def call(self, ask: Callable[[], T]) -> T:
        """Call `ask` until it succeeds; raises its Unavailable after the last retry."""
        for pause_s in PAUSES_S:
            try:
                return self._try(ask)
            except Unavailable as error:
                if not self._was_reached:
                    raise
                self._wait(error, pause_s)
        return ask()

    def _try(self, ask: Callable[[], T]) -> T:
        try:
            answer = ask()
        except Unavailable as error:
            # Any other error still means that a server was there.
            is_unreachable = isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout))
            self._was_reached = self._was_reached or not is_unreachable
            raise
        self._was_reached = True
        return answer

    def _wait(self, error: Unavailable, pause_s: float) -> None:
        """Wait for the pause, or for what the server asks if that is longer."""
        asked_s = error.data.get("retry_after_s", 0)
        assert isinstance(asked_s, int)
        pause_s = max(pause_s, asked_s)
        show(self._console, f"{error.message}, retrying in {pause_s:g} seconds", "yellow")
        time.sleep(pause_s)

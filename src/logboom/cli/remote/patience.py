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


class Patience:
    """Retries and reports it. There are no retries before a first contact: the address may be wrong."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_met = False

    def insist(self, ask: Callable[[], T]) -> T:
        """Call `ask` until it succeeds; raises its Unavailable after the last retry."""
        for pause_s in PAUSES_S:
            try:
                return self._meet(ask)
            except Unavailable as error:
                if not self._is_met:
                    raise
                self._wait(error, pause_s)
        return ask()

    def _meet(self, ask: Callable[[], T]) -> T:
        try:
            answer = ask()
        except Unavailable as error:
            # Any other error still means that a server was there.
            is_nobody = isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout))
            self._is_met = self._is_met or not is_nobody
            raise
        self._is_met = True
        return answer

    def _wait(self, error: Unavailable, pause_s: float) -> None:
        """Wait for the pause, or for what the server asks if that is longer."""
        asked_s = error.data.get("retry_after_s", 0)
        assert isinstance(asked_s, int)
        pause_s = max(pause_s, asked_s)
        show(self._console, f"{error.message}, retrying in {pause_s:g} seconds", "yellow")
        time.sleep(pause_s)

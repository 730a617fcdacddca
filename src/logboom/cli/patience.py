"""Asking a server again that is busy, or gone for a while."""

import time
from collections.abc import Callable
from typing import TypeVar

import httpx
from rich.console import Console

from logboom.base.errors import Unavailable
from logboom.cli.output import show

PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 30.0, 60.0, 60.0, 60.0)
"""How long to wait before each new try, until one succeeds or there is none left."""

T = TypeVar("T")


class Patience:
    """Tries again and says so. A server that was never met is not waited for: its address may be wrong."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_met = False

    def insist(self, ask: Callable[[], T]) -> T:
        """What `ask` gives; Unavailable when it still raises that at the end of patience."""
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
            # Whatever else went wrong, somebody was there.
            is_nobody = isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout))
            self._is_met = self._is_met or not is_nobody
            raise
        self._is_met = True
        return answer

    def _wait(self, error: Unavailable, pause_s: float) -> None:
        """The pause, or what the server asks for when that is longer."""
        asked_s = error.data.get("retry_after_s", 0)
        assert isinstance(asked_s, int)
        pause_s = max(pause_s, asked_s)
        show(self._console, f"{error.message}, trying again in {pause_s:g} seconds", "yellow")
        time.sleep(pause_s)

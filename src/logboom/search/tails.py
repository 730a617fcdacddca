"""Clients that follow new events. Each costs something with every new event, so they are bounded in number."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.errors import Overloaded

MOST_TAILS = 100
MOST_OF_ONE = 20
"""Tails of one principal."""


class Tails:
    """The tails that are open. Thread-safe."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, owner: str) -> Iterator[None]:
        """One more tail of an owner; Overloaded if there are too many."""
        with self._lock:
            own = self._open[owner]
            if own >= MOST_OF_ONE or self._open.total() >= MOST_TAILS:
                raise Overloaded(
                    f"{own} clients follow new lines, expected at most {MOST_OF_ONE}: close those that nobody reads"
                )
            self._open[owner] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[owner] -= 1
                self._open += Counter()

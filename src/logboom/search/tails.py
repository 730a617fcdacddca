"""Counts the clients that follow new events, and limits them: each of them costs time with every new event."""

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
        """Count one more tail of an owner while the context lasts; raise Overloaded if there are too many."""
        with self._lock:
            check_room(self._open[owner], MOST_OF_ONE, "clients of this account")
            check_room(self._open.total(), MOST_TAILS, "clients of all accounts")
            self._open[owner] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[owner] -= 1
                # Addition drops owners who have none.
                self._open += Counter()


def check_room(present: int, most: int, who: str) -> None:
    if present >= most:
        raise Overloaded(
            f"{present} {who} follow new lines, expected at most {most}: close some that nobody reads"
        )

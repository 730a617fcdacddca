"""Counts the answers that last as long as their client reads, and limits them: tails and exports.

A tail costs time with every new event; an export keeps a snapshot of the store, and with it the files of its blocks.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.errors import Overloaded

MOST_STREAMS = 100
MOST_OF_ONE = 20
"""Streams of one principal."""
RETRY_AFTER_S = 5


class Streams:
    """The streams that are open, by whatever protocol. Thread-safe."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, owner: str) -> Iterator[None]:
        """Count one more stream of an owner while the context lasts; raise Overloaded if there are too many."""
        with self._lock:
            check_room(self._open[owner], MOST_OF_ONE, "this account")
            check_room(self._open.total(), MOST_STREAMS, "all accounts")
            self._open[owner] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[owner] -= 1
                # Addition drops owners who have none.
                self._open += Counter()

    def count(self) -> int:
        """Return how many are open."""
        with self._lock:
            return self._open.total()


def check_room(present: int, most: int, who: str) -> None:
    if present >= most:
        raise Overloaded(
            f"{present} tails and exports of {who} are open, expected at most {most}: close some that nobody reads",
            retry_after_s=RETRY_AFTER_S,
        )

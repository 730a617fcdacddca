"""Running calls, so that a later message can cancel one: clients of older protocols send a separate request for this."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

CallId = tuple[str, str, str]
"""Key, session and id of a request. Clients use the same ids, so the session is needed to distinguish them."""


class RunningCalls:
    """Contains only running calls. Thread-safe."""

    def __init__(self) -> None:
        self._calls: dict[CallId, threading.Event] = {}

    @contextmanager
    def enter(self, call: CallId) -> Iterator[threading.Event]:
        """Yield an event that is set when the answer is no longer wanted, at the latest when the call ends."""
        cancelled = threading.Event()
        self._calls[call] = cancelled
        try:
            yield cancelled
        finally:
            cancelled.set()
            if self._calls.get(call) is cancelled:
                del self._calls[call]

    def cancel(self, call: CallId) -> None:
        if cancelled := self._calls.get(call):
            cancelled.set()

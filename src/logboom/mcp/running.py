"""Calls under way, so that a later message can end one: a client of the older protocols says so in a request of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

CallId = tuple[str, str, str]
"""Key, session and number of a request. Clients number their requests alike, so it takes the session to tell them apart."""


class RunningCalls:
    """Holds only calls that run now. May be used from any thread."""

    def __init__(self) -> None:
        self._calls: dict[CallId, threading.Event] = {}

    @contextmanager
    def enter(self, call: CallId) -> Iterator[threading.Event]:
        """The event that is set when nobody wants the answer any more, at the latest when the call is left."""
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

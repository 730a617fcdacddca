"""Running calls, so that a later message can cancel one: clients of older protocols send a separate request for this."""

from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.process.deadline import Deadline

CallId = tuple[str, str, str]
"""Key, session and id of a request. Clients use the same ids, so the session is needed to distinguish them."""


class RunningCalls:
    """Contains only running calls. Thread-safe."""

    def __init__(self) -> None:
        self._calls: dict[CallId, Deadline] = {}

    @contextmanager
    def enter(self, call: CallId, length_s: float) -> Iterator[Deadline]:
        """Yield the deadline of a call that may last this long; it is set when the call ends."""
        deadline = Deadline(length_s)
        self._calls[call] = deadline
        try:
            yield deadline
        finally:
            deadline.set()
            if self._calls.get(call) is deadline:
                del self._calls[call]

    def cancel(self, call: CallId) -> None:
        if deadline := self._calls.get(call):
            deadline.set()

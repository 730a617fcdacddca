"""How long a request may go on asking questions."""

import threading
from time import monotonic

from msgspec import field

from logboom.base.errors import DeadlineExceeded
from logboom.base.structs import InternalStruct


class Deadline(InternalStruct, frozen=True):
    """Until when the questions of a request may be asked; `cancelled` is set when its client has gone."""

    cancelled: threading.Event
    length_s: float
    started_s: float = field(default_factory=monotonic)

    def check(self) -> None:
        """Raise DeadlineExceeded if no further question may be asked."""
        if self.cancelled.is_set():
            raise DeadlineExceeded("the client went away")
        if monotonic() > self.started_s + self.length_s:
            raise DeadlineExceeded(f"stopped after {self.length_s:g} s")

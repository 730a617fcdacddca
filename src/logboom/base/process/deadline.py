"""Until when somebody waits for an answer."""

import math
import threading
from time import monotonic

from logboom.base.errors import DeadlineExceeded


class Deadline(threading.Event):
    """Set when nobody waits any more, because the client has gone; nobody waits longer than `length_s` from now.

    Everything that is done for one request shares one of them.
    """

    def __init__(self, length_s: float = math.inf) -> None:
        super().__init__()
        self._length_s = length_s
        self._ends_s = monotonic() + length_s

    @property
    def left_s(self) -> float:
        """How much time is left; negative if it is over."""
        return self._ends_s - monotonic()

    def check(self) -> None:
        """Raise DeadlineExceeded if nothing more may be begun."""
        if self.is_set():
            raise DeadlineExceeded("the client went away")
        if self.left_s < 0:
            raise DeadlineExceeded(f"stopped after {self._length_s:g} s")

"""The limits of a query: seconds, rows held at once, groups answered, memory, and cancellation."""

import time
from collections.abc import Callable

from msgspec import field

from logboom.base.errors import DeadlineExceeded
from logboom.base.process.deadline import Deadline
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.engine.rows.memory import Memory, Step

OVERTIME = 2
"""How often its time a run may take until its answer is complete, if it ran out of time before."""

OnProgress = Callable[[int, int], None]
"""Called with the number of finished blocks and of all blocks."""


class Limits(InternalStruct, frozen=True):
    """Reaching one makes an answer incomplete, with its reason; nothing is cut silently."""

    timeout_s: float = 30.0
    max_groups: int = 1_000_000
    max_rows: int = 2_000_000
    memory_bytes: int = 512 << 20


class Budget(MutableStruct):
    """The limits of one run, and whether it may continue: also until the deadline of the request that it is part of."""

    limits: Limits
    deadline: Deadline = field(default_factory=Deadline)
    started_s: float = field(default_factory=time.monotonic)
    on_progress: OnProgress | None = None
    memory: Memory = field(default_factory=lambda: Memory(Limits().memory_bytes))

    @property
    def elapsed_ms(self) -> float:
        return (time.monotonic() - self.started_s) * 1000

    def check_time(self) -> "Stop | None":
        if self.deadline.is_set():
            return Stop("cancelled", "the client disconnected")
        if time.monotonic() > self.started_s + self.limits.timeout_s or self.deadline.left_s < 0:
            return Stop("timeout", f"stopped after {self.limits.timeout_s:g} s")
        return None

    def working(self, what: str) -> Step:
        """Return a step that concludes the run: it ends if the client leaves, or after as long as the run may take."""
        return self.memory.working(what, self._check_waiting)

    def _check_waiting(self) -> None:
        self.deadline.check()
        if self.elapsed_ms > 1000 * OVERTIME * self.limits.timeout_s:
            raise DeadlineExceeded(f"stopped after {self.elapsed_ms / 1000:.0f} s")

    def check_rows(self, rows: int) -> "Stop | None":
        """Return whether more rows were collected than may be held."""
        if rows > self.limits.max_rows:
            return Stop("max_rows", f"more than {self.limits.max_rows} rows would be held")
        return None


class Stop(InternalStruct, frozen=True):
    """Why a run ended early."""

    code: str
    message: str


class Interrupted(Exception):
    """Work ends early, because its run does."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.message)
        self.stop = stop


class Watch:
    """Interrupts work on a block when its run may not continue; sent to another process it never does."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget

    def check(self) -> None:
        """Raise Interrupted if there is no time left."""
        stop = self._budget.check_time() if self._budget else None
        if stop:
            raise Interrupted(stop)

    def __reduce__(self) -> tuple[object, ...]:
        return Watch, ()


NEVER = Watch()

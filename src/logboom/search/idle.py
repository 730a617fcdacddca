"""What is remembered of blocks is given up when nobody asks anything, so that an idle service is a small one."""

from logboom.base.clock import NS_PER_S
from logboom.engine.answers.engine import Engine

IDLE_NS = 300 * NS_PER_S


class IdleCaches:
    """The columns and partial results that an engine keeps in memory. May be used by any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._asked_ns: int | None = None
        """When the last question was asked; None once what it left behind was given up."""

    def note_question(self, now_ns: int) -> None:
        self._asked_ns = now_ns

    def give_up(self, now_ns: int) -> bool:
        """Whether nothing was asked for a while, and what is remembered of the blocks was dropped for that."""
        if self._asked_ns is None or now_ns - self._asked_ns < IDLE_NS:
            return False
        self._asked_ns = None
        self._engine.forget()
        return True

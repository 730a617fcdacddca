"""Drops cached blocks when there are no queries, so that an idle service uses little memory."""

from logboom.base.clock import NS_PER_S
from logboom.engine.answers.engine import Engine

IDLE_NS = 300 * NS_PER_S


class IdleCaches:
    """The columns and partial results that an engine caches. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._last_query_ns: int | None = None
        """When the last query ran; None once its caches were dropped."""

    def note_question(self, now_ns: int) -> None:
        self._last_query_ns = now_ns

    def give_up(self, now_ns: int) -> bool:
        """Drop the caches if there was no query for a while; return whether they were dropped."""
        if self._last_query_ns is None or now_ns - self._last_query_ns < IDLE_NS:
            return False
        self._last_query_ns = None
        self._engine.forget()
        return True

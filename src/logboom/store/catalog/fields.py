"""The fields of events that the table's schema does not name yet.

The schema is part of a commit and grows with every name in it, and anybody who may send events can invent names. So
new names of a large schema are collected and added together, after a pause that grows with it.
"""

import threading
from collections.abc import Mapping

from logboom.base.clock import NS_PER_S
from logboom.store.catalog.table import CORE_COLUMNS, MOST_FIELDS, is_nameable

PAUSE_NS = 10 * NS_PER_S
FIELDS_PER_PAUSE = 100
"""One pause between two schemas for each this many fields of the schema."""


class NewFields:
    """Columns of blocks that wait to be named. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._schema: Mapping[str, object] = {}
        self._named: frozenset[str] = frozenset()
        """In lower case: a schema has no two names that differ only in case."""
        self._waiting: dict[str, None] = {}
        self._named_ns: int | None = None

    @property
    def _room(self) -> int:
        return MOST_FIELDS + len(CORE_COLUMNS) - len(self._named)

    def note(self, columns: Mapping[str, int]) -> None:
        """Note a block's columns, and how many rows have each."""
        with self._lock:
            if len(self._waiting) >= self._room:
                return
            unknown = columns.keys() - self._schema.keys() - self._waiting.keys()
            new = [name for name in unknown if self._is_new(name)]
            # The most frequent ones first: a field that every row has matters more than a rare one.
            new.sort(key=lambda name: (-columns[name], name))
            self._waiting |= dict.fromkeys(new[: self._room - len(self._waiting)])

    def _is_new(self, name: str) -> bool:
        return name.lower() not in self._named and is_nameable(name)

    def list_due(self, now_ns: int) -> list[str]:
        """Return the columns that the next commit should name; none shortly after others were named."""
        with self._lock:
            pause_ns = PAUSE_NS * (len(self._named) // FIELDS_PER_PAUSE)
            # If the clock was set back they must not wait.
            is_early = self._named_ns is not None and 0 <= now_ns - self._named_ns < pause_ns
            return [] if is_early else list(self._waiting)

    def settle(self, schema: Mapping[str, object], now_ns: int) -> None:
        """Note that the schema has these columns now."""
        with self._lock:
            if schema is self._schema:
                return
            self._schema = schema
            self._named = frozenset(name.lower() for name in schema)
            left = [name for name in self._waiting if self._is_new(name)] if self._room > 0 else []
            if len(left) < len(self._waiting):
                self._waiting = dict.fromkeys(left)
                self._named_ns = now_ns

"""Deletes files that a crash left half-written, once it is certain that nobody is writing them."""

import logging
import threading
from pathlib import Path

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.stores.objects import ObjectStore

log = logging.getLogger(__name__)

PATTERNS = (".*.tmp", "wal/.*.tmp", "wal/*.probe", "secrets/.*.tmp", "set-aside/.*.tmp")
"""What crashes leave in a data directory."""
AGE_NS = 3600 * NS_PER_S
"""How long a file must be unchanged in a store that other nodes may share."""


def clear_directory(data: Path) -> None:
    """Delete half-written files in a data directory; its lock must be held."""
    for pattern in PATTERNS:
        for path in data.glob(pattern):
            log.info("half-written file deleted", extra={"file": str(path)})
            path.unlink(missing_ok=True)


class Leftovers:
    """The half-written files of a store. Thread-safe.

    `clock` is the time of day, `stopwatch` a monotonic clock in nanoseconds: a file is deleted when it is old by the
    clock and this process has seen it unchanged for as long.
    """

    def __init__(self, objects: ObjectStore, clock: Clock, stopwatch: Clock) -> None:
        self._objects = objects
        self._clock = clock
        self._stopwatch = stopwatch
        self._lock = threading.Lock()
        self._seen: dict[str, tuple[int, int]] = {}
        """When each file was changed, and since when this process has seen it unchanged."""

    def delete_old(self) -> int:
        """Delete the files that are due; return how many were deleted."""
        with self._lock:
            now_ns = self._stopwatch()
            found = self._objects.list_unfinished()
            self._seen = {
                name: self._seen[name]
                if self._seen.get(name, (None, 0))[0] == changed_ns
                else (changed_ns, now_ns)
                for name, changed_ns in found.items()
            }
            due = [name for name in found if self._is_due(name, now_ns)]
            self._objects.delete_all(due)
        if due:
            log.info("half-written files deleted", extra={"files": len(due)})
        return len(due)

    def _is_due(self, name: str, now_ns: int) -> bool:
        changed_ns, seen_ns = self._seen[name]
        return now_ns - seen_ns >= AGE_NS and self._clock() - changed_ns >= AGE_NS

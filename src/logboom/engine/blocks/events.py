"""The event cache: events that were read for an answer, least recently used dropped first.

A page that is refreshed, sorted or narrowed shows most of its events again.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

OVERHEAD_BYTES = 200
"""The memory of an event in addition to its bytes."""

Event = dict[str, object]


class EventCache:
    """Events by block and row, stored as bytes so that each caller gets its own copy. Thread-safe."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._size_bytes = 0
        self._events: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def has_all(self, path: str, rows: Iterable[int]) -> bool:
        """Return whether all these rows of a block are cached."""
        return all((path, row) in self._events for row in rows)

    def find(self, path: str, rows: Iterable[int]) -> dict[int, Event]:
        """Return the cached events among these rows of a block, by row."""
        found = {}
        with self._lock:
            for row in rows:
                key = path, row
                if key in self._events:
                    self._events.move_to_end(key)
                    found[row] = self._events[key]
        return {row: msgspec.msgpack.decode(data) for row, data in found.items()}

    def keep(self, path: str, events: Mapping[int, Event]) -> None:
        written = dict(write_events(events))
        with self._lock:
            for row, data in written.items():
                if (path, row) not in self._events:
                    self._events[path, row] = data
                    self._size_bytes += len(data) + OVERHEAD_BYTES
            while self._size_bytes > self._capacity_bytes:
                self._size_bytes -= len(self._events.popitem(last=False)[1]) + OVERHEAD_BYTES

    def drop(self, paths: Iterable[str]) -> None:
        """Drop the events of removed blocks."""
        gone = set(paths)
        with self._lock:
            for key in [key for key in self._events if key[0] in gone]:
                self._size_bytes -= len(self._events.pop(key)) + OVERHEAD_BYTES

    def clear(self) -> None:
        with self._lock:
            self._events.clear()
            self._size_bytes = 0

    @property
    def size_bytes(self) -> int:
        return self._size_bytes


def write_events(events: Mapping[int, Event]) -> Iterator[tuple[int, bytes]]:
    """Yield events as bytes; those with numbers of more than 64 bits are left out."""
    for row, event in events.items():
        try:
            yield row, msgspec.msgpack.encode(event)
        except OverflowError:
            continue

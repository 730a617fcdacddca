"""An entry of the journal as an event."""

from typing import Any

from logboom.formats.reader import ENCODER
from logboom.formats.syslog import LEVELS

MAX_VALUE_BYTES = 1024 * 1024
MAX_ENTRY_BYTES = 2 * 1024 * 1024
MAX_FIELDS = 1024
"""As many as the journal's own receiver takes."""

TIME, PRIORITY, MESSAGE = "__REALTIME_TIMESTAMP", "PRIORITY", "message"
SEVERITIES = {str(number): number for number in range(len(LEVELS))}
MOST_DIGITS = 19


class Entry:
    """The fields of an entry so far; what is too much for an event is left out, which makes it truncated."""

    def __init__(self) -> None:
        self._fields: list[tuple[str, str]] = []
        self._size_bytes = 0
        self._is_truncated = False
        self._unread = ""
        self.is_damaged = False

    @property
    def is_empty(self) -> bool:
        return not self._fields and not self.is_damaged

    def add(self, name: bytes, value: bytes) -> None:
        kept = value[:MAX_VALUE_BYTES]
        has_room = (
            self._size_bytes + len(kept) <= MAX_ENTRY_BYTES and len(self._fields) < MAX_FIELDS
        )
        if has_room:
            self._fields.append((name.decode(), kept.decode(errors="backslashreplace")))
            self._size_bytes += len(kept)
        self._is_truncated = self._is_truncated or not has_room or len(kept) < len(value)

    def give_up(self, data: bytes) -> None:
        """The entry cannot be read from this text on."""
        self.is_damaged = True
        self._unread = data[:MAX_VALUE_BYTES].decode(errors="backslashreplace").strip()

    def encode(self) -> bytes:
        """The event as one line of JSON."""
        event = make_event(self._fields)
        if self._unread:
            event.setdefault(MESSAGE, self._unread)
        if self._is_truncated:
            event["truncated"] = True
        return ENCODER.encode(event)


def make_event(fields: list[tuple[str, str]]) -> dict[str, Any]:
    """The time and the level of an entry, and its fields by their names in lower case.

    A repeated field has all its values. One with the name of the time or the level is called `inner_…`.
    """
    event: dict[str, Any] = {}
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    time_us = values.get(TIME, [""])[0]
    if time_us.isdecimal() and len(time_us) <= MOST_DIGITS:
        event["timestamp"] = int(values.pop(TIME)[0])
    severity = SEVERITIES.get(values.get(PRIORITY, [""])[0])
    if severity is not None:
        del values[PRIORITY]
        event |= {"level": LEVELS[severity], "severity": severity}
    own = frozenset(event)
    for name, several in values.items():
        folded = name.lower()
        key = f"inner_{folded}" if folded in own else folded
        event.setdefault(key, several[0] if len(several) == 1 else several)
    if isinstance(event.get(MESSAGE), list):
        event[MESSAGE] = "\n".join(event[MESSAGE])
    return event

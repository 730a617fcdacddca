"""An entry of the journal as an event."""

from functools import lru_cache
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.reader import ENCODER
from logboom.formats.syslog import LEVELS
from logboom.model.names import fold_name

MAX_VALUE_BYTES = 1024 * 1024
MAX_ENTRY_BYTES = 2 * 1024 * 1024
MAX_FIELDS = 1024
"""As many as the journal's own receiver takes."""

TIME, PRIORITY, MESSAGE = "__realtime_timestamp", "priority", "message"
SEVERITIES = {str(at): {"level": level, "severity": at} for at, level in enumerate(LEVELS)}
MOST_DIGITS = 19
MAX_NAME_LENGTH = 256
NAME = compile_later(r"[A-Za-z_][A-Za-z0-9_]*+")

Field = tuple[str, str]
"""A name, as events have it, and a value."""


class Entry:
    """The fields of an entry so far; what is too much for an event is left out, which makes it truncated."""

    def __init__(self) -> None:
        self._fields: list[Field] = []
        self._size_bytes = 0
        self._is_truncated = False
        self._unread = ""
        self.is_damaged = False

    @property
    def is_empty(self) -> bool:
        return not self._fields and not self.is_damaged

    def add(self, name: str, value: bytes) -> None:
        kept = value[:MAX_VALUE_BYTES]
        has_room = (
            self._size_bytes + len(kept) <= MAX_ENTRY_BYTES and len(self._fields) < MAX_FIELDS
        )
        if has_room:
            self._fields.append((name, kept.decode(errors="backslashreplace")))
            self._size_bytes += len(kept)
        self._is_truncated = self._is_truncated or not has_room or len(kept) < len(value)

    def give_up(self, data: bytes) -> None:
        """Mark the entry as damaged: it cannot be read from this text on."""
        self.is_damaged = True
        self._unread = data[:MAX_VALUE_BYTES].decode(errors="backslashreplace").strip()

    def encode(self) -> bytes:
        """Return the event as one line of JSON."""
        event = make_event(self._fields)
        if self._unread:
            event.setdefault(MESSAGE, self._unread)
        if self._is_truncated:
            event["truncated"] = True
        return ENCODER.encode(event)


def fold_field(name: str) -> str | None:
    """Return the name of a field in the event, or None if it is not one of the journal."""
    return recall_field(name) if len(name) <= MAX_NAME_LENGTH else None


@lru_cache(maxsize=4096)
def recall_field(name: str) -> str | None:
    """Return the field of a name; cached, because every entry has the same names."""
    return fold_name(name) if NAME.fullmatch(name) else None


def read_texts(entry: bytes) -> list[Field] | None:
    """Return the fields of an entry of usual size that are all text, or None for any other."""
    if len(entry) > MAX_VALUE_BYTES:
        return None
    fields: list[Field] = []
    for line in entry.decode(errors="backslashreplace").split("\n"):
        name, sign, value = line.partition("=")
        folded = fold_field(name)
        if not sign or folded is None:
            return None
        fields.append((folded, value))
    return fields if len(fields) <= MAX_FIELDS else None


def make_event(fields: list[Field]) -> dict[str, Any]:
    """Return the time and the level of an entry, and its other fields; a repeated one has all its values.

    A field with the name of the time or the level is called `inner_…`.
    """
    values: dict[str, Any] = dict(fields)
    if len(values) < len(fields):
        values = gather(fields)
    event: dict[str, Any] = {}
    time_us, priority = values.get(TIME), values.get(PRIORITY)
    if type(time_us) is str and time_us.isdecimal() and len(time_us) <= MOST_DIGITS:
        event["timestamp"] = int(values.pop(TIME))
    if type(priority) is str and priority in SEVERITIES:
        event |= SEVERITIES[values.pop(PRIORITY)]
    for name in event.keys() & values.keys():
        values[f"inner_{name}"] = values.pop(name)
    return event | values


def gather(fields: list[Field]) -> dict[str, Any]:
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    if MESSAGE in values:
        values[MESSAGE] = ["\n".join(values[MESSAGE])]
    return {name: several if len(several) > 1 else several[0] for name, several in values.items()}

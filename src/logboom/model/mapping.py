"""Which keys of an event become its time, message and source, and which fields its containers add.

An event's *namespace* is its top-level keys, with the attribute containers opened one level. A value is identified by
its position: the indices that lead to it through the members of the event.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from logboom.model.jsonline import Members, Number, Value
from logboom.model.names import fold_name
from logboom.model.timestamps import ParsedTime, parse_time

Position = tuple[int, ...]


class Role(StrEnum):
    """The three core fields."""

    TIME = "timestamp"
    MESSAGE = "message"
    SOURCE = "source"


ALIASES: dict[Role, tuple[str, ...]] = {
    Role.TIME: (
        *("timestamp", "ts", "time", "@timestamp", "Timestamp"),
        *("eventTime", "datetime", "@t", "asctime"),
        *("_SOURCE_REALTIME_TIMESTAMP", "__REALTIME_TIMESTAMP"),
    ),
    Role.MESSAGE: ("message", "msg", "Body", "body", "event", "Msg", "log.body", "@m", "@mt"),
    Role.SOURCE: ("source", "log.source", "_source"),
}
"""Input keys of each core field, the first present wins; other spellings of its own name come last.

The last two times are those of the systemd journal, in microseconds.
"""

BYTES_KEY = "MESSAGE"
"""The journal writes a message that is not plain text as an array of its bytes."""

BYTE_TEXTS = {str(number): number for number in range(256)}

CONTAINERS = ("Attributes", "Resource", "attributes", "resource")


class Entry(NamedTuple):
    """One key of an event's namespace."""

    key: str
    value: Value
    position: Position


class Mapping(NamedTuple):
    """The decisions about an event: its time, which entry has which role, what is shadowed."""

    time: ParsedTime | None
    roles: dict[Position, Role]
    shadowed: frozenset[Position]


def is_container(key: str, value: Value) -> bool:
    return key in CONTAINERS and isinstance(value, Members)


def map_event(event: Members) -> Mapping:
    """Decide how an event is mapped."""
    entries, shadowed = open_containers(event)
    roles: dict[Position, Role] = {}
    time = None
    for role in Role:
        winner = choose_winner(role, entries)
        if winner is None:
            continue
        if role is Role.TIME:
            time = read_time(winner.value)
            if time is None:
                continue
        roles[winner.position] = role
    return Mapping(time, roles, shadowed)


def open_containers(event: Members) -> tuple[list[Entry], frozenset[Position]]:
    """Return the namespace, and the positions of container keys that a key of the same name hides.

    A top-level key hides a container's; a record's attributes hide its resource's.
    """
    entries = [
        Entry(key, value, (at,))
        for at, (key, value) in enumerate(event)
        if not is_container(key, value)
    ]
    taken = {fold_name(entry.key) for entry in entries}
    containers = [
        (at, key, value) for at, (key, value) in enumerate(event) if is_container(key, value)
    ]
    containers.sort(key=lambda container: fold_name(container[1]) == "resource")
    shadowed: set[Position] = set()
    for at, _, members in containers:
        assert isinstance(members, Members)
        opened = [Entry(key, value, (at, inner)) for inner, (key, value) in enumerate(members)]
        shadowed.update(entry.position for entry in opened if fold_name(entry.key) in taken)
        visible = [entry for entry in opened if entry.position not in shadowed]
        entries.extend(visible)
        taken.update(fold_name(entry.key) for entry in visible)
    return entries, frozenset(shadowed)


def choose_winner(role: Role, entries: list[Entry]) -> Entry | None:
    """Return the entry with the best alias of `role` whose value is scalar and not null."""
    best: tuple[int, bool] | None = None
    winner = None
    for entry, nested in list_candidates(entries):
        if not is_plain(entry.value) and not (role is Role.MESSAGE and is_byte_text(entry)):
            continue
        rank = rank_alias(role, entry.key)
        if rank is not None and (best is None or (rank, nested) < best):
            best, winner = (rank, nested), entry
    return winner


def is_plain(value: Value) -> bool:
    return value is not None and not isinstance(value, list | Members)


def is_byte_text(entry: Entry) -> bool:
    """Return whether a value is a message written as an array of bytes."""
    value = entry.value
    if entry.key != BYTES_KEY or not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, Number) and item.text in BYTE_TEXTS for item in value)


def read_byte_text(value: list[Value]) -> str:
    """Return the text of such a message; bytes that are not UTF-8 become readable escapes."""
    numbers = (BYTE_TEXTS[item.text] for item in value if isinstance(item, Number))
    return bytes(numbers).decode(errors="backslashreplace")


def list_candidates(entries: list[Entry]) -> Iterator[tuple[Entry, bool]]:
    """Yield every entry, then the members of `log` objects under their dotted names."""
    for entry in entries:
        yield entry, False
        if entry.key == "log" and isinstance(entry.value, Members):
            for at, (key, value) in enumerate(entry.value):
                if f"log.{key}" in ("log.body", "log.source"):
                    yield Entry(f"log.{key}", value, (*entry.position, at)), True


def rank_alias(role: Role, key: str) -> int | None:
    """Return the rank of `key` among the aliases of `role`; lower is better, None is not an alias."""
    aliases = ALIASES[role]
    if key in aliases:
        return aliases.index(key)
    return len(aliases) if fold_name(key) == role.value else None


def read_time(value: Value) -> ParsedTime | None:
    if isinstance(value, str):
        return parse_time(value, quoted=True)
    return parse_time(value.text, quoted=False) if isinstance(value, Number) else None

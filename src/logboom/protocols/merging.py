"""Joins labels, metadata or an envelope's members to the JSON text of an event.

The event's text is passed on unchanged; members that it already has are not joined.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, chain
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec

from logboom.base.compiled import find_compiled
from logboom.model.columns import MAX_PATH_LENGTH, MAX_PATH_SEGMENTS
from logboom.model.jsonline import MAX_NESTING, encode_text, parse_object
from logboom.model.mapping import ALIASES, CONTAINERS, Role
from logboom.model.names import fold_name
from logboom.model.shredder import NATIVE

MAX_KNOWN_LENGTH = 1000
MAX_CACHED_MEMBERS = 32_000
"""Members in a cache, each of which takes some hundred bytes."""
MEMBERS_PER_ENTRY = 16
"""What an entry of a cache counts for beside its members."""
MAX_MEMBERS = 10_000
"""Members that a request may add to an event."""
CONTAINER_KEYS = frozenset(map(fold_name, CONTAINERS))
MAX_KNOWN_KINDS = 256
LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
OUTRANKED: dict[str, tuple[str, ...]] = {
    alias: aliases[rank + 1 :] for aliases in ALIASES.values() for rank, alias in enumerate(aliases)
}
"""For each alias of a core field, the aliases that it outranks."""
ROLE_STARTS = b'"-0123456789tf'
"""First characters of values that can be a core field: not null, no object, no array."""

Members = dict[str, msgspec.Raw]
DECODER = msgspec.json.Decoder(Members)

T = TypeVar("T")


class Joiner(Protocol):
    """Joins members to the text of an ordinary event; implemented in compiled code."""

    def join(
        self, event: bytes, time: bytes | None, texts: dict[int, bytes]
    ) -> bytes | int | None: ...


def open_joiner(names: tuple[str, ...]) -> Joiner | None:
    """Return a joiner for events that may have some of these keys, or None without compiled code."""
    native = find_compiled(NATIVE)
    return native.Joiner(name.encode() for name in names) if native else None


class Extra(NamedTuple):
    """What is known about an extra member from its name alone."""

    key: bytes
    """How it starts when it is joined: a comma, the name, a colon."""
    folded: str
    outranked: tuple[str, ...]


class ExtraNames(NamedTuple):
    """What is known about some extras from their names."""

    extras: tuple[Extra, ...]
    watched: frozenset[str]
    """Folded keys; an event without any of them has none of the extras under any name."""
    joined: tuple[str, ...]
    """The watched keys that the joiner distinguishes, in its order."""
    joiner: Joiner | None

    def list_names(self, number: int) -> set[str]:
        """Return the names that the joiner's result stands for."""
        return {name for place, name in enumerate(self.joined) if number >> place & 1}


def describe_names(names: tuple[str, ...]) -> ExtraNames:
    extras = tuple(
        Extra(f",{encode_text(name)}:".encode(), fold_name(name), OUTRANKED.get(name, ()))
        for name in names
    )
    hidden = chain(names, *(extra.outranked for extra in extras))
    watched = CONTAINER_KEYS.union(watch_names(hidden))
    joined = tuple(name for name in watched if name.isascii())
    return ExtraNames(extras, watched, joined, open_joiner(joined))


recall_names = lru_cache(maxsize=1024)(describe_names)
"""Cached, because names repeat from event to event and from request to request."""


def watch_names(names: Iterable[str]) -> Iterator[str]:
    """Yield every key that a dotted name may start with."""
    for name in names:
        yield from accumulate(fold_name(name).split(".", MAX_PATH_SEGMENTS), "{}.{}".format)


class Extras:
    """Members to join to many events, in the given order: name → JSON text on one line."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        names = tuple(members)
        is_usual = len("".join(names)) <= MAX_KNOWN_LENGTH
        self._names = (recall_names if is_usual else describe_names)(names)
        self._extras, self._watched = self._names.extras, self._names.watched
        self._joiner = self._names.joiner
        self._texts = [
            extra.key + text for extra, text in zip(self._extras, members.values(), strict=True)
        ]
        self._text = b"".join(self._texts)
        self._has_ranks = any(extra.outranked for extra in self._extras)
        self._fitting = {0: self._text}
        """What is joined to ordinary events, by which of the names they have."""
        self._known: dict[tuple[object, ...], bytes] = {}

    def join(self, event: bytes, time_ns: bytes | None) -> bytes | None:
        """Join an ordinary event in one step; return None for any other, or if that is not possible."""
        if self._joiner is None:
            return None
        joined = self._joiner.join(event, time_ns, self._fitting)
        if isinstance(joined, int):
            if self._has_ranks:
                return None
            if len(self._fitting) > MAX_KNOWN_KINDS:
                self._fitting = {0: self._text}
            self._fitting[joined] = self._join_missing(joined)
            return self.join(event, time_ns)
        return joined

    def _join_missing(self, found: int) -> bytes:
        """Return what is left for events that have these names."""
        names = self._names.list_names(found)
        return b"".join(
            text
            for extra, text in zip(self._names.extras, self._texts, strict=True)
            if extra.folded not in names
        )

    def fit(self, own: Members, *, has_time: bool) -> bytes:
        """Return the extras that an event with the members `own` does not have, each after a comma.

        `has_time`: the event has a time from outside.
        """
        if self._watched.isdisjoint(map(fold_name, own)):
            return self._text
        watched = {key: value for key, value in own.items() if fold_name(key) in self._watched}
        starts = bytes(memoryview(value)[0] for value in watched.values())
        if b"{" in starts:
            return self._leave_out(watched, has_time=has_time)
        # Of a plain value only its first character matters.
        kind = (*watched, starts, has_time)
        text = self._known.get(kind)
        if text is None:
            text = self._leave_out(watched, has_time=has_time)
            if len(self._known) < MAX_KNOWN_KINDS:
                self._known[kind] = text
        return text

    def _leave_out(self, watched: Members, *, has_time: bool) -> bytes:
        names = dict(list_names(watched))
        taken = set(map(fold_name, names))
        roles = {name for name, value in names.items() if memoryview(value)[0] in ROLE_STARTS}
        if has_time:
            roles.difference_update(ALIASES[Role.TIME])
        return b"".join(
            text
            for extra, text in zip(self._extras, self._texts, strict=True)
            if extra.folded not in taken and roles.isdisjoint(extra.outranked)
        )


class MembersCache(Generic[T]):
    """A cache of what was made from members, by their source; it is cleared when there are too many members."""

    def __init__(self) -> None:
        self._known: dict[Hashable, T] = {}
        self._members = 0
        self.find = self._known.get

    def keep(self, source: Hashable, made: T, members: int) -> T:
        """Add what was made from so many members, and return it."""
        self._members += members + MEMBERS_PER_ENTRY
        if self._members > MAX_CACHED_MEMBERS:
            self._known.clear()
            self._members = members + MEMBERS_PER_ENTRY
        self._known[source] = made
        return made


def merge_members(event: bytes, time_ns: bytes | None, extras: Mapping[str, bytes]) -> bytes | None:
    """Return the JSON object `event` on one line, `"timestamp":time_ns` first, with the `extras` that it lacks.

    The first `timestamp` is the time of the event, so that one of its own stays as an ordinary field. None if `event`
    is not a JSON object. Extras that repeat should be made once: see `merge_extras`.
    """
    return merge_extras(event, time_ns, Extras(extras))


def merge_extras(event: bytes, time_ns: bytes | None, extras: Extras) -> bytes | None:
    """Do what `merge_members` does, with prepared extras."""
    return merge_unread(event, time_ns, extras) or merge_read(event, time_ns, extras)


def merge_unread(event: bytes, time_ns: bytes | None, extras: Extras) -> bytes | None:
    """Do what `merge_members` does for an ordinary event, reading only its keys; return None for any other."""
    if may_be_deep(event) or b"\\u" in event:
        return None
    if not event.isascii():
        try:
            event.decode()
        except UnicodeDecodeError:
            return None
    return extras.join(event, time_ns)


def merge_read(event: bytes, time_ns: bytes | None, extras: Extras) -> bytes | None:
    """Do what `merge_members` does for any event, which is parsed."""
    own = read_members(event)
    if own is None:
        mended = mend_surrogates(event)
        return None if mended == event else merge_read(mended, time_ns, extras)
    if b"\n" in event:  # in valid JSON it is only whitespace between tokens
        event = event.replace(b"\n", b" ")
    if time_ns is None:
        joined = (b"," + event.strip()[1:-1] if own else b"") + extras.fit(own, has_time=False)
        return b"{%b}" % joined[1:]
    text = extras.fit(own, has_time=True)
    if not own:
        return b'{"timestamp":%b%b}' % (time_ns, text)
    return b'{"timestamp":%b,%b%b}' % (time_ns, event.strip()[1:-1], text)


def read_members(event: bytes) -> Members | None:
    """Return the members of a JSON object as texts, or None if the service would not accept it as one."""
    try:
        own = DECODER.decode(event)
        if not event.isascii():
            event.decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if may_be_deep(event) and parse_object(event) is None else own


def may_be_deep(event: bytes) -> bool:
    if len(event) < 2 * MAX_NESTING:
        return False
    return event.count(b"{") + event.count(b"[") > MAX_NESTING


def mend_surrogates(text: bytes) -> bytes:
    """Return JSON text with escaped lone surrogates replaced by the replacement character.

    Our own reader accepts them, as does the browser that split a text; msgspec does not.
    """
    if b"\0" in text:  # which is not JSON
        return text
    without_backslashes = text.replace(rb"\\", b"\0")
    return LONE_SURROGATE.sub(rb"\\ufffd", without_backslashes).replace(b"\0", rb"\\")


def list_names(own: Members) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield every name by which an event's values can be found, including dotted paths and opened containers."""
    yield from list_paths(own)
    for key in CONTAINERS:
        if key in own and is_object(own[key]):
            yield from list_paths(DECODER.decode(own[key]))


def list_paths(
    members: Members, prefix: str = "", depth: int = 1
) -> Iterator[tuple[str, msgspec.Raw]]:
    for key, value in members.items():
        path = prefix + key
        yield path, value
        if is_object(value) and depth < MAX_PATH_SEGMENTS and len(path) <= MAX_PATH_LENGTH:
            yield from list_paths(DECODER.decode(value), f"{path}.", depth + 1)


def is_object(value: msgspec.Raw) -> bool:
    return memoryview(value)[0] == ord("{")

"""Objects that only wrap a list of events, such as `{"Records":[…]}` or a page of an API.

An object is a wrapper if one of its members has a name of WRAPPER_NAMES, in any case, and is a list of one or more
objects, and every other member is a plain value or a list of plain values that is neither a time nor a message. Its
events are the objects of the list; each gets the other members that it does not have itself.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from logboom.base.patterns import compile_later
from logboom.model.jsonline import encode_text
from logboom.model.mapping import Role, rank_alias
from logboom.model.names import fold_name
from logboom.model.values import NUMBER, STRING

WRAPPER_NAMES = ("records", "logs", "events", "logevents", "logrecords", "value", "entries")

Raw = msgspec.Raw
MEMBERS = msgspec.json.Decoder(dict[str, Raw])
ITEMS = msgspec.json.Decoder(list[Raw])

PLAIN = rb"(?:" + STRING + rb"|" + NUMBER + rb"|true|false|null)"
PLAIN_VALUE = PLAIN + rb"|\[\s*+(?:" + PLAIN + rb"\s*+(?:,\s*+" + PLAIN + rb"\s*+)*+)?+\]"
IS_PLAIN = compile_later(PLAIN_VALUE)
MEMBER = rb"\s*+" + STRING + rb"\s*+:\s*+(?:" + PLAIN_VALUE + rb")\s*+"
NAMED_LIST = rb'"(?i:' + "|".join(WRAPPER_NAMES).encode() + rb')"\s*+:\s*+\[\s*+(?=\{)'
MAY_WRAP = compile_later(NAMED_LIST)
HEAD = compile_later(rb"\s*+\{(?P<members>(?:" + MEMBER + rb",)*+)\s*+" + NAMED_LIST)
TAIL = compile_later(rb"(?:" + MEMBER + rb"(?:," + MEMBER + rb")*+)?+,?+\s*+\}?+")
"""What is left of a wrapper after its list, or a line of that."""


class Siblings:
    """The members beside a wrapper's list, which are joined to each of its events."""

    def __init__(self, members: Mapping[str, Raw]) -> None:
        self._texts = {
            fold_name(name): f",{encode_text(name)}:".encode() + flatten(value)
            for name, value in members.items()
            if bytes(value) != b"null"
        }
        self._all = b"".join(self._texts.values())

    def join(self, event: bytes) -> bytes:
        """Return the event, a JSON object on one line, with the members that it lacks."""
        if not self._texts:
            return event
        own = {fold_name(name) for name in MEMBERS.decode(event)}
        if own.isdisjoint(self._texts):
            added = self._all
        else:
            added = b"".join(text for name, text in self._texts.items() if name not in own)
        return event[:-1] + added + b"}" if own else b"{" + added[1:] + b"}"


class Head(NamedTuple):
    """The beginning of a wrapper up to its list."""

    siblings: Siblings
    end: int


def unwrap(text: bytes) -> list[bytes] | None:
    """Return the events of a wrapper, which is a valid JSON object on one line, or None if it is not one."""
    if not MAY_WRAP.search(text):
        return None
    members = MEMBERS.decode(text)
    lists = [name for name in members if name.lower() in WRAPPER_NAMES]
    if len(lists) != 1:
        return None
    items = read_objects(members.pop(lists[0]))
    if not items or not are_siblings(members):
        return None
    siblings = Siblings(members)
    return [siblings.join(item) for item in items]


def read_head(text: bytes) -> Head | None:
    """Return the head of a wrapper that is too long to be held; what follows its list is not joined to events."""
    head = HEAD.match(text)
    if head is None:
        return None
    members = MEMBERS.decode(b"{" + head["members"].rstrip().removesuffix(b",") + b"}")
    return Head(Siblings(members), head.end()) if are_siblings(members) else None


def is_tail(text: bytes) -> bool:
    return TAIL.fullmatch(text) is not None


def read_objects(value: Raw) -> list[bytes]:
    """Return the items of a list of objects; empty for any other value."""
    try:
        items = [flatten(item) for item in ITEMS.decode(value)]
    except msgspec.DecodeError:
        return []
    return items if all(item.startswith(b"{") for item in items) else []


def are_siblings(members: Mapping[str, Raw]) -> bool:
    return all(map(IS_PLAIN.fullmatch, map(bytes, members.values()))) and not any(
        rank_alias(role, name) is not None for name in members for role in (Role.TIME, Role.MESSAGE)
    )


def flatten(value: Raw) -> bytes:
    """Return JSON on one line: a line feed in it is only whitespace."""
    return bytes(value).replace(b"\n", b" ")

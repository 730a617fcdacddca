"""Views: the events as they were at one moment, for clients that read them page by page.

A view keeps the files of its blocks, so views are bounded in number and in time.
"""

import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import field

from logboom.base.clock import NS_PER_S
from logboom.base.errors import NotFound, Overloaded
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.store.catalog.snapshot import Snapshot

MOST_VIEWS = 200
MOST_OF_ONE = 50
"""The most views that one principal may have open."""
LONGEST_KEEP_NS = 3600 * NS_PER_S
"""How long a view is kept without being used."""
LONGEST_LIFE_NS = 24 * 3600 * NS_PER_S
ID_BYTES = 24


class View(InternalStruct, frozen=True):
    """The events of one moment; a search may be given one."""

    snapshot: Snapshot


class OpenView(MutableStruct):
    """A view that is kept for its owner, and what its reader remembers between requests."""

    owner: str
    view: View
    state: Any
    expires_ns: int
    ends_ns: int
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep everybody else from using it meanwhile; raise Overloaded if somebody does."""
        if not self.lock.acquire(blocking=False):
            raise Overloaded("another request is reading this page, expected one at a time")
        try:
            yield
        finally:
            self.lock.release()

    def renew(self, now_ns: int, keep_ns: int) -> None:
        """Keep it for some time from now."""
        self.expires_ns = min(now_ns + min(keep_ns, LONGEST_KEEP_NS), self.ends_ns)


class Views:
    """The views that are open. Thread-safe."""

    def __init__(self) -> None:
        self._open: dict[str, OpenView] = {}
        self._lock = threading.Lock()

    def open(self, owner: str, view: View, state: Any, now_ns: int, keep_ns: int) -> str:
        """Return the id of a new view; raise Overloaded if there are too many."""
        opened = OpenView(owner, view, state, 0, now_ns + LONGEST_LIFE_NS)
        opened.renew(now_ns, keep_ns)
        self.drop_expired(now_ns)
        with self._lock:
            own = sum(each.owner == owner for each in self._open.values())
            if own >= MOST_OF_ONE or len(self._open) >= MOST_VIEWS:
                raise Overloaded(
                    f"{own} scrolls and points in time are open, expected at most {MOST_OF_ONE}: close those that are "
                    "no longer read"
                )
            identity = secrets.token_urlsafe(ID_BYTES)
            self._open[identity] = opened
        return identity

    def find(self, identity: str, owner: str, now_ns: int) -> OpenView:
        """Return an open view; raise NotFound if its owner has none of that id."""
        with self._lock:
            found = self._open.get(identity)
        if found is None or found.owner != owner or found.expires_ns <= now_ns:
            raise NotFound(f"No search context found for id [{identity[:80]}]")
        return found

    def close(
        self, owner: str, identities: Collection[str] | None, is_wanted: Callable[[Any], bool]
    ) -> list[str]:
        """Close some views of an owner, or all whose state is wanted; return those that were open."""
        with self._lock:
            found = [
                each
                for each in (self._open if identities is None else identities)
                if each in self._open
                and self._open[each].owner == owner
                and is_wanted(self._open[each].state)
            ]
            for each in dict.fromkeys(found):
                del self._open[each]
        return found

    def drop_expired(self, now_ns: int) -> None:
        with self._lock:
            for identity in [
                each for each, held in self._open.items() if held.expires_ns <= now_ns
            ]:
                del self._open[identity]

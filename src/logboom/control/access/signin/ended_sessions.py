"""Sessions that were ended early; every node remembers them until they would have expired."""

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

MOST_OF_A_USER = 100
MOST = 10_000


class EndedDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each user and session, the second since 1970 in which the session would have expired."""

    expiries_s: dict[str, dict[str, int]] = {}


class EndedSessions:
    """Sessions ended here are refused at once, on other nodes after their next refresh; lookups read no disk."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._snapshot = Snapshot(documents, "ended-sessions", EndedDocument())
        self._clock = clock

    def refresh(self) -> None:
        """Load sessions ended by other nodes."""
        self._snapshot.refresh()

    def holds(self, user_id: str, session_id: str) -> bool:
        return session_id in self._snapshot.body.expiries_s.get(user_id, {})

    def add(self, user_id: str, session_id: str, expiry_s: int) -> None:
        """Record a session as ended, durably; raise Conflict if there is no room for another one."""

        def change(document: EndedDocument) -> EndedDocument:
            ended = self._drop_expired(document.expiries_s)
            own = {**ended.get(user_id, {}), session_id: expiry_s}
            if len(own) > MOST_OF_A_USER or sum(map(len, ended.values())) >= MOST:
                raise Conflict("too many sessions were ended one by one")
            return EndedDocument({**ended, user_id: own})

        self._snapshot.edit(change)

    def _drop_expired(self, expiries_s: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        now_s = self._clock() // NS_PER_S
        kept = {
            user_id: {session: expiry for session, expiry in own.items() if expiry > now_s}
            for user_id, own in expiries_s.items()
        }
        return {user_id: own for user_id, own in kept.items() if own}

"""Single sign-on requests that were answered; every node remembers them until they would have expired."""

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Overloaded
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

MOST = 10_000


class AnsweredBefore(Conflict):
    """The request was answered before."""


class AnsweredDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each request, the second since 1970 from which it is too old to be answered."""

    expiries_s: dict[str, int] = {}


class AnsweredRequests:
    """Records each request once, on whichever node. Thread-safe; always reads the store."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._snapshot = Snapshot(documents, "saml-requests", AnsweredDocument(), is_followed=False)
        self._clock = clock

    def add(self, request_id: str, expiry_s: int) -> None:
        """Record a request durably; raise AnsweredBefore if it was answered, Overloaded if there is no room."""

        def change(document: AnsweredDocument) -> AnsweredDocument:
            now_s = self._clock() // NS_PER_S
            kept = {each: expiry for each, expiry in document.expiries_s.items() if expiry > now_s}
            if request_id in document.expiries_s:
                raise AnsweredBefore("the request was answered before")
            if len(kept) >= MOST:
                raise Overloaded("too many sign-ins at once, try again soon")
            return AnsweredDocument({**kept, request_id: expiry_s})

        self._snapshot.edit(change)

"""On whose behalf a request is answered, and how its questions are asked."""

import threading

from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.search.answers import SearchAnswer
from logboom.search.question import Question
from logboom.search.service import SearchService
from logboom.search.views import View


class Asker(InternalStruct, frozen=True):
    """A principal with a request that was received at `now_ns`; `cancelled` is set when the client has gone."""

    search: SearchService
    principal: Principal
    cancelled: threading.Event
    now_ns: int
    view: View | None = None
    """The events to search, if not the newest ones."""

    @property
    def owner(self) -> str:
        """Whose views are used."""
        return f"{self.principal.kind}:{self.principal.id}"

    def ask(self, question: Question) -> SearchAnswer:
        return self.search.search(
            self.principal, question, self.cancelled, view=self.view, explains=False
        )

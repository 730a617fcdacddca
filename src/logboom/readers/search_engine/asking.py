"""On whose behalf a request is answered, and how its questions are asked."""

import threading

from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.search.answers import SearchAnswer
from logboom.search.question import Question
from logboom.search.service import SearchService


class Asker(InternalStruct, frozen=True):
    """A principal with a request that was received at `now_ns`; `cancelled` is set when the client has gone."""

    search: SearchService
    principal: Principal
    cancelled: threading.Event
    now_ns: int

    def ask(self, question: Question) -> SearchAnswer:
        return self.search.search(self.principal, question, self.cancelled)

"""On whose behalf a request is answered, and how its questions are asked."""

from logboom.base.process.deadline import Deadline
from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.readers.translated import translated
from logboom.search.answers import SearchAnswer
from logboom.search.question import Question
from logboom.search.service import SearchService
from logboom.search.views import View


class Asker(InternalStruct, frozen=True):
    """A principal with a request that was received at `now_ns`."""

    search: SearchService
    principal: Principal
    deadline: Deadline
    now_ns: int
    view: View | None = None
    """The events to search, if not the newest ones."""

    @property
    def owner(self) -> str:
        """Whose views are used."""
        return self.principal.owner

    def ask(self, question: Question) -> SearchAnswer:
        self.deadline.check()
        with translated():
            return self.search.search(
                self.principal, question, self.deadline, view=self.view, explains=False
            )

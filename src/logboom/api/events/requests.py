"""The parameters of every endpoint that reads events, and running its work for a client that may disconnect."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, TypeVar

import msgspec

from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.search.question import Moment, Question
from logboom.web.asgi import ClientGone
from logboom.web.types import Receive

T = TypeVar("T")

UNWATCHED_S = 0.05
"""How long work may take before we watch whether its client disconnects."""

Env = Annotated[
    str, msgspec.Meta(description="Environments to search: a name, a comma list, or globs.")
]
Index = Annotated[
    str, msgspec.Meta(description="Indexes to search: a name, a comma list, or globs.")
]
From = Annotated[
    Moment,
    msgspec.Meta(
        description="Start of the time range, inclusive: RFC 3339, epoch number, or relative such as `-15m`."
    ),
]
To = Annotated[
    Moment, msgspec.Meta(description="End of the time range, exclusive; the same forms as `from`.")
]
Timezone = Annotated[str, msgspec.Meta(description="Time zone for days, such as `Europe/Berlin`.")]
Filters = Annotated[
    tuple[str, ...],
    msgspec.Meta(description="Additional filters: events must match all of them."),
]
Raw = Annotated[
    bool,
    msgspec.Meta(description="Whether each event includes `_raw`, the event as it was received."),
]


class ScopeBody(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}, kw_only=True
):
    """A query, and the environments, indexes and times that it searches."""

    query: Annotated[str, msgspec.Meta(description="The query; empty matches everything.")] = ""
    filter: Annotated[
        str,
        msgspec.Meta(
            description="A filter without pipes that events must match in addition to the query."
        ),
    ] = ""
    env: Env = "default"
    index: Index = "*"
    from_: From = None
    to: To = None
    timezone: Timezone = "UTC"

    def make_question(self, **options: Any) -> Question:
        """The question for the search; `options` are members that not every body has."""
        return Question(
            query=self.query,
            filter=self.filter,
            env=self.env,
            index=self.index,
            from_=self.from_,
            to=self.to,
            timezone=self.timezone,
            **options,
        )


async def check_unseen(
    question: Question, services: Services, principal: Principal
) -> AsyncGenerator[bytes, None]:
    """Check a question without running it, and answer with an empty stream, for HEAD."""
    await services.search_offload.run(services.search.check, principal, question)
    return stream_nothing()


async def stream_nothing() -> AsyncGenerator[bytes, None]:
    return
    yield


async def run_cancellable(
    receive: Receive, services: Services, work: Callable[[threading.Event], T]
) -> T:
    """Run work off the event loop; if the client disconnects, the event passed to the work is set.

    `receive` is that of a request whose body was read.
    """
    cancelled = threading.Event()
    working = services.search_offload.start(work, cancelled)
    watch = Watch(receive, cancelled)
    # Most answers are ready before it pays to watch the client.
    start = asyncio.get_running_loop().call_later(UNWATCHED_S, watch.start)
    try:
        return await working
    finally:
        start.cancel()
        watch.stop()
        cancelled.set()
        if watch.is_gone:
            raise ClientGone


class Watch:
    """Sets an event if the client disconnects."""

    def __init__(self, receive: Receive, cancelled: threading.Event) -> None:
        self._receive = receive
        self._cancelled = cancelled
        self._task: asyncio.Task[None] | None = None
        self.is_gone = False

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._watch())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        self._cancelled.set()

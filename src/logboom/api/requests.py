"""What every endpoint that reads events is asked, and how its work is done for a client that may go away."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, TypeVar

import msgspec
from litestar import Request as HttpRequest

from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.search.question import Moment, Question
from logboom.web.asgi import ClientGone

T = TypeVar("T")

UNWATCHED_S = 0.05
"""How long work may take before its client is watched."""

Env = Annotated[
    str, msgspec.Meta(description="Environments to look at: a name, a comma list, or globs.")
]
Index = Annotated[
    str, msgspec.Meta(description="Indexes to look at: a name, a comma list, or globs.")
]
From = Annotated[
    Moment,
    msgspec.Meta(
        description="The first time that counts: RFC 3339, epoch number, or relative such as `-15m`."
    ),
]
To = Annotated[
    Moment, msgspec.Meta(description="The first time that no longer counts, like `from`.")
]
Timezone = Annotated[
    str, msgspec.Meta(description="Zone in which days begin, such as `Europe/Berlin`.")
]
Filters = Annotated[
    tuple[str, ...],
    msgspec.Meta(description="Filters beside the query: events must match each of them too."),
]
Raw = Annotated[
    bool, msgspec.Meta(description="Whether each event comes with `_raw`, itself as it came in.")
]


class ScopeBody(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}, kw_only=True
):
    """A query, and which environments, indexes and times it looks at."""

    query: Annotated[
        str, msgspec.Meta(description="The query; without one everything is found.")
    ] = ""
    filter: Annotated[
        str,
        msgspec.Meta(
            description="A filter without pipes, which events must match besides the query."
        ),
    ] = ""
    env: Env = "default"
    index: Index = "*"
    from_: From = None
    to: To = None
    timezone: Timezone = "UTC"

    def make_question(self, **options: Any) -> Question:
        """The question; `options` are members that not every body has."""
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
    """Check a question without answering it: the empty stream in place of one that nobody would see."""
    await services.search_offload.run(services.search.check, principal, question)
    return stream_nothing()


async def stream_nothing() -> AsyncGenerator[bytes, None]:
    return
    yield


async def run_cancellable(
    request: HttpRequest[Any, Any, Any], services: Services, work: Callable[[threading.Event], T]
) -> T:
    """Run work off the event loop; when the client goes, the event given to it is set."""
    cancelled = threading.Event()
    working = services.search_offload.start(work, cancelled)
    try:
        # Most answers are ready before watching the client would pay.
        await asyncio.wait({working}, timeout=UNWATCHED_S)
        if not working.done() and await is_gone_before(working, request):
            cancelled.set()
            await asyncio.wait({working})
            raise ClientGone
        return working.result()
    finally:
        cancelled.set()


async def is_gone_before(working: asyncio.Future[Any], request: HttpRequest[Any, Any, Any]) -> bool:
    """Wait until the work is done or the client has gone, whichever is first."""
    watching = asyncio.ensure_future(wait_until_gone(request))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        return not working.done()
    finally:
        watching.cancel()


async def wait_until_gone(request: HttpRequest[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

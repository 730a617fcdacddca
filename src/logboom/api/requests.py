"""What every endpoint that reads events is asked: a query and where it looks; and who may ask it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from litestar import Request as HttpRequest

from logboom.api.services import Services
from logboom.control.access.authorise import bound_reading
from logboom.control.access.principal import Principal
from logboom.control.access.reach import choose_envs, choose_indexes, list_envs
from logboom.engine.terms.request import END_NS, MIN_NS, Request
from logboom.lang.reading import read_query
from logboom.lang.times import find_zone, parse_moment
from logboom.web.asgi import ClientGone

P = ParamSpec("P")
T = TypeVar("T")

Env = Annotated[
    str, msgspec.Meta(description="Environments to look at: a name, a comma list, or globs.")
]
Index = Annotated[
    str, msgspec.Meta(description="Indexes to look at: a name, a comma list, or globs.")
]
Filters = Annotated[
    tuple[str, ...],
    msgspec.Meta(description="Filters beside the query: events must match each of them too."),
]
Moment = str | int | float | None
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
    from_: Annotated[
        Moment,
        msgspec.Meta(
            description="The first time that counts: RFC 3339, epoch number, or relative such as `-15m`."
        ),
    ] = None
    to: Annotated[
        Moment, msgspec.Meta(description="The first time that no longer counts, like `from`.")
    ] = None
    timezone: Annotated[
        str, msgspec.Meta(description="Zone in which days begin, such as `Europe/Berlin`.")
    ] = "UTC"


def make_request(
    body: ScopeBody, services: Services, principal: Principal, **options: Any
) -> Request:
    """Check every part of what is asked and bring it into the engine's form."""
    environments = services.control.environments
    envs = choose_envs(body.env, environments, principal)
    now_ns, zone = services.clock(), find_zone(body.timezone)
    indexes = choose_indexes(body.index)
    allowed = bound_reading(principal)
    reading = read_query(body.query, body.filter)
    return Request(
        query=reading.query,
        notices=reading.notices,
        envs=envs,
        allowed_envs=list_envs(environments, principal),
        indexes=indexes,
        allowed=allowed,
        from_ns=MIN_NS if body.from_ is None else parse_moment(body.from_, now_ns, zone),
        to_ns=END_NS if body.to is None else parse_moment(body.to, now_ns, zone),
        now_ns=now_ns,
        zone=zone,
        tables=services.control.lookups.tables,
        **options,
    )


async def check_unseen(
    body: ScopeBody, services: Services, principal: Principal
) -> AsyncGenerator[bytes, None]:
    """Check what is asked and do nothing of it: the empty stream in place of one that nobody would see."""
    await services.searches.run(make_request, body, services, principal)
    return stream_nothing()


async def stream_nothing() -> AsyncGenerator[bytes, None]:
    return
    yield


async def run_cancellable(
    request: HttpRequest[Any, Any, Any],
    services: Services,
    work: Callable[Concatenate[threading.Event, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run work off the event loop; when the client goes, the event given to it is set."""
    cancelled = threading.Event()
    working = asyncio.ensure_future(services.searches.run(work, cancelled, *args, **kwargs))
    watching = asyncio.ensure_future(wait_until_gone(request))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            cancelled.set()
            await asyncio.wait({working})
            raise ClientGone
        return working.result()
    finally:
        cancelled.set()
        watching.cancel()


async def wait_until_gone(request: HttpRequest[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

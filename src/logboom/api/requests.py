"""What every endpoint that reads events is asked: a query and where it looks; and who may ask it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from litestar import Request as HttpRequest

from logboom.api.reading import read_query
from logboom.api.services import Services
from logboom.base.errors import Invalid
from logboom.control.authorise import bound_reading, check_env, covers_env
from logboom.control.principal import Principal
from logboom.engine.names import knows_field
from logboom.engine.request import END_NS, MIN_NS, Request, compile_globs
from logboom.lang.times import find_zone, parse_moment
from logboom.model.names import is_reserved, normalise_glob
from logboom.web.asgi import ClientGone

P = ParamSpec("P")
T = TypeVar("T")

Env = Annotated[
    str, msgspec.Meta(description="Environments to look at: a name, a comma list, or globs.")
]
Index = Annotated[
    str, msgspec.Meta(description="Indexes to look at: a name, a comma list, or globs.")
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
    envs = choose_envs(body.env, services, principal)
    now_ns, zone = services.clock(), find_zone(body.timezone)
    indexes = choose_indexes(body.index)
    allowed = bound_reading(principal)
    reading = read_query(body.query, body.filter, knows_field(services.store, envs, allowed))
    return Request(
        query=reading.query,
        notices=reading.notices,
        envs=envs,
        allowed_envs=list_envs(services, principal),
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


def list_envs(services: Services, principal: Principal) -> tuple[str, ...]:
    """The environments that a principal may read."""
    environments = services.control.environments.list(reserved=principal.is_admin)
    return tuple(each.name for each in environments if covers_env(principal, each.name))


def choose_envs(text: str, services: Services, principal: Principal) -> tuple[str, ...]:
    """A name, a comma list, or globs of environments; a name that is unknown or out of bounds is an error."""
    readable = list_envs(services, principal)
    chosen: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if "*" in part or "?" in part:
            pattern = compile_globs((part,))
            chosen.update(dict.fromkeys(env for env in readable if pattern.match(env)))
            continue
        # First: whoever is limited to some environments does not learn which others exist.
        if not is_reserved(part):
            check_env(principal, part)
        services.control.environments.get(part, reserved=principal.is_admin)
        check_env(principal, part)
        chosen[part] = None
    if not chosen:
        raise Invalid(f"env {text!r}, expected a name, a comma list or globs")
    return tuple(chosen)


def choose_indexes(text: str) -> tuple[str, ...]:
    """A name, a comma list, or globs of indexes, which need not exist."""
    indexes = tuple(filter(None, (normalise_glob(part) for part in text.split(","))))
    if not indexes:
        raise Invalid(f"index {text!r}, expected a name, a comma list or globs")
    return indexes


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

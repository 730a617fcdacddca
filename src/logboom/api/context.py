"""`/api/context`: the events around one."""

import threading
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from logboom.api.parameters import document, read_parameters
from logboom.api.requests import Env, Raw, ScopeBody, make_request, run_cancellable
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.engine.answers.context import Surroundings, find_surroundings
from logboom.lang.ast import Context

MAX_LINES = 1000
Lines = Annotated[int, msgspec.Meta(ge=0, le=MAX_LINES)]


class ContextBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which event, and how many before and after it that have the same values in some fields."""

    id: Annotated[str, msgspec.Meta(description="`_id` of the event.")]
    env: Env = "default"
    before: Annotated[Lines, msgspec.Meta(description="Events before it, at most.")] = 5
    after: Annotated[Lines, msgspec.Meta(description="Events after it, at most.")] = 5
    same: Annotated[
        str, msgspec.Meta(description="Fields in which they have its values, a comma list.")
    ] = ""
    raw: Raw = False


def run_context(
    cancelled: threading.Event, body: ContextBody, services: Services, principal: Principal
) -> Surroundings:
    same = tuple(filter(None, (name.strip() for name in body.same.split(","))))
    wanted = Context(body.before, body.after, same)
    return services.engine.ask(
        lambda finder: find_surroundings(finder, body.id, wanted),
        make_request(ScopeBody(env=body.env), services, principal, raw=body.raw),
        cancelled,
    )


@get(
    "/api/context",
    tags=["search"],
    summary="The events around one",
    description="The event whose `_id` is `id` and those just `before` and `after` it (5 each, at most 1,000) in the same "
    "environment and index, in order of time; with `same`, a comma list of fields, only those that have the same "
    "values there. `anchor` is the place of the event in `rows`. 404 when there is no such event.",
    operation_class=document(ContextBody),
)
async def handle_context(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Surroundings:
    body = read_parameters(request, ContextBody)
    return await run_cancellable(request, services, run_context, body, services, searcher)


ROUTES: list[HTTPRouteHandler] = [handle_context]

"""`/api/context`: the events around an event."""

from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from logboom.api.events.requests import Env, Raw
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.lang.ast import Context
from logboom.search.answers import Surroundings
from logboom.search.question import Question
from logboom.web.cancelling import run_cancellable

MAX_LINES = 1000
Lines = Annotated[int, msgspec.Meta(ge=0, le=MAX_LINES)]


class ContextBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which event, and how many events before and after it; `same` limits them to equal values in some fields."""

    id: Annotated[str, msgspec.Meta(description="`_id` of the event.")]
    env: Env = "default"
    before: Annotated[Lines, msgspec.Meta(description="Events before it, at most.")] = 5
    after: Annotated[Lines, msgspec.Meta(description="Events after it, at most.")] = 5
    same: Annotated[
        str,
        msgspec.Meta(description="Only events with the same values in these fields; a comma list."),
    ] = ""
    raw: Raw = False


@get(
    "/api/context",
    tags=["search"],
    summary="Events around an event",
    description="The event whose `_id` is `id`, and the events just `before` and `after` it (5 each, at most "
    "1,000) in the same environment and index, in order of time. With `same`, a comma list of "
    "fields, only events with the same values in them. `anchor` is the position of the event in "
    "`rows`. 404 if there is no such event.",
    operation_class=document(ContextBody),
)
async def handle_context(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Surroundings:
    body = read_parameters(request, ContextBody)
    same = tuple(filter(None, (name.strip() for name in body.same.split(","))))
    wanted = Context(body.before, body.after, same)
    question = Question(env=body.env, raw=body.raw)
    work = partial(services.search.context, searcher, question, body.id, wanted)
    return await run_cancellable(request.receive, services.search_offload, work)


ROUTES: list[HTTPRouteHandler] = [handle_context]

"""`/api/indexes`: what an environment holds."""

from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from logboom.api.events.requests import Env
from logboom.api.lists import make_list
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.search.answers import IndexSummary
from logboom.search.question import Question
from logboom.web.cancelling import run_cancellable


class IndexesBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which environments."""

    env: Env = "default"
    by_env: Annotated[
        bool,
        msgspec.Meta(
            description="Whether to list indexes of the same name in several environments separately."
        ),
    ] = False


@get(
    "/api/indexes",
    tags=["search"],
    summary="List the indexes of an environment",
    description="Sorted by name: the number of events, their approximate size in bytes, the times of the first "
    "and last event, and on how many days there are events. Only indexes that the user may see. "
    "With `by_env=true` sorted by environment and name, and each has its `env`.",
    operation_class=document(IndexesBody),
)
async def handle_indexes(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[list[IndexSummary]]:
    body = read_parameters(request, IndexesBody)
    work = partial(services.search.indexes, searcher, Question(env=body.env), body.by_env)
    return make_list(*await run_cancellable(request.receive, services.search_offload, work))


ROUTES: list[HTTPRouteHandler] = [handle_indexes]

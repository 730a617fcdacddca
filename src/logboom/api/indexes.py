"""`/api/indexes`: what an environment holds."""

import threading
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from logboom.api.lists import ask_for_list, make_list
from logboom.api.parameters import document, read_parameters
from logboom.api.requests import Env, ScopeBody, make_request, run_cancellable
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.engine.answers.indexes import IndexSummary, list_indexes


class IndexesBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which environments."""

    env: Env = "default"
    by_env: Annotated[
        bool,
        msgspec.Meta(
            description="Whether indexes of one name in several environments are told apart."
        ),
    ] = False


def run_indexes(
    cancelled: threading.Event, body: IndexesBody, services: Services, principal: Principal
) -> Response[list[IndexSummary]]:
    request = make_request(ScopeBody(env=body.env), services, principal)
    work = partial(list_indexes, by_env=body.by_env)
    return make_list(*ask_for_list(services, work, request, cancelled))


@get(
    "/api/indexes",
    tags=["search"],
    summary="List the indexes of an environment",
    description="By name: how many events each has, about how many bytes they take, the times of the first and the last, "
    "and on how many days there are any. Only indexes that the user may see. With `by_env=true` by environment and name, and each has its `env`.",
    operation_class=document(IndexesBody),
)
async def handle_indexes(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[list[IndexSummary]]:
    body = read_parameters(request, IndexesBody)
    return await run_cancellable(request, services, run_indexes, body, services, searcher)


ROUTES: list[HTTPRouteHandler] = [handle_indexes]

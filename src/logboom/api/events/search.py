"""`/api/search`: runs a query and returns rows."""

from typing import Any

from litestar import Request as HttpRequest
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.events.searching import AskedBody, SearchBody, search
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.control.access.principal import Principal


@post(
    "/api/search",
    tags=["search"],
    summary="Search events",
    description="Runs a query and returns events (newest first) or, if the query has an aggregating pipe, a "
    "table. `from` is inclusive, `to` exclusive; both take RFC 3339, epoch numbers, or relative "
    "times such as `-15m`. `cursor` continues after an earlier answer.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_search(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[AskedBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[bytes]:
    return respond(await search(request.receive, data, services, searcher))


@get(
    "/api/search",
    tags=["search"],
    summary="Search events (GET)",
    description="The same as POST, with the body's members as query parameters.",
    operation_class=document(SearchBody),
)
async def handle_search_by_address(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[bytes]:
    body = read_parameters(request, SearchBody)
    return respond(await search(request.receive, body, services, searcher))


def respond(content: bytes) -> Response[bytes]:
    return Response(content, media_type="application/json")


ROUTES: list[HTTPRouteHandler] = [handle_search, handle_search_by_address]

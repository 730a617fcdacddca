"""`/api/search`: runs a query and returns rows."""

import threading
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK
from litestar.types import Receive

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.parameters import document, read_parameters
from logboom.api.requests import Raw, ScopeBody, run_cancellable
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.control.kept.dashboards import MOST_VARIABLES, VariableName, VariableValue
from logboom.search.answers import SearchAnswer

MAX_LIMIT = 10_000


class SearchBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to find, and where."""

    limit: Annotated[
        int, msgspec.Meta(ge=0, le=MAX_LIMIT, description="Maximum number of events per page.")
    ] = 100
    cursor: Annotated[
        str | None, msgspec.Meta(description="`cursor` of an earlier answer, to get the next page.")
    ] = None
    count: Annotated[bool, msgspec.Meta(description="Whether to include `total`.")] = False
    raw: Raw = False


class AskedBody(SearchBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A search of a dashboard, with the values of its variables."""

    variables: Annotated[
        dict[VariableName, VariableValue],
        msgspec.Meta(
            max_length=MOST_VARIABLES,
            description="Values of variables by name: each replaces `$name` in the query, as a value. If a "
            "value is empty or `*`, the field test that uses it is dropped.",
        ),
    ] = msgspec.field(default_factory=dict)


async def search(
    receive: Receive, body: SearchBody, services: Services, principal: Principal
) -> bytes:
    """The answer as JSON."""
    question = body.make_question(
        limit=body.limit,
        cursor=body.cursor,
        count=body.count,
        raw=body.raw,
        variables=body.variables if isinstance(body, AskedBody) else {},
    )

    def work(cancelled: threading.Event) -> bytes:
        answer = services.search.search(principal, question, cancelled)
        return msgspec.json.encode(arrange(answer))

    return await run_cancellable(receive, services, work)


def arrange(answer: SearchAnswer) -> dict[str, Any]:
    """The answer in the documented key order; `total` and `explanation` only if present."""
    fields = msgspec.structs.asdict(answer)
    for name in ("total", "explanation"):
        if fields[name] is None:
            del fields[name]
    return fields


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

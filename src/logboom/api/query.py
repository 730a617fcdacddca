"""`/api/query`: how a query is read, and what may be typed next."""

import threading
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.parameters import document, read_parameters
from logboom.api.requests import (
    Env,
    Index,
    ScopeBody,
    make_request,
    run_cancellable,
)
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.control.access.reach import choose_envs
from logboom.engine.answers.fields.complete import Suggestion, suggest
from logboom.lang.complete import find_site
from logboom.lang.dump import dump
from logboom.lang.format import format_query
from logboom.lang.parse import read


class ParseBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query, and where its fields are looked up."""

    query: str
    env: str = "default"


class ParseAnswer(msgspec.Struct, frozen=True):
    """The query in its canonical form, its tree, and how it was read where there was a choice."""

    query: str
    ast: Any
    notices: list[dict[str, str]]


class CompleteBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is typed so far, where the cursor is (at the end by default), and whose fields are known."""

    q: Annotated[str, msgspec.Meta(description="What is typed so far.")] = ""
    pos: Annotated[
        int | None, msgspec.Meta(description="Where the cursor is; without one at the end.")
    ] = None
    env: Env = "default"
    index: Index = "*"


def run_parse(
    _cancelled: threading.Event, body: ParseBody, services: Services, principal: Principal
) -> ParseAnswer:
    choose_envs(body.env, services.control.environments, principal)
    reading = read(body.query)
    notices = [notice.to_dict() for notice in reading.notices]
    return ParseAnswer(format_query(reading.query), dump(reading.query), notices)


def run_complete(
    cancelled: threading.Event, body: CompleteBody, services: Services, principal: Principal
) -> list[Suggestion]:
    site = find_site(body.q, len(body.q) if body.pos is None else body.pos)
    request = make_request(ScopeBody(env=body.env, index=body.index), services, principal)
    return services.engine.ask(lambda finder: suggest(finder, site), request, cancelled)


@post(
    "/api/query/parse",
    tags=["search"],
    summary="Read a query",
    description="The query in its canonical form and as a tree, with notices where it could have been read otherwise; "
    "nothing is run. A query that cannot be read is an error with `start`, `end`, `expected` and `suggestion`.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_parse(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[ParseBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> ParseAnswer:
    return await run_cancellable(request, services, run_parse, data, services, searcher)


@get(
    "/api/query/complete",
    tags=["search"],
    summary="Complete a query",
    description="What may stand at `pos` in the query `q`: pipes, functions, keywords, and fields and values that the newest "
    "events have.",
    operation_class=document(CompleteBody),
)
async def handle_complete(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> list[Suggestion]:
    body = read_parameters(request, CompleteBody)
    return await run_cancellable(request, services, run_complete, body, services, searcher)


ROUTES: list[HTTPRouteHandler] = [handle_parse, handle_complete]

"""`/api/query`: parsing and completing queries."""

from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.events.requests import Env, From, Index, Timezone, To
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.search.answers import Suggestion
from logboom.search.question import Question
from logboom.search.service import ParseAnswer
from logboom.web.cancelling import run_cancellable


class ParseBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query, and the context in which its fields are looked up."""

    query: str
    env: str = "default"


class CompleteBody(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}, kw_only=True
):
    """The text typed so far, the cursor position (the end by default), and the events that suggestions come from."""

    q: Annotated[str, msgspec.Meta(description="The text typed so far.")] = ""
    pos: Annotated[
        int | None, msgspec.Meta(description="The cursor position; the end by default.")
    ] = None
    env: Env = "default"
    index: Index = "*"
    from_: From = None
    to: To = None
    timezone: Timezone = "UTC"


@post(
    "/api/query/parse",
    tags=["search"],
    summary="Parse a query",
    description="The query in canonical form and as a syntax tree, with notices where it is ambiguous; nothing "
    "is run. An invalid query is an error with `start`, `end`, `expected` and `suggestion`.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_parse(
    data: JSONBody[ParseBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> ParseAnswer:
    question = Question(query=data.query, env=data.env)
    return await services.search_offload.run(services.search.parse, searcher, question)


@get(
    "/api/query/complete",
    tags=["search"],
    summary="Complete a query",
    description="What can be typed at `pos` in the query `q`: pipes, functions, keywords, and the fields and "
    "values of the newest events between `from` and `to`.",
    operation_class=document(CompleteBody),
)
async def handle_complete(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> list[Suggestion]:
    body = read_parameters(request, CompleteBody)
    position = len(body.q) if body.pos is None else body.pos
    question = Question(
        env=body.env, index=body.index, from_=body.from_, to=body.to, timezone=body.timezone
    )
    work = partial(services.search.complete, searcher, question, body.q, position)
    return await run_cancellable(request.receive, services.search_offload, work)


ROUTES: list[HTTPRouteHandler] = [handle_parse, handle_complete]

"""`/api/difference`: what distinguishes some events from the rest."""

from functools import partial
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.events.requests import ScopeBody
from logboom.api.services import Services
from logboom.base.errors import Invalid
from logboom.control.access.principal import Principal
from logboom.search.answers import Difference
from logboom.web.cancelling import run_cancellable


@post(
    "/api/difference",
    tags=["search"],
    summary="Compare some events with the rest",
    description="Compares the events that match both `query` and `filter` with the other events of `query` from "
    "`from` to `to`: which values are more, or less, frequent among them. `filter` may test fields, "
    "be a time range such as `_time:[2026-03-02T10:00:00Z TO 2026-03-02T10:30:00Z}`, or list events "
    "such as `_id IN (a, b)`. `score` ranks fields from 0 (no difference) to nearly 1 (the field "
    "separates the two groups), and each value has the `filter` that selects its events. Fields "
    "that `filter` tests are left out.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_difference(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[ScopeBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Difference:
    if not data.filter.strip():
        raise Invalid("no filter, expected one that selects events", field="filter")
    question = msgspec.structs.replace(data, filter="").make_question()
    work = partial(services.search.difference, searcher, question, data.filter)
    return await run_cancellable(request.receive, services.search_offload, work)


ROUTES: list[HTTPRouteHandler] = [handle_difference]

"""`/api/difference`: what sets some events apart from the rest."""

from functools import partial
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.lists import make_list
from logboom.api.requests import ScopeBody, run_cancellable
from logboom.api.services import Services
from logboom.base.errors import Invalid
from logboom.control.access.principal import Principal
from logboom.search.answers import FieldDifference


class DifferenceAnswer(msgspec.Struct, frozen=True):
    """The fields that tell the selected events from the rest, the most telling first."""

    fields: list[FieldDifference]


@post(
    "/api/difference",
    tags=["search"],
    summary="Compare some events with the rest",
    description="Of the events that `query` finds, those that also match `filter` are compared with the others: which values "
    "are more, or less, frequent among them. `score` ranks fields from 0 (no difference) to 1 (the field tells the two "
    "groups apart perfectly). Fields that `filter` tests and fields with too many values are left out.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_difference(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[ScopeBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[DifferenceAnswer]:
    if not data.filter.strip():
        raise Invalid("no filter, expected one that selects events", field="filter")
    question = msgspec.structs.replace(data, filter="").make_question()
    work = partial(services.search.difference, searcher, question, data.filter)
    found, warnings = await run_cancellable(request, services, work)
    return make_list(DifferenceAnswer(found.fields), warnings)


ROUTES: list[HTTPRouteHandler] = [handle_difference]

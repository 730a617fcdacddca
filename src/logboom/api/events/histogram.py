"""`/api/histogram`: events over time."""

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
from logboom.api.events.requests import ScopeBody
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.base.errors import Invalid, about
from logboom.control.access.principal import Principal
from logboom.lang.ast import Quantity
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.quantities import parse_duration
from logboom.search.answers import MAX_BUCKETS, Bars, Histogram
from logboom.web.cancelling import run_cancellable

NAME_LENGTH = 1024
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]


class HistogramBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and the buckets: each `interval` long, or at most `buckets` of them."""

    buckets: Annotated[
        int, msgspec.Meta(ge=1, le=MAX_BUCKETS, description="Maximum number of buckets.")
    ] = 60
    interval: Annotated[
        str | None, msgspec.Meta(description="Length of each bucket instead, such as `1m`.")
    ] = None
    by: Annotated[Name | None, msgspec.Meta(description="Field by which to split each bucket.")] = (
        None
    )


async def compute_histogram(
    request: HttpRequest[Any, Any, Any],
    body: HistogramBody,
    services: Services,
    principal: Principal,
) -> Histogram:
    with about("interval"):
        interval = None if body.interval is None else read_interval(body.interval)
    bars = Bars(body.buckets, interval, body.by)
    work = partial(services.search.histogram, principal, body.make_question(), bars)
    return await run_cancellable(request.receive, services.search_offload, work)


def read_interval(text: str) -> Quantity:
    cursor = Cursor(text.strip())
    try:
        interval = parse_duration(cursor)
    except InvalidQuery as error:
        raise Invalid(f"interval {text[:80]!r}, expected one such as 30s, 5m or 1h") from error
    if not cursor.at_end or interval.scaled < 1:
        raise Invalid(f"interval {text[:80]!r}, expected one such as 30s, 5m or 1h")
    return interval


@post(
    "/api/histogram",
    tags=["search"],
    summary="Count events over time",
    description="The number of events in each bucket, including empty ones. Buckets are `interval` long (`1m`), "
    "or long enough so that there are at most `buckets`. With `by` each is split by the values of a "
    "field: the ten most frequent ones and `other`; `null` stands for events without it, and the "
    "texts `null` and `other` are in quotes. The query may have only pipes that work row by row.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_histogram(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[HistogramBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Histogram:
    return await compute_histogram(request, data, services, searcher)


@get(
    "/api/histogram",
    tags=["search"],
    summary="Count events over time (GET)",
    description="The same as POST, with the body's members as query parameters.",
    operation_class=document(HistogramBody),
)
async def handle_histogram_by_address(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Histogram:
    body = read_parameters(request, HistogramBody)
    return await compute_histogram(request, body, services, searcher)


ROUTES: list[HTTPRouteHandler] = [handle_histogram, handle_histogram_by_address]

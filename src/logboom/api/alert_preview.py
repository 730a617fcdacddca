"""`/api/alerts/preview`: when an alert would have fired."""

import threading
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.alerts.check import make_question
from logboom.alerts.preview import Preview, list_times, preview
from logboom.api.bodies import QUESTION_LIMIT_BYTES, JsonRequest
from logboom.api.requests import Env, Filters, Index, run_cancellable
from logboom.api.services import Services
from logboom.base.errors import about
from logboom.control.access.principal import Principal
from logboom.control.kept.alerts import (
    Column,
    EverySecs,
    Operator,
    Rule,
    WindowSecs,
    check_condition,
)
from logboom.lang.times import parse_moment
from logboom.search.question import Moment

PREVIEWED = "-24h"
"""Since when a preview looks if the request does not say."""


class RuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked of which time, and when its answer meets the condition."""

    query: str
    operator: Operator
    threshold: float
    filters: Filters = ()
    env: Env = "default"
    index: Index = "*"
    window_secs: WindowSecs = 300
    every_secs: EverySecs = 60
    column: Column = ""


class PreviewBody(
    RuleBody, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"from_": "from"}
):
    """A rule, and the time in which it would have been checked."""

    from_: Annotated[
        Moment, msgspec.Meta(description="Since when; without it since a day ago.")
    ] = None
    to: Annotated[Moment, msgspec.Meta(description="Until when; without it until now.")] = None


def run_preview(
    body: PreviewBody, services: Services, principal: Principal, cancelled: threading.Event
) -> Preview:
    check_condition(body.column, body.threshold)
    now_ns = services.clock()
    with about("from"):
        from_ns = parse_moment(PREVIEWED if body.from_ is None else body.from_, now_ns)
    with about("to"):
        to_ns = now_ns if body.to is None else min(parse_moment(body.to, now_ns), now_ns)
    times = list_times(from_ns, to_ns, body.every_secs)
    rule = msgspec.convert(body, Rule, from_attributes=True)
    return services.search.measure(
        principal, make_question(rule), lambda meter: preview(meter, rule, times), cancelled
    )


@post(
    "/api/alerts/preview",
    tags=["alerts"],
    summary="Preview an alert",
    description="What the checks of an alert would have found in the past, by anybody who may search: one step for each `every_secs`, "
    "or for as many of them as it takes for at most 20,000 steps. A query that has to be asked for each step again, such as one with `dedup` "
    "or `now()`, has at least 120 of them, and as many as five seconds allow. Each asks of the `window_secs` before it, as a check at that time "
    "would have. It is about the condition alone: `for_secs` and `no_data` are no part of it. When time runs out `complete` is false and the steps so far are answered.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=QUESTION_LIMIT_BYTES,
)
async def handle_preview(
    request: HttpRequest[Any, Any, Any],
    data: JSONBody[PreviewBody],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Preview:
    work = partial(run_preview, data, services, searcher)
    return await run_cancellable(request, services, work)


ROUTES: list[HTTPRouteHandler] = [handle_preview]

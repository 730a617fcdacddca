"""`/api/alerts/preview`: when an alert would have fired."""

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
from logboom.api.events.requests import Env, Filters, Index
from logboom.api.services import Services
from logboom.base.errors import about
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.control.saved.alerts import (
    Column,
    EverySecs,
    Operator,
    Rule,
    WindowSecs,
    check_condition,
)
from logboom.lang.times import parse_moment
from logboom.search.question import Moment
from logboom.web.cancelling import run_cancellable

PREVIEWED = "-24h"
"""Where a preview starts by default."""


class RuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A query over a time window, and the condition on its answer."""

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
    """A rule, and the time range in which its checks are simulated."""

    from_: Annotated[
        Moment, msgspec.Meta(description="Start of the range; a day ago by default.")
    ] = None
    to: Annotated[Moment, msgspec.Meta(description="End of the range; now by default.")] = None


def run_preview(
    body: PreviewBody, services: Services, principal: Principal, deadline: Deadline
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
        principal, make_question(rule), lambda meter: preview(meter, rule, times), deadline
    )


@post(
    "/api/alerts/preview",
    tags=["alerts"],
    summary="Preview an alert",
    description="What the checks of an alert would have found in the past. Anybody who may search can call it. "
    "There is one step per `every_secs`, or fewer so that there are at most 20,000. A query that "
    "must run separately for each step, such as one with `dedup` or `now()`, gets at least 120 "
    "steps, and as many as fit into five seconds. Each step covers the `window_secs` before it, as "
    "a check at that time would have. Only the condition is evaluated, not `for_secs` and "
    "`no_data`. If time runs out, `complete` is false and the answer has the steps so far.",
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
    return await run_cancellable(request.receive, services.search_offload, work)


ROUTES: list[HTTPRouteHandler] = [handle_preview]

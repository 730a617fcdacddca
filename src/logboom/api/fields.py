"""`/api/fields`: which fields events have, and the values of one."""

import threading
from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from litestar import Request as HttpRequest
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from logboom.api.parameters import document, read_parameters
from logboom.api.requests import ScopeBody, make_request, run_cancellable
from logboom.api.services import Services
from logboom.control.principal import Principal
from logboom.engine.find import Finder
from logboom.engine.panel import FieldSummary, Panel, ValueCount, read_panel
from logboom.engine.rowwise import check_complete, check_rowwise
from logboom.engine.tally import count_values

MAX_VALUES = 1000


class ValuesBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and which of the field's values."""

    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MAX_VALUES, description="Values answered, at most.")
    ] = 10
    prefix: Annotated[str, msgspec.Meta(description="How the texts of the values begin.")] = ""


def compute_panel(finder: Finder) -> list[FieldSummary]:
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a list of fields")
    table = finder.find(request, Panel())
    check_complete(finder)
    return read_panel(table)


def run_panel(
    cancelled: threading.Event, body: ScopeBody, services: Services, principal: Principal
) -> list[FieldSummary]:
    return services.engine.ask(compute_panel, make_request(body, services, principal), cancelled)


def run_values(
    cancelled: threading.Event,
    name: str,
    body: ValuesBody,
    services: Services,
    principal: Principal,
) -> list[ValueCount]:
    return services.engine.ask(
        lambda finder: count_values(finder, name, body.prefix, body.limit),
        make_request(body, services, principal),
        cancelled,
    )


@get(
    "/api/fields",
    tags=["search"],
    summary="List the fields of events",
    description="Of the events that `query`, `env`, `index`, `from` and `to` choose: every field, how many events have it, "
    "with values of which types, how many different ones, and the most frequent. `distinct` is null when there are "
    "too many values to count in passing. Counts are exact.",
    operation_class=document(ScopeBody),
)
async def handle_fields(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> list[FieldSummary]:
    body = read_parameters(request, ScopeBody)
    return await run_cancellable(request, services, run_panel, body, services, searcher)


@get(
    "/api/fields/{name:str}/values",
    tags=["search"],
    summary="Count the values of a field",
    description="The `limit` (10, at most 1,000) most frequent values, exactly counted; only those that begin with `prefix`.",
    operation_class=document(ValuesBody),
)
async def handle_values(
    name: FromPath[str],
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> list[ValueCount]:
    body = read_parameters(request, ValuesBody)
    # A slash in a name would end a part of the path: it comes encoded twice.
    field = unquote(name) if "%2f" in name.lower() else name
    return await run_cancellable(request, services, run_values, field, body, services, searcher)


ROUTES: list[HTTPRouteHandler] = [handle_fields, handle_values]

"""`/api/fields`: the fields of events, and the values of a field."""

from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from logboom.api.events.requests import ScopeBody
from logboom.api.lists import make_list
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.model.names import fold_name
from logboom.search.answers import (
    COUNTED,
    MAX_FIELDS,
    FieldSummary,
    ValueCount,
    WantedFields,
    Warning_,
)
from logboom.web.cancelling import run_cancellable

MAX_VALUES = 1000


class ValuesBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and which values of the field."""

    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MAX_VALUES, description="Maximum number of values.")
    ] = 10
    prefix: Annotated[str, msgspec.Meta(description="Only values whose text starts with this.")] = (
        ""
    )


class FieldsBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and which of their fields."""

    counts: Annotated[
        bool,
        msgspec.Meta(
            description="Whether to count; if not, the answer has only the names of the fields."
        ),
    ] = True
    contains: Annotated[
        str, msgspec.Meta(description="Only fields whose names contain this text, ignoring case.")
    ] = ""
    names: Annotated[
        str,
        msgspec.Meta(description="Only these fields, a comma list; all by default."),
    ] = ""
    limit: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MAX_FIELDS)] | None,
        msgspec.Meta(
            description="Maximum number of fields: 1,000 by default, 100,000 without counts.",
        ),
    ] = None
    offset: Annotated[
        int,
        msgspec.Meta(
            ge=0, description="Number of fields to skip: the `X-Next-Offset` of an earlier answer."
        ),
    ] = 0


class FieldName(msgspec.Struct, frozen=True):
    """A field without counts."""

    name: str


FieldList = list[FieldSummary] | list[FieldName]


def choose_fields(body: FieldsBody) -> WantedFields:
    limit = body.limit or (COUNTED if body.counts else MAX_FIELDS)
    names = frozenset(fold_name(name.strip()) for name in body.names.split(",") if name.strip())
    return WantedFields(body.contains, names, body.offset, limit)


def make_answer(
    fields: FieldList, next_offset: int | None, warnings: list[Warning_]
) -> Response[FieldList]:
    headers = {} if next_offset is None else {"X-Next-Offset": str(next_offset)}
    return make_list(fields, warnings, headers)


@get(
    "/api/fields",
    tags=["search"],
    summary="List the fields of events",
    description="Every field of the events selected by `query`, `env`, `index`, `from` and `to`: how many "
    "events have it, the types of its values, how many different values there are, and the most "
    "frequent ones. `distinct` is null if there are too many values to count. Counts are exact. If "
    "there are more than `limit` fields, the header `X-Next-Offset` is the `offset` of the next "
    'page. With `counts=false` the answer is `[{"name"}]`, without delay: it has the fields of all '
    "blocks that would be searched, so some may belong to other events only. If blocks are damaged, "
    "the header `X-Complete` is `false` and `X-Warnings` names them.",
    operation_class=document(FieldsBody),
)
async def handle_fields(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[FieldList]:
    body = read_parameters(request, FieldsBody)
    question, wanted, search = body.make_question(), choose_fields(body), services.search
    if body.counts:
        count = partial(search.fields, searcher, question, wanted)
        counted, warnings = await run_cancellable(request.receive, services.search_offload, count)
        return make_answer(counted.fields, counted.next_offset, warnings)
    name = partial(search.field_names, searcher, question, wanted)
    named, warnings = await run_cancellable(request.receive, services.search_offload, name)
    return make_answer([FieldName(each) for each in named.names], named.next_offset, warnings)


@get(
    "/api/fields/{name:str}/values",
    tags=["search"],
    summary="Count the values of a field",
    description="The `limit` (10, at most 1,000) most frequent values with exact counts; with `prefix` only "
    "values that start with it.",
    operation_class=document(ValuesBody),
)
async def handle_values(
    name: FromPath[str],
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
) -> Response[list[ValueCount]]:
    body = read_parameters(request, ValuesBody)
    # A slash in a field name would separate parts of the path, so it is encoded twice.
    field = unquote(name) if "%2f" in name.lower() else name
    question = body.make_question(limit=body.limit)
    work = partial(services.search.values, searcher, question, field, body.prefix)
    return make_list(*await run_cancellable(request.receive, services.search_offload, work))


ROUTES: list[HTTPRouteHandler] = [handle_fields, handle_values]

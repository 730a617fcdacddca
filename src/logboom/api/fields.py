"""`/api/fields`: which fields events have, and the values of one."""

from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from logboom.api.lists import make_list
from logboom.api.parameters import document, read_parameters
from logboom.api.requests import ScopeBody, run_cancellable
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

MAX_VALUES = 1000


class ValuesBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and which of the field's values."""

    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MAX_VALUES, description="Values answered, at most.")
    ] = 10
    prefix: Annotated[str, msgspec.Meta(description="How the texts of the values begin.")] = ""


class FieldsBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events, and which of their fields."""

    counts: Annotated[
        bool,
        msgspec.Meta(
            description="Whether fields are counted; if not, only their names are answered."
        ),
    ] = True
    contains: Annotated[
        str, msgspec.Meta(description="A text that the names of the fields hold, in any case.")
    ] = ""
    names: Annotated[
        str,
        msgspec.Meta(description="A comma list of the fields that are wanted; without it all are."),
    ] = ""
    limit: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MAX_FIELDS)] | None,
        msgspec.Meta(
            description="Fields answered, at most: 1,000 by default, 100,000 if they are not counted.",
        ),
    ] = None
    offset: Annotated[
        int,
        msgspec.Meta(
            ge=0, description="Fields left out at the start: `X-Next-Offset` of an answer."
        ),
    ] = 0


class FieldName(msgspec.Struct, frozen=True):
    """A field that is not counted."""

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
    description="Of the events that `query`, `env`, `index`, `from` and `to` choose: every field, how many events have it, "
    "with values of which types, how many different ones, and the most frequent. `distinct` is null when there are "
    "too many values to count in passing. Counts are exact. If there are more than `limit` fields, the header "
    '`X-Next-Offset` is the `offset` of the next page. With `counts=false` the answer is `[{"name"}]`, at once: fields '
    "of the blocks that are searched, among which there may be some that only other events have. When blocks are "
    "damaged, the header `X-Complete` is `false` and `X-Warnings` names them.",
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
        counted, warnings = await run_cancellable(request, services, count)
        return make_answer(counted.fields, counted.next_offset, warnings)
    name = partial(search.field_names, searcher, question, wanted)
    named, warnings = await run_cancellable(request, services, name)
    return make_answer([FieldName(each) for each in named.names], named.next_offset, warnings)


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
) -> Response[list[ValueCount]]:
    body = read_parameters(request, ValuesBody)
    # A slash in a name would end a part of the path: it comes encoded twice.
    field = unquote(name) if "%2f" in name.lower() else name
    question = body.make_question(limit=body.limit)
    work = partial(services.search.values, searcher, question, field, body.prefix)
    return make_list(*await run_cancellable(request, services, work))


ROUTES: list[HTTPRouteHandler] = [handle_fields, handle_values]

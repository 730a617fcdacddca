"""`/api/lookups`: the CSV tables that the `lookup` pipe joins with events."""

import msgspec
from litestar import Response, delete, get, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import JsonRequest
from logboom.api.services import Services
from logboom.control.access.authorise import check_everywhere
from logboom.control.access.principal import Principal
from logboom.control.saved.lookups import MAX_TABLE_BYTES, Lookup


class LookupBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table, header line first."""

    csv: str


class LookupAnswer(msgspec.Struct, frozen=True):
    """A table; its name is its id and cannot be changed."""

    id: str
    name: str
    columns: list[str]
    rows: int


def describe_lookup(name: str, services: Services) -> LookupAnswer:
    table = services.control.lookups.tables[name]
    return LookupAnswer(name, name, table.columns, table.height)


@get(
    "/api/lookups",
    tags=["lookups"],
    summary="List the lookup tables",
    description="Every table with its columns and its number of rows.",
    sync_to_thread=True,
)
def handle_list(
    searcher: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    services: NamedDependency[Services],
) -> Response[list[LookupAnswer]]:
    lookups = services.control.lookups
    etag = make_etag(lookups.generation)
    return Response(
        [describe_lookup(name, services) for name in sorted(lookups.tables)], headers=etag
    )


@get(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Read a lookup table",
    description="The table as it was uploaded.",
)
async def handle_read(
    name: FromPath[str],
    searcher: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    services: NamedDependency[Services],
) -> Response[Lookup]:
    etag = make_etag(services.control.lookups.generation)
    return Response(services.control.lookups.get(name), headers=etag)


@put(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Create or replace a lookup table",
    description="Admins and editors without limits only. Creates the table, or replaces the one of that name. "
    "The first line names the columns; at most 4 MiB. With `If-Match`: 409 if the tables were "
    "changed since.",
    request_class=JsonRequest,
    request_max_body_size=2 * MAX_TABLE_BYTES,
)
async def handle_put(
    name: FromPath[str],
    data: JSONBody[LookupBody],
    by_editor: NamedDependency[Change],
    services: NamedDependency[Services],
) -> LookupAnswer:
    check_everywhere(by_editor.principal)
    expected = by_editor.expected_generation
    await services.offload.run(services.control.lookups.put, name, data.csv, expected)
    by_editor.record("lookup.update", name)
    return await services.offload.run(describe_lookup, name, services)


@delete(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Delete a lookup table",
    description="Admins and editors without limits only.",
)
async def handle_delete(
    name: FromPath[str],
    by_editor: NamedDependency[Change],
    services: NamedDependency[Services],
) -> None:
    check_everywhere(by_editor.principal)
    expected = by_editor.expected_generation
    await services.offload.run(services.control.lookups.delete, name, expected)
    by_editor.record("lookup.delete", name)


ROUTES: list[HTTPRouteHandler] = [handle_list, handle_read, handle_put, handle_delete]

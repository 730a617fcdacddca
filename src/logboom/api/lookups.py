"""`/api/lookups`: the CSV tables that the `lookup` pipe joins events with."""

import msgspec
from litestar import delete, get, put
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.auth import JsonRequest, provide_editor
from logboom.api.services import Services
from logboom.control.lookups import MAX_TABLE_BYTES, Lookup
from logboom.control.users import User


class LookupBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table, header line first."""

    csv: str


class LookupAnswer(msgspec.Struct, frozen=True):
    """A table; its name never changes and is its id."""

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
    user: NamedDependency[User],  # noqa: ARG001 - asks for a session
    services: NamedDependency[Services],
) -> list[LookupAnswer]:
    return [describe_lookup(name, services) for name in sorted(services.control.lookups.tables)]


@get(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Read a lookup table",
    description="The table as it was given.",
)
async def handle_read(
    name: FromPath[str],
    user: NamedDependency[User],  # noqa: ARG001 - asks for a session
    services: NamedDependency[Services],
) -> Lookup:
    return services.control.lookups.get(name)


@put(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Keep a lookup table",
    description="Admins and editors only. Makes the table, or replaces the one of that name. The first line names the columns; "
    "at most 4 MiB.",
    dependencies={"editor": Provide(provide_editor, sync_to_thread=False)},
    request_class=JsonRequest,
    request_max_body_size=2 * MAX_TABLE_BYTES,
)
async def handle_put(
    name: FromPath[str],
    data: JSONBody[LookupBody],
    editor: NamedDependency[User],  # noqa: ARG001 - asks for the role
    services: NamedDependency[Services],
) -> LookupAnswer:
    await services.offload.run(services.control.lookups.put, name, data.csv)
    return await services.offload.run(describe_lookup, name, services)


@delete(
    "/api/lookups/{name:str}",
    tags=["lookups"],
    summary="Delete a lookup table",
    description="Admins and editors only.",
    dependencies={"editor": Provide(provide_editor, sync_to_thread=False)},
)
async def handle_delete(
    name: FromPath[str],
    editor: NamedDependency[User],  # noqa: ARG001 - asks for the role
    services: NamedDependency[Services],
) -> None:
    await services.offload.run(services.control.lookups.delete, name)


ROUTES: list[HTTPRouteHandler] = [handle_list, handle_read, handle_put, handle_delete]

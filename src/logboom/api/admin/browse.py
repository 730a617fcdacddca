"""`/api/sources/browse`: browsing the files of the node, for admins who set up a source."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.control.access.principal import Principal


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A file or directory; a directory has no size."""

    name: str
    type: Literal["dir", "file"]
    size: int | None
    mtime: str


class BrowseAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of a directory, directories first; not `complete` if some are left out."""

    path: str
    entries: list[EntryAnswer]
    complete: bool


class BrowseParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which directory to list."""

    path: Annotated[
        str,
        msgspec.Meta(
            description="Absolute path of a directory; empty: the directories that sources may read."
        ),
    ] = ""


@get(
    "/api/sources/browse",
    tags=["sources"],
    summary="Browse the files of the node",
    description="Admins only. The directories and files in `path`, directories first, at most 1,000; without "
    "`path` those of the root directory, or the configured roots if there are several. 403 outside "
    "the directories that sources may read, 404 if there is no such directory.",
    operation_class=document(BrowseParameters),
)
async def handle_browse(
    request: Request[Any, Any, Any],
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    services: NamedDependency[Services],
) -> BrowseAnswer:
    path = read_parameters(request, BrowseParameters).path
    found = await services.offload.run(services.directories.list, path)
    entries = [
        EntryAnswer(
            name=each.name, type=each.type, size=each.size_bytes, mtime=format_time(each.mtime_ns)
        )
        for each in found.entries
    ]
    return BrowseAnswer(path=found.path, entries=entries, complete=found.complete)


ROUTES: list[HTTPRouteHandler] = [handle_browse]

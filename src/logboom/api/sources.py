"""`/api/sources`: the files that this service reads by itself, for admins to set up."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.access import Change, make_etag
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import Invalid
from logboom.control.authorise import check_env, covers_env
from logboom.control.environments import DEFAULT_ENVIRONMENT
from logboom.control.principal import Principal
from logboom.control.sources import Compression, Multiline, Source, SourceStatus
from logboom.formats import open_reader
from logboom.formats.reader import Options
from logboom.model.names import DEFAULT_INDEX

MOST_FILES = 1_000
"""So many files are shown of a source, those changed last."""

MODES: dict[str, tuple[str, frozenset[str]]] = {
    "type": ("file", frozenset({"s3"})),
    "mode": ("poll", frozenset({"watch", "event"})),
}
"""What there is, and what is reserved, of the members that say how a source is read."""

Exclude = Annotated[
    tuple[str, ...], msgspec.Meta(description="Globs of absolute paths that are not read.")
]
Type = Annotated[str, msgspec.Meta(description="Only `file`; `s3` is not available yet.")]
Mode = Annotated[str, msgspec.Meta(description="Only `poll`; `watch` is not available yet.")]


class NewSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The wish for a source."""

    name: str
    path: Annotated[
        str, msgspec.Meta(description="Absolute glob; `**` is any number of directories.")
    ]
    environment: str = DEFAULT_ENVIRONMENT
    index: str = DEFAULT_INDEX
    exclude: Exclude = ()
    format: str = "auto"
    compression: Compression = "auto"
    multiline: Multiline | None = None
    grok: str = ""
    poll_interval_secs: int = 10
    source: str = ""
    enabled: bool = True
    type: Type = "file"
    mode: Mode = "poll"


class SourceChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is to be another way; the rest stays."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    path: str | msgspec.UnsetType = msgspec.UNSET
    environment: str | msgspec.UnsetType = msgspec.UNSET
    index: str | msgspec.UnsetType = msgspec.UNSET
    exclude: Exclude | msgspec.UnsetType = msgspec.UNSET
    format: str | msgspec.UnsetType = msgspec.UNSET
    compression: Compression | msgspec.UnsetType = msgspec.UNSET
    multiline: Multiline | msgspec.UnsetType | None = msgspec.UNSET
    grok: str | msgspec.UnsetType = msgspec.UNSET
    poll_interval_secs: int | msgspec.UnsetType = msgspec.UNSET
    source: str | msgspec.UnsetType = msgspec.UNSET
    enabled: bool | msgspec.UnsetType = msgspec.UNSET
    type: Type | msgspec.UnsetType = msgspec.UNSET
    mode: Mode | msgspec.UnsetType = msgspec.UNSET


class FileAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How far a file was read: bytes of what it unpacks to, and when it had been changed by then."""

    path: str
    bytes: int
    mtime: str


class StatusAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How it goes on the node that answers; of very many files only those changed last are in `files`."""

    last_run: str | None
    last_status: Literal["ok", "error"] | None
    last_error: str | None
    total_ingested: int
    current_file: str | None
    files: list[FileAnswer]
    files_total: int


class SourceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A source, and how it goes."""

    id: str
    name: str
    environment: str
    index: str
    path: str
    exclude: tuple[str, ...]
    format: str
    compression: Compression
    multiline: Multiline | None
    grok: str
    poll_interval_secs: int
    source: str
    enabled: bool
    status: StatusAnswer


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A file or directory; a directory has no size."""

    name: str
    type: Literal["dir", "file"]
    size: int | None
    mtime: str


class BrowseAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a directory, directories first; not `complete` when there is more than is shown."""

    path: str
    entries: list[EntryAnswer]
    complete: bool


class BrowseParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which directory to look at."""

    path: Annotated[
        str,
        msgspec.Meta(description="Absolute path of a directory; empty: where sources may read."),
    ] = ""


def describe_status(status: SourceStatus) -> StatusAnswer:
    newest = sorted(status.files, key=lambda file: file.mtime_ns, reverse=True)[:MOST_FILES]
    return StatusAnswer(
        last_run=None if status.last_run_ns is None else format_time(status.last_run_ns),
        last_status=status.last_status,
        last_error=status.last_error or None,
        total_ingested=status.total_ingested,
        current_file=status.current_file or None,
        files=[
            FileAnswer(path=each.path, bytes=each.bytes, mtime=format_time(each.mtime_ns))
            for each in newest
        ],
        files_total=status.files_total,
    )


def describe_source(services: Services, source: Source) -> SourceAnswer:
    members = msgspec.structs.asdict(source)
    del members["generation"]
    status = describe_status(services.sources.find_status(source.id))
    return SourceAnswer(**members, status=status)


def answer_source(services: Services, source: Source) -> Response[SourceAnswer]:
    etag = make_etag(services.control.sources.generation)
    return Response(describe_source(services, source), headers=etag)


def read_members(body: msgspec.Struct) -> dict[str, Any]:
    """The members that were given of a source that is read in a way there is."""
    members = list_given(body)
    for name, (only, reserved) in MODES.items():
        value = members.pop(name, only)
        if value in reserved:
            raise Invalid(f"{name} {value!r} is not available yet, expected {only!r}")
        if value != only:
            raise Invalid(f"{name} {value[:80]!r} is not known, expected {only!r}")
    return members


def check_readable(services: Services, source: Source) -> None:
    """Whether a source can be read the way it says, as far as this can be known before."""
    services.control.environments.get(source.environment)
    fold = source.multiline
    if fold is None:
        options = Options(grok=source.grok)
    else:
        if not fold.pattern:
            raise Invalid("the multiline pattern is empty, expected a regex or null for multiline")
        options = Options(grok=source.grok, multiline=fold.pattern, max_lines=fold.max_lines)
    open_reader(source.format, options)
    services.directories.check_globs(source.path, source.exclude)


@get(
    "/api/sources",
    tags=["sources"],
    summary="List the pull sources",
    description="Admins and editors only, editors those of their environments. The status is that of the node that answers.",
    sync_to_thread=False,
)
def handle_list(
    editor: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[list[SourceAnswer]]:
    sources = services.control.sources
    etag = make_etag(sources.generation)
    seen = [each for each in sources.list() if covers_env(editor, each.environment)]
    return Response([describe_source(services, each) for each in seen], headers=etag)


@get(
    "/api/sources/{id:str}",
    tags=["sources"],
    summary="Read a pull source",
    description="Admins and editors only. The status is that of the node that answers.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str], editor: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    source = services.control.sources.get(id)
    check_env(editor, source.environment)
    return answer_source(services, source)


@post(
    "/api/sources",
    tags=["sources"],
    summary="Make a pull source",
    description="Admins only. Files that match `path` are read every `poll_interval_secs`, each line once. `format` is as of "
    "`POST /api/ingest/raw`; a pattern that does not compile is a 400 with its position.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
)
async def handle_create(
    data: JSONBody[NewSource],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[SourceAnswer]:
    members = read_members(data)
    check = partial(check_readable, services)
    source = await services.offload.run(by_admin.control.sources.create, members, check)
    by_admin.record("source.create", source.name, **describe_change(source, members))
    return answer_source(services, source)


@patch(
    "/api/sources/{id:str}",
    tags=["sources"],
    summary="Change a pull source",
    description="Admins only. Members that are not given stay, and so does how far files were read. With `If-Match` 409 "
    "when the sources were changed since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
)
async def handle_update(
    id: FromPath[str],
    data: JSONBody[SourceChanges],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[SourceAnswer]:
    changes = read_members(data)
    check, expected = partial(check_readable, services), by_admin.expected_generation
    source = await services.offload.run(
        by_admin.control.sources.update, id, changes, check, expected
    )
    by_admin.record("source.update", source.name, **describe_change(source, changes))
    return answer_source(services, source)


def describe_change(source: Source, members: Mapping[str, object]) -> dict[str, object]:
    return {"id": source.id, "path": source.path, "changed": sorted(members)}


@delete(
    "/api/sources/{id:str}",
    tags=["sources"],
    summary="Delete a pull source",
    description="Admins only. Its events stay; how far files were read is forgotten.",
)
async def handle_delete(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    expected = by_admin.expected_generation
    source = await services.offload.run(by_admin.control.sources.delete, id, expected)
    by_admin.record("source.delete", source.name, id=source.id)


@post(
    "/api/sources/{id:str}/run",
    tags=["sources"],
    summary="Read a pull source now",
    description="Admins only. Answers when all that was there is read; the status says how it went. Works also for a source "
    "that is not enabled. 409 while another node reads it.",
    status_code=HTTP_200_OK,
)
async def handle_run(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    source = by_admin.control.sources.get(id)
    await services.sources.run(id)
    by_admin.record("source.run", source.name, id=id)
    return answer_source(services, source)


@post(
    "/api/sources/{id:str}/reset",
    tags=["sources"],
    summary="Reset a pull source",
    description="Admins only. How far files were read is forgotten: the next run takes all of them in again, from their start.",
    status_code=HTTP_200_OK,
)
async def handle_reset(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    expected = by_admin.expected_generation
    source = await services.offload.run(by_admin.control.sources.reset, id, expected)
    by_admin.record("source.reset", source.name, id=id)
    return answer_source(services, source)


@get(
    "/api/sources/browse",
    tags=["sources"],
    summary="Look around on the node",
    description="Admins only. The directories and files in `path`, directories first, at most 1,000; without `path` those of the root, or "
    "the roots where there are several. 403 outside of what sources may read, 404 when there is no such directory.",
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


ROUTES: list[HTTPRouteHandler] = [
    handle_browse,
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
    handle_run,
    handle_reset,
]

"""`/api/sources`: the files that this service reads, configured by admins."""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.collections import Collection, make_delete, make_update
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import Invalid, about
from logboom.control.access.authorise import check_env, covers_env
from logboom.control.access.principal import Principal
from logboom.control.documents.records import Allow
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.control.saved.sources import Compression, Multiline, Source, SourceStatus
from logboom.formats import FORMATS, open_reader
from logboom.formats.grok.presets import PRESETS
from logboom.formats.patterns import compile_search
from logboom.formats.reader import Options
from logboom.model.names import DEFAULT_INDEX

MOST_FILES = 1_000
"""At most this many files of a source are shown, the last changed ones."""

MODES: dict[str, tuple[str, frozenset[str]]] = {
    "type": ("file", frozenset({"s3"})),
    "mode": ("poll", frozenset({"watch", "event"})),
}
"""The supported and reserved values of the members that select how a source is read."""

Exclude = Annotated[tuple[str, ...], msgspec.Meta(description="Globs of absolute paths to skip.")]
Type = Annotated[str, msgspec.Meta(description="Only `file`; `s3` is not available yet.")]
Mode = Annotated[str, msgspec.Meta(description="Only `poll`; `watch` is not available yet.")]


class NewSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A source to create."""

    name: str
    path: Annotated[
        str, msgspec.Meta(description="Absolute glob; `**` matches any number of directories.")
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


class FormatsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The values of `format`, and the preset names that `grok` accepts beside patterns."""

    formats: list[str]
    grok_presets: list[str]


class FileAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a file was read, in uncompressed bytes, and its modification time then.

    `format` is what `auto` detected, and `confidence` the share of its first lines that match; null if the source
    names its format. `error` is present if it cannot be read, or not to its end; other files are not affected.
    """

    path: str
    bytes: int
    mtime: str
    format: str | None
    confidence: float | None
    error: str | None = None


class StatusAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The status on this node; if there are very many files, `files` has only the last changed ones."""

    last_run: str | None
    last_status: Literal["ok", "error"] | None
    last_error: str | None
    total_ingested: int
    current_file: str | None
    files: list[FileAnswer]
    files_total: int


class SourceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A source and its status."""

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


def describe_status(status: SourceStatus) -> StatusAnswer:
    newest = sorted(status.files, key=lambda file: (bool(file.error), file.mtime_ns), reverse=True)[
        :MOST_FILES
    ]
    return StatusAnswer(
        last_run=None if status.last_run_ns is None else format_time(status.last_run_ns),
        last_status=status.last_status,
        last_error=status.last_error or None,
        total_ingested=status.total_ingested,
        current_file=status.current_file or None,
        files=[
            FileAnswer(
                path=each.path,
                bytes=each.bytes,
                mtime=format_time(each.mtime_ns),
                format=each.format or None,
                confidence=round(each.confidence, 2) if each.format else None,
                error=each.error or None,
            )
            for each in newest
        ],
        files_total=status.files_total,
    )


def describe_source(services: Services, source: Source) -> SourceAnswer:
    members = msgspec.structs.asdict(source)
    del members["generation"]
    status = describe_status(services.sources.find_status(source.id))
    return SourceAnswer(**members, status=status)


SOURCES = Collection(
    "sources",
    "a pull source",
    find=lambda control: control.sources,
    name=lambda source: source.name,
    show=describe_source,
    answer=SourceAnswer,
    reach=lambda source: source.reach,
    noted=("path",),
)


def check_modes(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a source without those that select how it is read, which are checked here."""
    for name, (only, reserved) in MODES.items():
        value = members.pop(name, only)
        if value in reserved:
            raise Invalid(f"{name} {value!r} is not available yet, expected {only!r}", field=name)
        if value != only:
            raise Invalid(f"{name} {value[:80]!r} is not known, expected {only!r}", field=name)
    return members


def check_readable(services: Services, source: Source) -> None:
    """Check what can be known in advance about whether a source can be read."""
    with about("environment"):
        services.control.environments.get(source.environment)
    options = Options(grok=source.grok)
    fold = source.multiline
    if fold is not None:
        check_fold(fold.pattern)
        options = Options(grok=source.grok, multiline=fold.pattern, max_lines=fold.max_lines)
    open_reader(source.format, options)
    with about("path"):
        services.directories.check_globs(source.path, ())
    with about("exclude"):
        services.directories.check_globs(source.path, source.exclude)


def check_fold(pattern: str) -> None:
    with about("multiline.pattern"):
        if not pattern:
            raise Invalid("the multiline pattern is empty, expected a regex or null for multiline")
        compile_search(pattern, pattern)


def update_source(
    services: Services,
    id: str,
    changes: dict[str, Any],
    expected_generation: int | None,
    allow: Allow[Source],
) -> Source:
    check, members = partial(check_readable, services), check_modes(changes)
    return services.control.sources.update(id, members, check, expected_generation, allow)


@get(
    "/api/sources",
    tags=["sources"],
    summary="List the pull sources",
    description="Admins and editors only; editors see those of their environments. The status is that of this node.",
    sync_to_thread=False,
)
def handle_list(
    editor: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[list[SourceAnswer]]:
    return SOURCES.answer_all(services, lambda source: covers_env(editor, source.environment))


@get(
    "/api/sources/formats",
    tags=["sources"],
    summary="List the text formats",
    description="Admins and editors only. The values of `format` for sources and `POST /api/ingest/raw`, and "
    "the presets of `grok`.",
    sync_to_thread=False,
)
def handle_formats(
    editor: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
) -> FormatsAnswer:
    return FormatsAnswer(formats=list(FORMATS), grok_presets=list(PRESETS))


@get(
    "/api/sources/{id:str}",
    tags=["sources"],
    summary="Read a pull source",
    description="Admins and editors only. The status is that of this node.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str], editor: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    return SOURCES.answer_one(services, id, lambda source: check_env(editor, source.environment))


@post(
    "/api/sources",
    tags=["sources"],
    summary="Create a pull source",
    description="Admins only. Files that match `path` are read every `poll_interval_secs`, each line once. "
    "`format` is the same as for `POST /api/ingest/raw`; a pattern that does not compile is a 400 "
    "with its position.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(
    data: JSONBody[NewSource],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[SourceAnswer]:
    members = check_modes(msgspec.structs.asdict(data))
    check = partial(check_readable, services)
    source = services.control.sources.create(members, check, SOURCES.allow(by_admin))
    SOURCES.record(by_admin, "source.create", source)
    return SOURCES.answer_changed(services, source)


@post(
    "/api/sources/{id:str}/run",
    tags=["sources"],
    summary="Poll a pull source now",
    description="Admins only. Answers when everything there is read; the status has the result. Works for "
    "disabled sources too. 409 while another node reads it.",
    status_code=HTTP_200_OK,
)
async def handle_run(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    source = by_admin.control.sources.get(id)
    SOURCES.allow(by_admin)(source)
    await services.sources.run(id)
    SOURCES.record(by_admin, "source.run", source)
    return SOURCES.answer_changed(services, source)


@post(
    "/api/sources/{id:str}/reset",
    tags=["sources"],
    summary="Reset a pull source",
    description="Admins only. Forgets the read positions: the next run reads all files again from the start.",
    status_code=HTTP_200_OK,
    sync_to_thread=True,
)
def handle_reset(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> Response[SourceAnswer]:
    expected, allow = by_admin.expected_generation, SOURCES.allow(by_admin)
    source = services.control.sources.reset(id, expected, allow)
    SOURCES.record(by_admin, "source.reset", source)
    return SOURCES.answer_changed(services, source)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_formats,
    handle_read,
    handle_create,
    make_update(
        SOURCES,
        update_source,
        NewSource,
        "source.update",
        "The read positions of its files are kept. ",
    ),
    make_delete(
        SOURCES,
        "source.delete",
        "Admins only. Its events stay; the read positions are forgotten.",
    ),
    handle_run,
    handle_reset,
]

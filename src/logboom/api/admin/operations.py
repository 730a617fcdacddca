"""Operating the service: health, readiness, metrics, status, flush and retention."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from logboom.api.access import Change, find_credential
from logboom.api.admin.retention import find_retention
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.parameters import document, read_parameters
from logboom.api.probes import Status, read_health, read_readiness
from logboom.api.services import Services
from logboom.api.status import ServiceStatus
from logboom.base.version import __version__
from logboom.control.access.authorise import check_everywhere, require
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope


class Version(msgspec.Struct):
    """The running version."""

    name: str
    version: str


class FlushAnswer(msgspec.Struct):
    """What a flush made searchable."""

    blocks: int
    events: int


class GcAnswer(msgspec.Struct):
    """What the retention sweep removed, or would remove."""

    removed_blocks: int
    removed_events: int
    freed_bytes: int
    dry_run: bool
    held: str | msgspec.UnsetType = msgspec.UNSET
    """Why nothing is removed now, if so."""


class GcBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to remove old events. `confirm` means that the clock is right although it looks wrong."""

    confirm: bool = False


class GcParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With `dry_run` nothing is removed."""

    dry_run: Annotated[bool, msgspec.Meta(description="Only report what would be removed.")] = False


@get(
    "/ready",
    tags=["operations"],
    summary="Is it ready?",
    description="200 once the write-ahead log is replayed and the catalog loaded, 503 before. Also 503, with the reason, while events "
    "cannot be accepted because the disk is full or failing.",
    sync_to_thread=True,
)
def handle_ready(services: NamedDependency[Services]) -> Status:
    return read_readiness(services)


@get(
    "/health",
    tags=["operations"],
    summary="Is it alive?",
    description="200 as long as the process runs, also while the disk is full: searches still work.",
    sync_to_thread=False,
)
def handle_health(services: NamedDependency[Services]) -> Status:
    return read_health(services)


@get(
    "/metrics",
    tags=["operations"],
    summary="Metrics",
    description="Counters and gauges in the Prometheus text format. Open to everybody, unless the service was "
    "started with SERVICE_METRICS_AUTH=on; then to those who may search everything.",
    sync_to_thread=True,
)
def handle_metrics(
    request: Request[Any, Any, Any], services: NamedDependency[Services]
) -> Response[bytes]:
    if services.metrics_auth:
        principal = services.control.authenticate(find_credential(request))
        require(principal, Scope.SEARCH)
        check_everywhere(principal)
    # As a media type it would get a second charset, which readers of metrics reject.
    return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


@get("/api/version", tags=["operations"], summary="Version", sync_to_thread=False)
def handle_version() -> Version:
    return Version("logboom", __version__)


@get(
    "/api/admin/status",
    tags=["operations"],
    summary="Read the status",
    description="Admins only. What this node ingests and buffers, what is in the store, and which nodes share "
    "it; cheap enough to be polled every other second.",
    sync_to_thread=True,
)
def handle_status(
    services: NamedDependency[Services],
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
) -> ServiceStatus:
    return services.status.read()


@post(
    "/api/admin/flush",
    tags=["operations"],
    summary="Flush now",
    description="Admins only. When it answers, all events accepted so far are searchable.",
    status_code=HTTP_200_OK,
    sync_to_thread=True,
)
def handle_flush(
    services: NamedDependency[Services],
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
) -> FlushAnswer:
    return FlushAnswer(*services.store.flush().result())


@post(
    "/api/admin/gc",
    tags=["operations"],
    summary="Remove events past their retention",
    description="Admins without limits only. Runs the retention sweep now instead of within the hour. It "
    "removes blocks whose events are all older than the retention of their environment, then the "
    "oldest blocks of environments that exceed their `retention_bytes`, then the oldest blocks of "
    "all while the store exceeds `general.retention_bytes`. With `?dry_run=true` it only reports "
    "what would be removed. While the clock is more than two days ahead of the last commit nothing "
    "is removed, and `held` says so, until the clock is right again or `confirm` is true.",
    status_code=HTTP_200_OK,
    sync_to_thread=True,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    operation_class=document(GcParameters),
)
def handle_gc(
    data: JSONBody[GcBody],
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    by_admin: NamedDependency[Change],
) -> GcAnswer:
    check_everywhere(by_admin.principal)
    dry_run = read_parameters(request, GcParameters).dry_run
    swept = services.store.sweeper.remove_old(
        find_retention(services.control), dry_run=dry_run, confirm=data.confirm
    )
    if not dry_run:
        by_admin.record("gc", "store", blocks=swept.blocks, events=swept.events)
    held = msgspec.UNSET if swept.held is None else swept.held
    return GcAnswer(swept.blocks, swept.events, swept.size_bytes, dry_run, held)


ROUTES: list[HTTPRouteHandler] = [
    handle_health,
    handle_ready,
    handle_metrics,
    handle_version,
    handle_status,
    handle_flush,
    handle_gc,
]

"""Running the service: is it alive, is it ready, what has it done, and flushing by hand."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_200_OK
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from logboom.api.access import find_credential
from logboom.api.services import Services
from logboom.base.version import __version__
from logboom.control.authorise import require
from logboom.control.principal import Principal, Scope


class Status(msgspec.Struct):
    """How the service is."""

    status: str


class Version(msgspec.Struct):
    """What is running."""

    name: str
    version: str


class FlushAnswer(msgspec.Struct):
    """What a flush made searchable."""

    blocks: int
    events: int


@get(
    "/ready",
    tags=["operations"],
    summary="Is it ready?",
    description="200 once the write-ahead log is replayed and the catalog loaded, 503 before.",
    sync_to_thread=False,
)
def handle_ready() -> Status:
    return Status("ready")


@get(
    "/health",
    tags=["operations"],
    summary="Is it alive?",
    description="200 as long as the process lives.",
    sync_to_thread=False,
)
def handle_health() -> Status:
    return Status("ok")


@get(
    "/metrics",
    tags=["operations"],
    summary="Metrics",
    description="Counters and gauges in the Prometheus text format. Open to everybody, unless the service was started with "
    "SERVICE_METRICS_AUTH=on.",
    sync_to_thread=True,
)
def handle_metrics(
    request: Request[Any, Any, Any], services: NamedDependency[Services]
) -> Response[bytes]:
    if services.metrics_auth:
        require(services.control.authenticate(find_credential(request)), Scope.SEARCH)
    # As a media type it would get a second charset, which readers of metrics refuse.
    return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


@get("/api/version", tags=["operations"], summary="Version", sync_to_thread=False)
def handle_version() -> Version:
    return Version("logboom", __version__)


@post(
    "/api/admin/flush",
    tags=["operations"],
    summary="Flush now",
    description="Admins only. Everything accepted so far is searchable when it answers.",
    status_code=HTTP_200_OK,
    sync_to_thread=True,
)
def handle_flush(
    services: NamedDependency[Services],
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
) -> FlushAnswer:
    return FlushAnswer(*services.store.flush().result())


ROUTES: list[HTTPRouteHandler] = [
    handle_health,
    handle_ready,
    handle_metrics,
    handle_version,
    handle_flush,
]

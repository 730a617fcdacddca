"""Running the service: is it alive, is it ready, what has it done, and flushing by hand."""

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_200_OK
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from logboom.api.auth import provide_admin
from logboom.api.services import Services
from logboom.base.version import __version__
from logboom.control.users import User


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
    description="Counters and gauges in the Prometheus text format.",
    sync_to_thread=True,
)
def handle_metrics() -> Response[bytes]:
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
    dependencies={"admin": Provide(provide_admin, sync_to_thread=False)},
    status_code=HTTP_200_OK,
    sync_to_thread=True,
)
def handle_flush(
    services: NamedDependency[Services],
    admin: NamedDependency[User],  # noqa: ARG001 - asks for the role
) -> FlushAnswer:
    return FlushAnswer(*services.store.flush().result())


ROUTES: list[HTTPRouteHandler] = [
    handle_health,
    handle_ready,
    handle_metrics,
    handle_version,
    handle_flush,
]

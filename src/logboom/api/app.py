"""The application of the native API: all routes of the framework, and what they share."""

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, cast

from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import Receive, Scope, Send

from logboom.api import access, documents
from logboom.api.accounts import auth, keys, saml, tokens, users
from logboom.api.admin import (
    browse,
    compaction,
    environments,
    operations,
    samples,
    settings,
    sources,
)
from logboom.api.alerts import alerts, channels
from logboom.api.alerts import history as alert_history
from logboom.api.alerts import preview as alert_preview
from logboom.api.events import (
    context,
    difference,
    export,
    fields,
    histogram,
    indexes,
    query,
    search,
    tail,
)
from logboom.api.failures import EXCEPTION_HANDLERS, respond
from logboom.api.head import HeadAsGet
from logboom.api.saved import dashboards, links, lookups, queries
from logboom.api.services import Services
from logboom.base.errors import Unavailable
from logboom.base.version import __version__
from logboom.control.control import Control
from logboom.web.asgi import ClientGone
from logboom.web.errors import render_error

log = logging.getLogger(__name__)

SERVICES = "logboom_services"
"""Where a request has the services that answer it."""
UNTIL_END = "logboom_until_end"
"""Where a request has what is held until it ends, however it ends."""
ROUTES = [
    *auth.ROUTES,
    *saml.ROUTES,
    *users.ROUTES,
    *keys.ROUTES,
    *tokens.ROUTES,
    *settings.ROUTES,
    *environments.ROUTES,
    *search.ROUTES,
    *histogram.ROUTES,
    *fields.ROUTES,
    *difference.ROUTES,
    *tail.ROUTES,
    *context.ROUTES,
    *export.ROUTES,
    *query.ROUTES,
    *queries.ROUTES,
    *dashboards.ROUTES,
    *alerts.ROUTES,
    *alert_preview.ROUTES,
    *alert_history.ROUTES,
    *channels.ROUTES,
    *links.ROUTES,
    *indexes.ROUTES,
    *lookups.ROUTES,
    *browse.ROUTES,
    *sources.ROUTES,
    *operations.ROUTES,
    *compaction.ROUTES,
    *samples.ROUTES,
    *documents.ROUTES,
]


class Application(Litestar):
    """The framework without its integrations for libraries that are installed but not used with it."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        """The plugins for Pydantic and attrs would take longer to import than our routes to register."""
        return [*plugins, MsgspecDIPlugin()]


class Api:
    """The routes of the framework, answering for one set of services."""

    def __init__(self, routes: Litestar, services: Services) -> None:
        self._app = HeadAsGet(routes)
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with ExitStack() as until_end:
            own = {SERVICES: self._services, UNTIL_END: until_end}
            await self._app(cast("Scope", {**scope, **own}), receive, send)


def make_routes(other_paths: Mapping[str, Any]) -> Litestar:
    """Return all routes of the framework; `other_paths` are the OpenAPI descriptions of routes outside it."""
    return Application(
        ROUTES,
        state=State({documents.OTHER_PATHS: other_paths}),
        dependencies={
            **access.DEPENDENCIES,
            "services": Provide(provide_services, sync_to_thread=False),
            "until_end": Provide(provide_until_end, sync_to_thread=False),
            # Each depends on the services, because the framework starts tasks for dependencies that are independent.
            "control": Provide(provide_control, sync_to_thread=False),
        },
        exception_handlers={**EXCEPTION_HANDLERS, ClientGone: handle_gone},
        openapi_config=documents.make_config(__version__),
        logging_config=None,
    )


def provide_services(scope: Scope) -> Services:
    services: Services = scope[SERVICES]  # type: ignore[literal-required]
    return services


def provide_until_end(scope: Scope) -> ExitStack:
    """Return what a handler holds for longer than it runs: until its answer is sent, or its client has gone."""
    until_end: ExitStack = scope[UNTIL_END]  # type: ignore[literal-required]
    return until_end


def provide_control(services: NamedDependency[Services]) -> Control:
    return services.control


def handle_gone(request: Request[Any, Any, Any], _error: ClientGone) -> Response[bytes]:
    """Answer a client that has disconnected, which is not an error."""
    log.debug("client went away", extra={"path": request.scope["path"]})
    return respond(render_error(Unavailable("the client disconnected")))

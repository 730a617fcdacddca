"""The application: the hot routes straight from ASGI, everything else through Litestar."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from logboom.api import (
    access,
    auth,
    context,
    documents,
    environments,
    export,
    fields,
    histogram,
    indexes,
    keys,
    lookups,
    operations,
    query,
    search,
    settings,
    tail,
    tokens,
    users,
)
from logboom.api.ingest import handle_ingest
from logboom.api.services import Services
from logboom.base.errors import Invalid, LogboomError, Unavailable
from logboom.base.version import __version__
from logboom.web.asgi import ClientGone, send_error
from logboom.web.errors import (
    EXCEPTION_HANDLERS,
    ErrorAnswer,
    render_error,
    render_failure,
    respond,
)

log = logging.getLogger(__name__)

RawHandler = Callable[[Services, Scope, Receive, Send], Awaitable[None]]

RAW_ROUTES: dict[str, RawHandler] = {"/api/ingest": handle_ingest}
"""Routes that stream and have to be quick; POST only."""

ROUTES = [
    *auth.ROUTES,
    *users.ROUTES,
    *keys.ROUTES,
    *tokens.ROUTES,
    *settings.ROUTES,
    *environments.ROUTES,
    *search.ROUTES,
    *histogram.ROUTES,
    *fields.ROUTES,
    *tail.ROUTES,
    *context.ROUTES,
    *export.ROUTES,
    *query.ROUTES,
    *indexes.ROUTES,
    *lookups.ROUTES,
    *operations.ROUTES,
    *documents.ROUTES,
]
ALWAYS_OPEN = ("/health", "/metrics")


def make_litestar(services: Services) -> Litestar:
    return Litestar(
        ROUTES,
        dependencies={
            **access.DEPENDENCIES,
            "control": Provide(lambda: services.control, sync_to_thread=False),
            "services": Provide(lambda: services, sync_to_thread=False),
        },
        exception_handlers={**EXCEPTION_HANDLERS, ClientGone: handle_gone},
        openapi_config=documents.make_config(__version__),
        logging_config=None,
    )


def handle_gone(request: Request[Any, Any, Any], _error: ClientGone) -> Response[bytes]:
    """Nobody reads this answer any more, and nothing went wrong."""
    log.debug("client went away", extra={"path": request.scope["path"]})
    return respond(render_error(Unavailable("the client went away")))


class Application:
    """The ASGI application; everything but its health answers 503 until `is_ready`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._litestar = make_litestar(services)
        self.is_ready = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != ScopeType.HTTP:
            await self._litestar(scope, receive, send)
        elif not self.is_ready and path not in ALWAYS_OPEN:
            await send_error(send, render_error(Unavailable("the service is starting")))
        elif path in RAW_ROUTES:
            await self._handle_raw(RAW_ROUTES[path], scope, receive, send)
        else:
            await self._litestar(scope, receive, send)

    async def _handle_raw(
        self, handler: RawHandler, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            if scope["method"] != "POST":  # type: ignore[typeddict-item]
                await send_error(send, refuse_method(str(scope["method"])))  # type: ignore[typeddict-item]
                return
            await handler(self._services, scope, receive, send)
        except LogboomError as error:
            await send_error(send, render_error(error))
        except ClientGone:
            log.debug("client went away", extra={"path": scope["path"]})
        except Exception:
            log.exception("request failed", extra={"path": scope["path"]})
            await send_error(send, render_failure())


def refuse_method(method: str) -> ErrorAnswer:
    answer = render_error(Invalid(f"method {method}, expected POST"))
    answer.status = 405
    answer.headers["Allow"] = "POST"
    return answer

"""HEAD for every GET route: the same status and headers; the server omits the body."""

from typing import Any, cast

from litestar import Request
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

ASKED = "logboom_head"


class HeadAsGet:
    """An ASGI application that handles every HEAD as a GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["method"] == "HEAD":
            scope = cast("Scope", {**scope, "method": "GET", ASKED: True})
        await self._app(scope, receive, send)


def is_head(request: Request[Any, Any, Any]) -> bool:
    """Return whether the body will not be sent, so that a long one need not be made."""
    return ASKED in request.scope

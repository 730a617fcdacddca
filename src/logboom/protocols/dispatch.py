"""Routes requests to protocols; errors are answered in the form of the protocol."""

import logging

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from logboom.base.errors import LogboomError
from logboom.ingest.visit import Intake
from logboom.protocols.reply import Reply
from logboom.protocols.routes import RouteMatch, find_route
from logboom.web.asgi import ClientGone, RawRequest, send_answer
from logboom.web.errors import describe_fault

log = logging.getLogger(__name__)


class Dispatcher:
    """The ASGI application of the protocols, wrapped around the one that answers everything else."""

    def __init__(self, intake: Intake, rest: ASGIApp) -> None:
        self._intake = intake
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._rest(scope, receive, send)
            return
        found = find_route(str(scope["method"]), scope["path"])
        if found is None or is_for_page(scope):
            await self._rest(scope, receive, send)
            return
        try:
            reply = await self._answer(found, scope, receive)
        except ClientGone:
            log.debug("client went away", extra={"path": scope["path"]})
            return
        headers = {"Content-Type": reply.content_type, **reply.headers}
        await send_answer(send, reply.status, reply.body, headers)

    async def _answer(self, found: RouteMatch, scope: Scope, receive: Receive) -> Reply:
        request = RawRequest(scope, receive, found.values)
        handler, refuse = found.route.handler, found.route.protocol.refuse
        try:
            return await handler(self._intake, request)
        except LogboomError as error:
            return refuse(error, request)
        except ClientGone:
            raise
        except Exception:
            log.exception("request failed", extra={"path": request.path})
            return refuse(describe_fault(), request)


def is_for_page(scope: Scope) -> bool:
    """Whether a browser asks for the page that shares its path with the banner."""
    accept = dict(scope["headers"]).get(b"accept", b"")
    return scope["path"] == "/" and b"text/html" in accept

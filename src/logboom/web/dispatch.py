"""Routes requests to the handlers of protocols; errors are answered in the form of the protocol."""

import logging
from typing import Generic

from logboom.base.errors import LogboomError
from logboom.web.asgi import ClientGone, RawRequest, send_answer
from logboom.web.direct import Answering, WholeRequest
from logboom.web.errors import describe_fault
from logboom.web.matching import RouteMatch, RouteTable
from logboom.web.reply import Reply
from logboom.web.route import S
from logboom.web.types import HTTP, ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)


class Dispatcher(Generic[S]):
    """The ASGI application of some protocols, wrapped around the one that answers everything else."""

    def __init__(self, table: RouteTable[S], service: S, rest: ASGIApp) -> None:
        self._find_route = table.find
        self._service = service
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != HTTP:
            await self._rest(scope, receive, send)
            return
        found = self._find_route(str(scope["method"]), scope["path"])
        if found is None or is_for_page(scope):
            await self._rest(scope, receive, send)
            return
        try:
            reply = await self._answer(found, RawRequest(scope, receive, found.values))
        except ClientGone:
            log.debug("client went away", extra={"path": scope["path"]})
            return
        headers = {"Content-Type": reply.content_type, **reply.headers}
        await send_answer(send, reply.status, reply.body, headers)

    def find_answer(self, whole: WholeRequest) -> Answering | None:
        """Return a function that answers a small request that has arrived, if it is for a protocol."""
        scope, receive, body = whole
        found = self._find_route(str(scope["method"]), scope["path"])
        if found is None or is_for_page(scope):
            return None
        return self._answer(found, RawRequest(scope, receive, found.values, body))

    async def _answer(self, found: RouteMatch[S], request: RawRequest) -> Reply:
        handler, refuse = found.route.handler, found.route.protocol.refuse
        try:
            return await handler(self._service, request)
        except LogboomError as error:
            return refuse(error, request)
        except ClientGone:
            raise
        except Exception:
            log.exception("request failed", extra={"path": request.path})
            return refuse(describe_fault(), request)


def is_for_page(scope: Scope) -> bool:
    """Return whether a browser asks for the page that shares its path with the banner."""
    if scope["path"] != "/":
        return False
    return b"text/html" in dict(scope["headers"]).get(b"accept", b"")

"""The usual search of an API client, answered without the framework, which would take as long as a simple search.

Everything else about `POST /api/search` is left to the framework: other credentials, a body in pieces, or one that does
not fit.
"""

import logging

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, ReceiveMessage, Scope, Send

from logboom.api.bodies import BODY_LIMIT_BYTES
from logboom.api.search import AskedBody, search
from logboom.api.services import Services
from logboom.base.errors import LogboomError
from logboom.control.access import scopes
from logboom.control.access.authorise import require
from logboom.web.asgi import ClientGone, send_answer, send_error
from logboom.web.errors import describe_fault, render_error

log = logging.getLogger(__name__)

PATH = "/api/search"
BEARER = b"bearer "
UNFIT = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
read_body = msgspec.json.Decoder(AskedBody).decode


class DirectSearch:
    """An ASGI application wrapped around that of the API; both give the same answers."""

    def __init__(self, services: Services, rest: ASGIApp) -> None:
        self._services = services
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_search = scope.get("path") == PATH and scope.get("method") == "POST"
        credential = find_bearer(scope) if is_search else None
        if scope["type"] != ScopeType.HTTP or credential is None:
            await self._rest(scope, receive, send)
            return
        first = await receive()
        body = find_body(first)
        if body is None:
            await self._rest(scope, repeat(first, receive), send)
            return
        try:
            content = await self._search(credential, body, receive)
        except LogboomError as error:
            await send_error(send, render_error(error))
        except ClientGone:
            log.debug("client went away", extra={"path": PATH})
        except Exception:
            log.exception("request failed", extra={"path": PATH})
            await send_error(send, render_error(describe_fault()))
        else:
            await send_answer(send, 200, content)

    async def _search(self, credential: str, body: AskedBody, receive: Receive) -> bytes:
        principal = self._services.control.authenticate(credential)
        require(principal, scopes.Scope.SEARCH)
        return await search(receive, body, self._services, principal)


def find_bearer(scope: Scope) -> str | None:
    """The bearer token of a request; None if it has other credentials, or several."""
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(found) != 1 or found[0][: len(BEARER)].lower() != BEARER:
        return None
    return found[0][len(BEARER) :].decode("latin-1").strip()


def find_body(message: ReceiveMessage) -> AskedBody | None:
    """The body of a request whose first message this is; None if it does not fit, or there is more of it."""
    if message["type"] != "http.request" or message["more_body"]:
        return None
    if len(message["body"]) > BODY_LIMIT_BYTES:
        return None
    try:
        return read_body(message["body"])
    except UNFIT:
        return None


def repeat(first: ReceiveMessage, receive: Receive) -> Receive:
    """The `receive` callable of a request whose first message was already received."""
    left = [first]

    async def receive_again() -> ReceiveMessage:
        return left.pop() if left else await receive()

    return receive_again

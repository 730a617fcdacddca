"""The usual search of an API client, answered without the framework, which would take as long as a simple search.

Everything else about `POST /api/search` is left to the framework: other credentials, or a body that does not fit.
"""

import logging

import msgspec

from logboom.api.events.searching import AskedBody, search
from logboom.api.services import Services
from logboom.base.errors import LogboomError
from logboom.control.access import scopes
from logboom.control.access.authorise import require
from logboom.web.asgi import ClientGone
from logboom.web.direct import Answering, WholeRequest
from logboom.web.errors import ErrorAnswer, describe_fault, render_error
from logboom.web.headers import Header
from logboom.web.reply import Reply
from logboom.web.types import Receive, Scope

log = logging.getLogger(__name__)

PATH = "/api/search"
BEARER = b"bearer "
UNFIT = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
read_body = msgspec.json.Decoder(AskedBody).decode


class DirectSearch:
    """Answers small requests that have arrived, as the framework would."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def find_answer(self, request: WholeRequest) -> Answering | None:
        """Return the answer to a request, or None if the framework must answer it."""
        scope, receive, data = request
        if scope["path"] != PATH or scope["method"] != "POST":
            return None
        credential = find_bearer(scope)
        body = None if credential is None else find_body(data)
        if credential is None or body is None:
            return None
        return self._answer(credential, body, receive)

    async def _answer(self, credential: str, body: AskedBody, receive: Receive) -> Reply:
        try:
            principal = self._services.control.authenticate(credential)
            require(principal, scopes.Scope.SEARCH)
            return Reply(body=await search(receive, body, self._services, principal))
        except LogboomError as error:
            return refuse(render_error(error))
        except ClientGone:
            raise
        except Exception:
            log.exception("request failed", extra={"path": PATH})
            return refuse(render_error(describe_fault()))


def refuse(answer: ErrorAnswer) -> Reply:
    return Reply(answer.status, answer.body, headers=answer.headers)


def find_bearer(scope: Scope) -> str | None:
    """Return the bearer token of a request, or None if it has other credentials, or several."""
    headers: list[Header] = scope["headers"]
    found = [value for name, value in headers if name == b"authorization"]
    if len(found) != 1 or found[0][: len(BEARER)].lower() != BEARER:
        return None
    return found[0][len(BEARER) :].decode("latin-1").strip()


def find_body(data: bytes) -> AskedBody | None:
    """Return what a body asks, or None if it does not fit."""
    try:
        return read_body(data)
    except UNFIT:
        return None

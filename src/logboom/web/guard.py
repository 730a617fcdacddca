"""Wraps every request: checks its path, host and origin, and adds security headers to its answer."""

from logboom.base.errors import LogboomError
from logboom.web.asgi import join_headers, send_error
from logboom.web.direct import Answering, FindAnswer, WholeRequest
from logboom.web.errors import render_error
from logboom.web.headers import add_security
from logboom.web.hosts import SETUP_PATH, HostRule
from logboom.web.origin import FOREIGN_PATHS, refuse_foreign
from logboom.web.paths import check_path, is_plain
from logboom.web.proxies import TrustedProxies
from logboom.web.types import HTTP, ASGIApp, Message, Receive, Scope, Send

BROWSER_HEADERS = {b"sec-fetch-site", b"origin"}


class Guard:
    """An ASGI application that wraps another one."""

    def __init__(
        self,
        app: ASGIApp,
        proxies: TrustedProxies,
        hosts: HostRule,
        find_answer: FindAnswer | None = None,
    ) -> None:
        self._app = app
        self._proxies = proxies
        self._hosts = hosts
        self._find_answer = find_answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._proxies.apply(scope)
        if scope["type"] != HTTP:
            await self._app(scope, receive, send)
            return
        send_hardened = harden(send, is_encrypted=scope["scheme"] == "https")
        try:
            check_request(scope, self._hosts)
        except LogboomError as error:
            await send_error(send_hardened, render_error(error))
        else:
            await self._app(scope, receive, send_hardened)

    def find_answer(self, request: WholeRequest) -> Answering | None:
        """Return a function that answers a request that needs no further checks; requests of browsers always do."""
        if self._find_answer is None or needs_check(request.scope):
            return None
        self._proxies.apply(request.scope)
        return self._find_answer(request)


def needs_check(scope: Scope) -> bool:
    """Return whether a request must be checked before any route sees it."""
    if not is_plain(scope["raw_path"]) or scope["path"].startswith(SETUP_PATH):
        return True
    return any(name in BROWSER_HEADERS for name, _ in scope["headers"])


def check_request(scope: Scope, hosts: HostRule) -> None:
    """Refuse requests that no route should ever see."""
    check_path(scope["raw_path"])
    if needs_check(scope):
        headers = join_headers(scope["headers"])
        method = str(scope["method"])
        if scope["path"] not in FOREIGN_PATHS:
            refuse_foreign(method, headers, scope["scheme"])
        hosts.check(scope["path"], headers)


def harden(send: Send, *, is_encrypted: bool) -> Send:
    """Return the `send` callable with the headers that every answer carries."""

    async def send_hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = add_security(message["headers"], is_encrypted)
        await send(message)

    return send_hardened

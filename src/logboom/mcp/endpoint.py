"""`/mcp`: checks the key before anything of the protocol is read."""

import asyncio
import importlib
import secrets
from typing import Any

from logboom.base.errors import LogboomError, Unavailable
from logboom.base.process.offload import Offload
from logboom.mcp.access import admit
from logboom.mcp.tool_runner import ToolRunner, Visit
from logboom.web.asgi import join_headers, send_error
from logboom.web.errors import WrongMethod, render_error
from logboom.web.hosts import HOST
from logboom.web.types import HTTP, ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
SESSION_HEADER = b"mcp-session-id"
VERSION_HEADER = b"mcp-protocol-version"
"""Every request has it except the one that starts a session."""
MISSING = "the MCP endpoint is not installed, expected the extra: pip install 'logboom[mcp]'"


class Endpoint:
    """An ASGI application wrapped around the one that answers everything else."""

    def __init__(self, runner: ToolRunner, offload: Offload, rest: ASGIApp) -> None:
        self._runner = runner
        self._offload = offload
        self._rest = rest
        self._protocol: Any = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != HTTP or scope["path"].rstrip("/") != PATH:
            await self._rest(scope, receive, send)
            return
        try:
            visit = self._receive_visit(scope)
            protocol = await self._load()
        except LogboomError as error:
            await send_error(send, render_error(error))
            return
        await protocol({**scope, "logboom.visit": visit}, receive, name_session(scope, send))

    def _receive_visit(self, scope: Scope) -> Visit:
        """Admit a request; the key is checked first, so that nobody learns anything without one."""
        headers = join_headers(scope["headers"])
        principal = admit(self._runner.toolbox.control, headers.get("authorization", ""))
        method = str(scope["method"])
        if method != "POST":
            raise WrongMethod(method, "POST")
        client = scope.get("client")
        host = headers.get("host", "")
        base_url = f"{scope['scheme']}://{host}" if HOST.fullmatch(host) else ""
        return Visit(principal, client[0] if client else "", base_url)

    async def _load(self) -> Any:
        """Return the protocol; its SDK is slow to import, so it is loaded with the first request."""
        async with self._loading:
            if self._protocol is None:
                try:
                    protocol = await self._offload.run(
                        importlib.import_module, "logboom.mcp.protocol"
                    )
                except ModuleNotFoundError as error:
                    raise Unavailable(MISSING) from error
                self._protocol = protocol.Protocol(self._runner, self._offload)
        return self._protocol


def name_session(scope: Scope, send: Send) -> Send:
    """Return the `send` callable; a client without a session gets an id for one.

    Nothing is stored under it. It distinguishes the requests of one client from those of others, so that a client can
    cancel its own.
    """
    if any(name in (SESSION_HEADER, VERSION_HEADER) for name, _ in scope["headers"]):
        return send

    async def send_named(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = (SESSION_HEADER, secrets.token_hex(16).encode())
            message["headers"] = [*message["headers"], named]
        await send(message)

    return send_named

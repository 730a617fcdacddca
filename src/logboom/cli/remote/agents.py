"""`logboom mcp`: the MCP tools of a server, for an agent that uses standard input and output."""

import asyncio
import importlib

import httpx
from rich.console import Console

from logboom.base.errors import Forbidden, Unavailable
from logboom.cli.options import DEFAULT_URL, Token, Url
from logboom.cli.output import show
from logboom.cli.remote.server import BUSY, check_status, check_token, check_url

PING = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
MISSING = "the bridge is not installed, expected the extra: pip install 'logboom[mcp]'"
NO_KEY = "no key, expected one with the scope mcp in --token or LOGBOOM_TOKEN"


def run_mcp(url: Url = DEFAULT_URL, token: Token = "") -> None:
    """Serve the MCP tools of a server over standard input and output, for agents that cannot use HTTP."""
    address, key = check_url(url), check_token(token)
    if not key:
        raise Forbidden(NO_KEY)
    try:
        bridge = importlib.import_module("logboom.mcp.bridge")
    except ModuleNotFoundError as error:
        raise Unavailable(MISSING) from error
    check_key(address, key)
    try:
        asyncio.run(bridge.run_bridge(address, key))
    except* BrokenPipeError:
        pass  # nobody reads the answers any longer


def check_key(url: str, key: str) -> None:
    """Raise an error if the server rejects the key; a server that does not answer yet is no error."""
    headers = {"Authorization": f"Bearer {key}", **ACCEPT}
    try:
        response = httpx.post(f"{url}/mcp", json=PING, headers=headers)
    except httpx.HTTPError as error:
        warn(f"no answer from {url} yet: {str(error) or type(error).__name__}")
        return
    if response.status_code in BUSY:
        warn(f"{url} is not ready yet, it answered {response.status_code}")
    else:
        check_status(response)


def warn(message: str) -> None:
    show(Console(stderr=True), message, "yellow")

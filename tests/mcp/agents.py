"""Agents for tests: their keys, the official client, and calls without the protocol."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent
from tests.running import RunningService
from tests.waiting import poll_until

from logboom.base.process.deadline import Deadline
from logboom.control.access.scopes import Scope
from logboom.mcp.access import admit
from logboom.mcp.limits import Allowance, Budget
from logboom.mcp.tool_runner import Outcome, ToolRunner, Visit
from logboom.mcp.tools.asking import Toolbox

T = TypeVar("T")
Connect = Callable[[int, str, str], AbstractAsyncContextManager[Client]]

DATA = re.compile(r"<data (\w+)>[^\n]*\n(.*)\n</data \1>", re.DOTALL)


def make_key(service: RunningService, **limits: Any) -> str:
    """Return the secret of a new key for agents."""
    _, secret = service.control.keys.create("agent", (Scope.MCP,), **limits)
    return secret


@asynccontextmanager
async def connect(port: int, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect the official client, signed in."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, verify=False) as http,
        Client(
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode
        ) as client,
    ):
        yield client


@asynccontextmanager
async def connect_bridge(port: int, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect the official client through the real command `logboom mcp`."""
    environment = {"LOGBOOM_URL": f"http://127.0.0.1:{port}", "LOGBOOM_TOKEN": key}
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "logboom", "mcp"], env=environment
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


def use_client(
    port: int,
    key: str,
    work: Callable[[Client], Awaitable[T]],
    mode: str = "auto",
    connect: Connect = connect,
) -> T:
    async def run() -> T:
        async with connect(port, key, mode) as client:
            return await work(client)

    return asyncio.run(run())


async def wait_until(condition: Callable[[], bool], what: str) -> None:
    await anyio.to_thread.run_sync(poll_until, condition, what)


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def make_runner(service: RunningService, calls: int = 10_000) -> ToolRunner:
    toolbox = Toolbox(service.control, service.searching)
    return ToolRunner(toolbox, Budget(Allowance(calls), service.clock), service.clock)


def call(
    service: RunningService, key: str, tool: str, runner: ToolRunner | None = None, **arguments: Any
) -> Outcome:
    """Call a tool as the key's owner, without the protocol; `from_` stands for `from`."""
    runner = runner or make_runner(service)
    visit = Visit(
        admit(service.control, f"Bearer {key}"), "192.0.2.1", f"http://127.0.0.1:{service.port}"
    )
    given = {name.rstrip("_"): value for name, value in arguments.items()}
    return runner.call(visit, runner.find_tool(visit, tool), given, Deadline())


def ask(service: RunningService, key: str, tool: str, **arguments: Any) -> str:
    """Return the answer to a call that must succeed."""
    outcome = call(service, key, tool, **arguments)
    assert not outcome.is_error, outcome.text
    return outcome.text


def list_data(text: str) -> list[str]:
    """Return the lines between the markers; none when there are no markers."""
    found = DATA.search(text)
    return found[2].split("\n") if found else []


def list_own(text: str) -> list[str]:
    """Return the lines that are the server's own words."""
    return DATA.sub("", text).split("\n")

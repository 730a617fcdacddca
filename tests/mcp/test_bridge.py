"""The bridge for clients that start a program: the official client speaks to the real command."""

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import JSONRPCRequest
from tests.mcp.agents import connect_bridge, make_key, read_text, use_client, wait_until
from tests.running import RunningService, encode_lines

from logboom.base.errors import LogboomError
from logboom.cli.agents import run_mcp
from logboom.control.access.scopes import Scope
from logboom.mcp.bridge import HeaderWriter


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on which one query runs at a time."""
    running = RunningService(tmp_path_factory.mktemp("busy"), queries=(1, 8, 30.0))
    running.start()
    running.keep(encode_lines([{"message": f"event {n}"} for n in range(3)]))
    yield running
    running.stop()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_messages_are_passed_on(busy: RunningService, mode: str) -> None:
    """Calls, errors, progress and cancellation in one session of the newest protocol, or of the older one."""

    async def use_bridge(client: Client) -> None:
        assert client.instructions
        assert len((await client.list_tools()).tools) > 10
        assert "\n3\n" in read_text(await client.call_tool("count", {}))
        assert (await client.call_tool("search", {"query": "("})).is_error
        await hear_progress(client, mode)
        await give_up(client, busy)

    use_client(busy.port, make_key(busy), use_bridge, mode, connect_bridge)


async def hear_progress(client: Client, mode: str) -> None:
    told: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    query = f'event | eval mode = "{mode}" | patterns by mode'
    await client.call_tool("search", {"query": query}, progress_callback=note)
    assert told


async def give_up(client: Client, service: RunningService) -> None:
    """A cancelled call no longer waits for its turn on the server."""
    with service.gate.enter():
        with anyio.CancelScope() as leaving:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "count", {})
                await wait_for(service, 1)
                leaving.cancel()
        await wait_for(service, 0)


async def wait_for(service: RunningService, waiting: int) -> None:
    await wait_until(lambda: service.gate.waiting == waiting, f"{waiting} queries to wait")


def test_what_cannot_work_is_said_at_once(busy: RunningService) -> None:
    url = f"http://127.0.0.1:{busy.port}"
    key = busy.control.keys.create("searcher", (Scope.SEARCH,))[1]
    with pytest.raises(LogboomError, match="no key, expected one with the scope mcp"):
        run_mcp(url, "")
    with pytest.raises(LogboomError, match="may not use tools"):
        run_mcp(url, key)
    with pytest.raises(LogboomError, match=r"no answer from http://127\.0\.0\.1:9"):
        run_mcp("http://127.0.0.1:9", key)


def test_headers_repeat_what_a_message_says() -> None:
    """In the newest protocol the server checks that they do."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params: dict[str, Any] = {"name": "count", "_meta": meta}
    question = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)
    assert HeaderWriter().write(question) == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "count",
    }

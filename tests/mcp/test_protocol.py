"""The official client over real HTTP, in the newest protocol and in the older one with a handshake."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from tests.mcp.agents import connect, make_key, read_text, use_client, wait_until
from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

from logboom.mcp.instructions import INSTRUCTIONS
from logboom.mcp.prompts import PROMPTS
from logboom.mcp.resources import DOCUMENTS
from logboom.mcp.table import TOOLS

MODES = ("auto", "legacy")
each_mode = pytest.mark.parametrize("mode", MODES)
SESSIONS = 50
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on which one query runs at a time, with events in several blocks."""
    with RunningService(tmp_path_factory.mktemp("busy"), queries=(1, 64, 30.0)) as running:
        for block in range(3):
            events = [{"message": f"event {block} {n}", "level": "info"} for n in range(20)]
            running.keep(encode_lines(events))
        yield running


@each_mode
def test_a_client_finds_tools_resources_and_prompts(busy: RunningService, mode: str) -> None:
    async def look(client: Client) -> None:
        assert client.instructions == INSTRUCTIONS
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        for tool in tools:
            assert tool.description
            assert tool.annotations
            assert tool.annotations.read_only_hint
            assert tool.input_schema["additionalProperties"] is False
        resources = (await client.list_resources()).resources
        assert [str(each.uri) for each in resources] == list(DOCUMENTS)
        for each in resources:
            (content,) = (await client.read_resource(str(each.uri))).contents
            assert len(getattr(content, "text", "")) > 500
        prompts = (await client.list_prompts()).prompts
        assert [each.name for each in prompts] == list(PROMPTS)
        given = {"symptom": "nobody can pay", "env": "default"}
        (message,) = (await client.get_prompt("incident_hunt", given)).messages
        assert "nobody can pay" in getattr(message.content, "text", "")

    use_client(busy.port, make_key(busy), look, mode)


@each_mode
def test_a_tool_is_called(busy: RunningService, mode: str) -> None:
    async def count(client: Client) -> str:
        result = await client.call_tool("count", {"query": "level:info"})
        assert not result.is_error
        return read_text(result)

    assert "\n60\n" in use_client(busy.port, make_key(busy), count, mode)


@each_mode
def test_bad_arguments_are_explained(busy: RunningService, mode: str) -> None:
    async def go_wrong(client: Client) -> list[str]:
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("search", {"query": "level:error | stats"}),
            ("search", {"limit": 10_000}),
            ("search", {"qeury": "x"}),
            ("search", {"from": "last tuesday"}),
            ("field_values", {}),
            ("read_event", {"id": "nonsense"}),
            ("compare", {"selection": "a | b"}),
        ]
        results = [await client.call_tool(name, arguments) for name, arguments in wrong]
        assert all(result.is_error for result in results)
        return [read_text(result) for result in results]

    texts = use_client(busy.port, make_key(busy), go_wrong, mode)
    assert all(text.startswith("error") and "\nNext: " in text for text in texts)
    assert "(argument from)" in texts[3]
    assert "search takes env, index, from, to, query" in texts[2]


@each_mode
def test_unknown_names_are_refused(busy: RunningService, mode: str) -> None:
    async def go_wrong(client: Client) -> None:
        with pytest.raises(MCPError, match="expected one of: list_indexes"):
            await client.call_tool("drop_everything", {})
        with pytest.raises(MCPError, match="logboom://guide"):
            await client.read_resource("logboom://secrets")
        with pytest.raises(MCPError, match="incident_hunt"):
            await client.get_prompt("nothing")

    use_client(busy.port, make_key(busy), go_wrong, mode)


@each_mode
def test_progress_is_told(busy: RunningService, mode: str) -> None:
    told: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async def search(client: Client) -> None:
        query = f'event | eval mode = "{mode}" | patterns by mode'
        await client.call_tool("search", {"query": query}, progress_callback=note)

    use_client(busy.port, make_key(busy), search, mode)
    assert told
    assert all(total is not None and 0 <= done <= total for done, total in told)
    assert told[-1] == (3, 3), "the end is always told, however quick the call was"


@each_mode
def test_a_cancelled_call_ends_on_the_server(busy: RunningService, mode: str) -> None:
    """Its query waits for its turn, which never comes; then it no longer waits."""

    async def give_up(client: Client) -> None:
        with anyio.move_on_after(30) as waiting:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "count", {})
                await wait_until(lambda: busy.gate.waiting == 1, "1 queries to wait")
                waiting.cancel()
        await wait_until(lambda: busy.gate.waiting == 0, "0 queries to wait")

    with busy.gate.enter():
        use_client(busy.port, make_key(busy), give_up, mode)


def test_clients_with_the_same_numbers_do_not_cancel_each_other(busy: RunningService) -> None:
    key = make_key(busy)

    async def run() -> str:
        async with (
            connect(busy.port, key, "legacy") as one,
            connect(busy.port, key, "legacy") as two,
        ):
            results: list[Any] = []

            async def stay() -> None:
                results.append(await two.call_tool("count", {}))

            async with anyio.create_task_group() as staying:
                staying.start_soon(stay)
                await wait_until(lambda: busy.gate.waiting == 1, "1 queries to wait")
                with anyio.CancelScope() as leaving:
                    async with anyio.create_task_group() as group:
                        group.start_soon(one.call_tool, "count", {})
                        await wait_until(lambda: busy.gate.waiting == 2, "2 queries to wait")
                        leaving.cancel()
                await wait_until(lambda: busy.gate.waiting == 1, "1 queries to wait")
                gate.close()
        return read_text(results[0])

    gate = ExitStack()
    gate.enter_context(busy.gate.enter())
    assert "\n60\n" in asyncio.run(run())


@pytest.mark.parametrize("accept", [HEADERS["Accept"], "*/*"], ids=["stream", "plain"])
def test_a_client_that_hangs_up_ends_its_query(busy: RunningService, accept: str) -> None:
    """Also one of the older protocol, which has no session that the answer could be kept for."""
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count"}}
    ).encode()
    with busy.gate.enter():
        connection = open_connection(busy, body, accept)
        poll_until(lambda: busy.gate.waiting == 1, "the query to wait")
        connection.close()
        poll_until(lambda: busy.gate.waiting == 0, "the query to end")


def open_connection(
    service: RunningService, body: bytes, accept: str = HEADERS["Accept"]
) -> socket.socket:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {make_key(service)}\r\n"
        f"Accept: {accept}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection = socket.create_connection(("127.0.0.1", service.port))
    connection.sendall(head.encode() + body)
    return connection


def test_a_client_that_does_not_read_holds_up_nobody(busy: RunningService) -> None:
    """Its query is done and its place is free, whether it takes the answer or not."""
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search"}}
    ).encode()
    silent = [open_connection(busy, body) for _ in range(10)]

    async def count(client: Client) -> str:
        return read_text(await client.call_tool("count", {}))

    assert "\n60\n" in use_client(busy.port, make_key(busy), count)
    poll_until(lambda: busy.gate.running == 0, "all queries to end")
    for connection in silent:
        connection.close()


@each_mode
def test_many_sessions_at_once(busy: RunningService, mode: str) -> None:
    key = make_key(busy)

    async def count(number: int) -> str:
        async with connect(busy.port, key, mode) as client:
            query = f'message:="event 1 {number % 20}"'
            return read_text(await client.call_tool("search", {"query": query}))

    async def run() -> list[str]:
        return await asyncio.gather(*(count(number) for number in range(SESSIONS)))

    texts = asyncio.run(run())
    assert all(f"event 1 {number % 20} " in text for number, text in enumerate(texts))


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_a_client_that_reads_no_streams_gets_plain_json(busy: RunningService, accept: str) -> None:
    headers = {"Accept": accept, "Authorization": f"Bearer {make_key(busy)}"}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    answer = busy.anonymous.post("/mcp", headers=headers, json=call)
    assert answer.status_code == 200, answer.text
    assert answer.json()["id"] == 7
    assert [tool["name"] for tool in answer.json()["result"]["tools"]] == list(TOOLS)


def test_odd_arguments_do_not_fail_the_server(busy: RunningService) -> None:
    odd: list[Any] = ["\0", "\u202e\u0085", "\U0001fab5" * 9, "' OR 1=1 --", "((((", "a" * 50_000]

    async def try_all(client: Client) -> list[str]:
        results = [
            await client.call_tool(tool, {name: value})
            for value in odd
            for tool, name in (("search", "query"), ("field_values", "field"), ("count", "by"))
        ]
        return [read_text(result) for result in results]

    texts = use_client(busy.port, make_key(busy), try_all)
    assert not [text for text in texts if "failed to answer" in text]

"""The bridge for clients that start a program: the official client speaks to the real command."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import PARSE_ERROR, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError
from tests.mcp.agents import connect_bridge, make_key, read_text, use_client, wait_until
from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

from logboom.base.errors import LogboomError
from logboom.cli.remote.agents import run_mcp
from logboom.control.access.scopes import Scope
from logboom.mcp.bridge import HeaderWriter, refuse_line

MakeService = Callable[..., RunningService]

MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on which one query runs at a time."""
    with RunningService(tmp_path_factory.mktemp("busy"), queries=(1, 8, 30.0)) as running:
        running.keep(encode_lines([{"message": f"event {n}"} for n in range(3)]))
        yield running


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


class Bridge:
    """The real command, which is written lines and read lines."""

    def __init__(self, port: int, key: str, meta: dict[str, Any]) -> None:
        self._meta = meta
        self._process = subprocess.Popen(
            [sys.executable, "-m", "logboom", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"LOGBOOM_URL": f"http://127.0.0.1:{port}", "LOGBOOM_TOKEN": key},
        )

    def __enter__(self) -> "Bridge":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def write(self, line: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def start_count(self) -> None:
        params = {"name": "count", "arguments": {}, **self._meta}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        self.write(json.dumps(call).encode())

    def count(self) -> str:
        """What a call is answered: the text of its result, or its error."""
        self.start_count()
        return self.read_count()

    def read_count(self) -> str:
        while "method" in (answer := self.read()):
            pass
        assert answer["id"] == 7
        if "error" in answer:
            return str(answer["error"]["message"])
        return str(answer["result"]["content"][0]["text"])

    def close(self) -> tuple[int, str]:
        """The exit code after the end of the input, and what was said beside the answers."""
        _, said = self._process.communicate(timeout=20)
        return self._process.returncode, said.decode()


@pytest.mark.parametrize("meta", [{}, MODERN], ids=["handshake", "newest"])
def test_only_the_call_fails_that_something_happened_to(
    start_service: MakeService, meta: dict[str, Any]
) -> None:
    service = start_service(queries=(1, 8, 30.0))
    service.keep(encode_lines([{"message": f"event {n}"} for n in range(3)]))
    key, secret = service.control.keys.create("agent", (Scope.MCP,))
    away = f"no answer from http://127.0.0.1:{service.port}"
    service.stop()
    with Bridge(service.port, secret, meta) as bridge:
        assert away in bridge.count()
        service.start()
        assert "\n3\n" in bridge.count()
        with service.gate.enter():
            bridge.start_count()
            poll_until(lambda: service.gate.waiting == 1, "the query to wait")
            service.drop_connections()
            assert away in bridge.read_count()
        assert "\n3\n" in bridge.count()
        service.stop()
        assert away in bridge.count()
        service.start()
        assert "\n3\n" in bridge.count()
        service.control.keys.delete(key.id)
        for _ in range(2):
            assert "the credential is not valid" in bridge.count()
        bridge.write(b"{")
        assert bridge.read()["error"]["code"] == PARSE_ERROR
        code, said = bridge.close()
        assert code == 0
        assert f"{away} yet" in said
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0"}', -32600)],
    ids=["cut", "no text", "batch", "no method"],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, code: int) -> None:
    """It has no number, so the answer has none either."""
    with pytest.raises(ValidationError) as reason:
        jsonrpc_message_adapter.validate_json(line.decode(errors="replace"), by_name=False)
    refusal = refuse_line(reason.value)
    assert (refusal.id, refusal.error.code) == (None, code)

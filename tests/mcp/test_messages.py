"""What comes to `/mcp` over HTTP and is not a request that the protocol knows: each is refused in plain words."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
from tests.mcp.agents import make_key
from tests.running import RunningService
from tests.together import together
from tests.waiting import PATIENCE_S

from logboom.mcp.messages import BODY_LIMIT_BYTES, check_message
from logboom.mcp.table import TOOLS

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture(scope="module")
def agent(service: RunningService) -> Iterator[httpx.Client]:
    """A client that may use tools."""
    address = f"http://127.0.0.1:{service.port}"
    headers = {**HEADERS, "Authorization": f"Bearer {make_key(service)}"}
    with httpx.Client(
        base_url=address, headers=headers, verify=False, timeout=PATIENCE_S
    ) as client:
        yield client


def post(agent: httpx.Client, body: bytes = PING, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return agent.post("/mcp", content=body, headers=named)


def encode(method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(message).encode()


def read_error(answer: httpx.Response) -> tuple[int, int, str]:
    """Status, code and message of an answer that is an error of JSON-RPC."""
    content = answer.json()
    assert content["jsonrpc"] == "2.0", content
    return answer.status_code, content["error"]["code"], content["error"]["message"]


@together(
    ("body", "status", "code", "message"),
    [
        (b"", 400, -32700, "not JSON"),
        (b"{", 400, -32700, "not JSON"),
        (b"[" * 100_000, 400, -32700, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', 400, -32700, "not JSON"),
        (b"[" + PING + b"," + PING + b"]", 400, -32600, "is a batch, expected a single message"),
        (b"[]", 400, -32600, "is a batch"),
        (b'"ping"', 400, -32600, "not a JSON-RPC message"),
        (b'{"jsonrpc":"2.0","id":1}', 400, -32600, "it has no method"),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600, "jsonrpc"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600, "id is "),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600, "id is "),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 400, -32600, "params is "),
        (PING + b" " * BODY_LIMIT_BYTES, 413, -32600, f"at most {BODY_LIMIT_BYTES} bytes"),
    ],
)
def test_a_body_that_is_no_message_is_refused(
    agent: httpx.Client, body: bytes, status: int, code: int, message: str
) -> None:
    found = read_error(post(agent, body))
    assert found[:2] == (status, code)
    assert message in found[2]


@pytest.mark.parametrize("version", ["", "1999-01-01", "2026-07-28x"])
def test_an_unknown_version_in_the_header_is_refused(agent: httpx.Client, version: str) -> None:
    status, code, message = read_error(post(agent, MCP_Protocol_Version=version))
    assert (status, code) == (400, -32022)
    assert f"protocol version {version!r}, expected one of: 2024-11-05" in message


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_another_content_type_is_refused(agent: httpx.Client, content_type: str) -> None:
    status, _, message = read_error(post(agent, Content_Type=content_type))
    assert status == 415
    assert message.endswith("expected application/json")


def test_a_body_may_be_compressed(agent: httpx.Client) -> None:
    assert post(agent, gzip.compress(PING), Content_Encoding="gzip").status_code == 200
    swollen = gzip.compress(PING + b" " * BODY_LIMIT_BYTES)
    assert read_error(post(agent, swollen, Content_Encoding="gzip"))[0] == 413
    assert read_error(post(agent, PING, Content_Encoding="gzip"))[0] == 400
    assert read_error(post(agent, PING, Content_Encoding="rot13"))[0] == 415


def test_a_stream_is_only_for_clients_that_read_json_too(agent: httpx.Client) -> None:
    """Errors are plain JSON, so a client has to understand both."""
    assert read_error(post(agent, Accept="text/event-stream"))[0] == 406
    assert post(agent, Accept="text/html").headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_without_sessions_there_is_nothing_to_open_or_end(agent: httpx.Client, method: str) -> None:
    answer = agent.request(method, "/mcp")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"


@together("asked", [*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-01-01"])
def test_a_handshake_agrees_on_a_version(agent: httpx.Client, asked: str) -> None:
    """On the one that was asked for, or on the newest that has a handshake; requests with it are then answered."""
    about = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begun = post(
        agent, encode("initialize", protocolVersion=asked, **about), Accept="application/json"
    )
    agreed = begun.json()["result"]["protocolVersion"]
    assert agreed == (asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION)
    listed = post(
        agent, encode("tools/list"), Accept="application/json", MCP_Protocol_Version=agreed
    )
    assert len(listed.json()["result"]["tools"]) == len(TOOLS)


@together("method", ["notifications/initialized", "notifications/unknown", "anything"])
def test_notifications_are_taken_without_an_answer(agent: httpx.Client, method: str) -> None:
    answer = post(agent, json.dumps({"jsonrpc": "2.0", "method": method}).encode())
    assert (answer.status_code, answer.content) == (202, b"")


@together(
    "body",
    [
        PING,
        b'{"jsonrpc":"2.0","id":"a","method":"ping","params":null}',
        b'{"jsonrpc":"2.0","method":"ping"}',
        b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping","other":1}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
    ],
)
def test_requests_notifications_and_responses_are_messages(body: bytes) -> None:
    check_message(body)

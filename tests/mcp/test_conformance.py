"""Every kind of request that the official client can make, over HTTP and through the bridge, in both protocols."""

from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from tests.mcp.agents import Connect, connect, connect_bridge, make_key, read_text, use_client
from tests.running import RunningService, encode_lines

from logboom.mcp.prompts import PROMPTS
from logboom.mcp.resources import DOCUMENTS
from logboom.mcp.table import TOOLS

WAYS = {
    f"{name} {mode}": (way, mode)
    for name, way in (("http", connect), ("bridge", connect_bridge))
    for mode in ("auto", "legacy")
}
WRONG: dict[str, Any] = {"not": "a value"}
"""No argument of any tool is an object."""
NOT_SUPPORTED: dict[str, dict[str, Any]] = {
    "no/such": {},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "incident_hunt"},
        "argument": {"name": "env", "value": "d"},
    },
    "logging/setLevel": {"level": "info"},
    "resources/subscribe": {"uri": "logboom://guide"},
    "resources/unsubscribe": {"uri": "logboom://guide"},
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("logs")) as running:
        running.keep(encode_lines([{"message": f"event {n}", "level": "info"} for n in range(5)]))
        yield running


@pytest.mark.parametrize(("way", "mode"), WAYS.values(), ids=list(WAYS))
def test_every_request_is_answered(logs: RunningService, way: Connect, mode: str) -> None:
    """One client does all of it, so that nothing that was refused spoils what comes after it."""
    event_id = logs.search()["rows"][0]["_id"]

    async def converse(client: Client) -> None:
        await list_everything(client)
        await read_everything(client)
        await refuse_unknown(client)
        await call_tools_well(client, event_id)
        await call_tools_badly(client)
        if mode == "legacy":
            await send(client, "ping")
        assert len((await client.list_tools()).tools) == len(TOOLS)

    use_client(logs.port, make_key(logs), converse, mode, way)


async def list_everything(client: Client) -> None:
    tools = await client.list_tools()
    resources = await client.list_resources()
    templates = await client.list_resource_templates()
    prompts = await client.list_prompts()
    assert [each.name for each in tools.tools] == list(TOOLS)
    assert [each.uri for each in resources.resources] == list(DOCUMENTS)
    assert not templates.resource_templates
    assert [each.name for each in prompts.prompts] == list(PROMPTS)
    for page in (tools, resources, templates, prompts):
        assert page.next_cursor is None
    for listing in (
        client.list_tools,
        client.list_resources,
        client.list_resource_templates,
        client.list_prompts,
    ):
        with pytest.raises(MCPError, match="unknown cursor 'next'") as refusal:
            await listing(cursor="next")
        assert refusal.value.error.code == types.INVALID_PARAMS


async def read_everything(client: Client) -> None:
    for uri in DOCUMENTS:
        assert (await client.read_resource(uri)).contents
    for prompt in PROMPTS.values():
        assert (await client.get_prompt(prompt.name)).messages
        given = {each.name: f"given {each.name}" for each in prompt.arguments}
        (message,) = (await client.get_prompt(prompt.name, given)).messages
        text = getattr(message.content, "text", "")
        assert all(value in text for value in given.values())


async def refuse_unknown(client: Client) -> None:
    for name, ask in {
        "resource": client.read_resource("logboom://nothing"),
        "prompt": client.get_prompt("nothing"),
        "tool": client.call_tool("nothing", {}),
        "argument": client.get_prompt("incident_hunt", {"symptoms": "misspelt"}),
    }.items():
        with pytest.raises(MCPError, match=rf"(no|unknown) {name} '\w") as refusal:
            await ask
        assert refusal.value.error.code == types.INVALID_PARAMS
    for method, params in NOT_SUPPORTED.items():
        with pytest.raises(MCPError) as refusal:
            await send(client, method, **params)
        assert refusal.value.error.code == types.METHOD_NOT_FOUND, method


async def send(client: Client, method: str, **params: Any) -> None:
    """Send a request for which the client has no method, or only a deprecated one."""
    request = types.Request[dict[str, Any], str](method=method, params=params)
    await client.session.send_request(request, types.EmptyResult)


async def call_tools_well(client: Client, event_id: str) -> None:
    """Build a call with the required arguments only, and one with all arguments."""
    for tool in (await client.list_tools()).tools:
        schema = tool.input_schema
        filled = {
            name: make_value(name, about, event_id) for name, about in schema["properties"].items()
        }
        for given in ({name: filled[name] for name in schema["required"]}, filled):
            result = await client.call_tool(tool.name, given)
            assert not result.is_error, (tool.name, given, read_text(result))


def make_value(name: str, schema: dict[str, Any], event_id: str) -> Any:
    """A value that fits what the schema says of an argument."""
    known = {"id": event_id, "field": "level", "selection": "level:info", "cursor": ""}
    if name in known:
        return known[name]
    return schema.get("default", "event")


async def call_tools_badly(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        properties = tool.input_schema["properties"]
        required = dict.fromkeys(tool.input_schema["required"], "x")
        cases: list[dict[str, Any]] = [
            *({key: value for key, value in required.items() if key != name} for name in required),
            *({**required, name: WRONG} for name in properties),
            {**required, "surprise": 1},
        ]
        for given in cases:
            result = await client.call_tool(tool.name, given)
            text = read_text(result)
            assert result.is_error, (tool.name, given, text)
            assert text.startswith("error (argument "), (tool.name, given, text)
            assert f"{tool.name} takes " in text

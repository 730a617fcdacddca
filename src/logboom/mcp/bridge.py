"""A bridge for clients that start a program and speak over its standard input and output: it passes messages on by HTTP."""

from collections.abc import AsyncIterable, Awaitable, Callable

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

CONNECT_S = 5.0
SILENT_S = 300.0
"""An answer may take as long as a query and its wait may; the server's own limits are shorter."""

Incoming = AsyncIterable[SessionMessage | Exception]
Deliver = Callable[[SessionMessage], Awaitable[None]]


async def run_bridge(url: str, key: str) -> None:
    """Pass messages on until standard input ends."""
    headers = {"Authorization": f"Bearer {key}"}
    timeout = httpx2.Timeout(SILENT_S, connect=CONNECT_S)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout) as client,
        streamable_http_client(f"{url}/mcp", http_client=client) as (answers, to_server),
        stdio_server() as (questions, to_client),
        anyio.create_task_group() as group,
    ):
        headers_of = HeaderWriter()
        group.start_soon(pass_back, answers, to_client.send, headers_of)
        await pass_on(questions, to_server.send, headers_of)
        group.cancel_scope.cancel()


async def pass_on(questions: Incoming, deliver: Deliver, headers_of: "HeaderWriter") -> None:
    """What cannot be read as a message has no number to be answered by, and is left out."""
    async for question in questions:
        if isinstance(question, SessionMessage):
            metadata = ClientMessageMetadata(headers=headers_of.write(question.message))
            await deliver(SessionMessage(question.message, metadata))


async def pass_back(answers: Incoming, deliver: Deliver, headers_of: "HeaderWriter") -> None:
    async for answer in answers:
        if isinstance(answer, SessionMessage):
            headers_of.note(answer.message)
            await deliver(SessionMessage(answer.message))


class HeaderWriter:
    """What HTTP says of a message in headers: the version of the protocol, the method, and what it is about."""

    def __init__(self) -> None:
        self._agreed = ""

    def note(self, answer: JSONRPCMessage) -> None:
        """Remember the version that client and server agree on when they begin a session."""
        if isinstance(answer, JSONRPCResponse):
            self._agreed = str(answer.result.get("protocolVersion") or self._agreed)

    def write(self, question: JSONRPCMessage) -> dict[str, str]:
        if not isinstance(question, JSONRPCRequest | JSONRPCNotification):
            return {}
        params = question.params or {}
        version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if version is None:
            return {MCP_PROTOCOL_VERSION_HEADER: self._agreed} if self._agreed else {}
        subject = params.get(NAME_BEARING_METHODS.get(question.method, ""))
        named = {MCP_NAME_HEADER: encode_header_value(subject)} if isinstance(subject, str) else {}
        return {
            MCP_PROTOCOL_VERSION_HEADER: str(version),
            MCP_METHOD_HEADER: question.method,
            **named,
        }

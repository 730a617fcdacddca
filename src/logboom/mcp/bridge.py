"""A bridge for clients that start a program and use its standard input and output: it forwards messages by HTTP.

An error on the way fails only its own request, so that the next may work again.
"""

from collections.abc import AsyncIterable, Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any

import anyio
import httpx2
import msgspec
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
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

CONNECT_S = 5.0
SILENT_S = 300.0
"""An answer may take as long as a query and its wait; the server's own limits are shorter."""
EVENT_STREAM = "text/event-stream"

Incoming = AsyncIterable[SessionMessage | Exception]
Deliver = Callable[[SessionMessage], Awaitable[None]]


async def run_bridge(url: str, key: str) -> None:
    """Forward messages until standard input ends."""
    headers = {"Authorization": f"Bearer {key}"}
    timeout = httpx2.Timeout(SILENT_S, connect=CONNECT_S)
    async with (
        PatientClient(headers=headers, timeout=timeout) as client,
        streamable_http_client(f"{url}/mcp", http_client=client) as (answers, to_server),
        stdio_server() as (questions, to_client),
        to_client,
        anyio.create_task_group() as group,
    ):
        headers_of = HeaderWriter()
        group.start_soon(
            pass_back, answers, partial(deliver_answer, to_client.send, url), headers_of
        )
        await pass_on(questions, to_server.send, to_client.send, headers_of)
        group.cancel_scope.cancel()


class PatientClient(httpx2.AsyncClient):
    """Turns a missing answer, or one that is not of the protocol, into a protocol error."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **options)
            if response.is_error or not is_stream(response):
                await response.aread()
        except httpx2.RequestError as error:
            reason = str(error) or type(error).__name__
            return respond(request, HTTPStatus.BAD_GATEWAY, CONNECTION_CLOSED, reason)
        if response.is_error and b'"jsonrpc"' not in response.content:
            reason = find_message(response)
            return respond(request, response.status_code, INVALID_REQUEST, reason)
        return response


def is_stream(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").startswith(EVENT_STREAM)


def respond(request: httpx2.Request, status: int, code: int, message: str) -> httpx2.Response:
    error = describe_error(code, message).model_dump(mode="json")
    return httpx2.Response(status, json=error, request=request)


def describe_error(code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))


def find_message(response: httpx2.Response) -> str:
    """Return the message of an API error, or of a proxy on the way."""
    try:
        return str(msgspec.json.decode(response.content)["error"]["message"])
    except (msgspec.DecodeError, LookupError, TypeError):
        return f"the server answered {response.status_code} {response.reason_phrase}"


async def pass_on(
    questions: Incoming, to_server: Deliver, to_client: Deliver, headers_of: "HeaderWriter"
) -> None:
    async for question in questions:
        if isinstance(question, SessionMessage):
            metadata = ClientMessageMetadata(headers=headers_of.write(question.message))
            await to_server(SessionMessage(question.message, metadata))
        else:
            await to_client(SessionMessage(refuse_line(question)))


def refuse_line(reason: Exception) -> JSONRPCError:
    """Return the answer to a line that cannot be parsed, and so has no id."""
    errors = reason.errors() if isinstance(reason, ValidationError) else []
    if any(error["type"] == "json_invalid" for error in errors):
        return describe_error(PARSE_ERROR, "the line is not JSON")
    return describe_error(INVALID_REQUEST, "the line is not a single JSON-RPC message")


async def pass_back(answers: Incoming, deliver: Deliver, headers_of: "HeaderWriter") -> None:
    async for answer in answers:
        if isinstance(answer, SessionMessage):
            headers_of.note(answer.message)
            await deliver(SessionMessage(answer.message))


async def deliver_answer(deliver: Deliver, url: str, answer: SessionMessage) -> None:
    """Deliver an answer; one that stands for a missing answer names the server."""
    message = answer.message
    if isinstance(message, JSONRPCError) and message.error.code == CONNECTION_CLOSED:
        message.error.message = f"no answer from {url}: {message.error.message}"
    await deliver(answer)


class HeaderWriter:
    """The HTTP headers of a message: the protocol version, the method, and its subject."""

    def __init__(self) -> None:
        self._agreed = ""

    def note(self, answer: JSONRPCMessage) -> None:
        """Remember the version that client and server agree on at the start of a session."""
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

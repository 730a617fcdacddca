"""Validates requests to `/mcp` before the SDK: anything but a single JSON-RPC message is refused with a clear error."""

from typing import Any, Literal

import msgspec
from mcp_types import INVALID_REQUEST, PARSE_ERROR, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from logboom.base.decoding_errors import explain_decoding_error
from logboom.base.errors import Invalid, LogboomError, TooLarge, UnsupportedEncoding
from logboom.web.asgi import RawRequest
from logboom.web.errors import ErrorAnswer, find_status, list_headers

CONTENT_TYPE = "application/json"
VERSION_HEADER = "mcp-protocol-version"
BODY_LIMIT_BYTES = 256 * 1024


class NotJson(Invalid):
    """The body is not JSON."""


class UnknownVersion(Invalid):
    """The header names an unsupported protocol version."""


RPC_CODES: dict[type[LogboomError], int] = {
    NotJson: PARSE_ERROR,
    UnknownVersion: UNSUPPORTED_PROTOCOL_VERSION,
}


class Message(msgspec.Struct):
    """A request, a notification (no `id`) or a response (no `method`)."""

    jsonrpc: Literal["2.0"]
    id: int | str | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] | None = None
    result: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    error: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


async def read_message(request: RawRequest) -> bytes:
    """Return the body of a request, decoded: one message in JSON."""
    check_headers(request)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_LIMIT_BYTES:
            raise TooLarge(f"the body is too large, expected at most {BODY_LIMIT_BYTES} bytes")
    check_message(bytes(body))
    return bytes(body)


def check_headers(request: RawRequest) -> None:
    if request.content_type != CONTENT_TYPE:
        found = request.content_type
        raise UnsupportedEncoding(f"content type {found!r}, expected {CONTENT_TYPE}")
    version = request.headers.get(VERSION_HEADER)
    if version is not None and version not in KNOWN_PROTOCOL_VERSIONS:
        raise UnknownVersion(
            f"protocol version {version[:40]!r}, expected one of: {', '.join(KNOWN_PROTOCOL_VERSIONS)}",
            # Clients choose from these for their next attempt; earlier versions agree on one by a handshake.
            supported=list(MODERN_PROTOCOL_VERSIONS),
            requested=version[:40],
        )


def check_message(body: bytes) -> None:
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise NotJson(f"the body is not JSON: {error}") from error
    if isinstance(content, list):
        raise Invalid("the body is a batch, expected a single message")
    try:
        message = msgspec.convert(content, Message)
    except msgspec.ValidationError as error:
        raise explain_decoding_error(error, "the body is not a JSON-RPC message: ") from error
    if message.method is message.result is message.error is msgspec.UNSET:
        raise Invalid("the body is not a JSON-RPC message: it has no method")


def render_refusal(error: LogboomError) -> ErrorAnswer:
    """Return the error in JSON-RPC, which clients of the protocol show to their users."""
    described = {
        "code": RPC_CODES.get(type(error), INVALID_REQUEST),
        "message": error.message,
        **({"data": error.data} if error.data else {}),
    }
    content = {"jsonrpc": "2.0", "id": None, "error": described}
    return ErrorAnswer(find_status(error), list_headers(error), msgspec.json.encode(content))

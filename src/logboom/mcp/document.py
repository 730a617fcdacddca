"""`/mcp` in the OpenAPI document."""

from typing import Any

from logboom.mcp.endpoint import PATH

DESCRIPTION = (
    "The Model Context Protocol over streamable HTTP, without sessions: one JSON-RPC message in each request. "
    "`tools/list` names the tools that the key may use, with a schema for the arguments of each. "
    "Needs `Authorization: Bearer` with an API key that has the scope `mcp`."
)
HEADERS = {
    "Accept": "With `application/json, text/event-stream` a request is answered with an event stream, which can "
    "also report progress; otherwise with JSON.",
    "MCP-Protocol-Version": "The version that was agreed on. Not needed for `initialize`.",
    "Mcp-Session-Id": "As `initialize` answered it. Lets a client cancel its own calls; nothing else depends on it.",
}
MESSAGE = {
    "type": "object",
    "required": ["jsonrpc"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["integer", "string"], "description": "None for a notification."},
        "method": {"type": "string", "examples": ["tools/list", "tools/call"]},
        "params": {"type": "object"},
    },
}
REFUSALS = {
    "400": "The body is not a single JSON-RPC message, or `MCP-Protocol-Version` is unknown.",
    "404": "An unknown method, in versions of the protocol that have no handshake.",
    "406": "The client accepts event streams but not JSON.",
    "413": "The body has more than 256 KiB.",
    "415": "A content type other than `application/json`, or an unknown encoding.",
}
ERRORS = {
    "403": "No API key, or one that is not valid or lacks the scope `mcp`.",
    "503": "The server was installed without the extra `logboom[mcp]`.",
}


def describe_endpoint() -> dict[str, Any]:
    """Return the path with its operation, in OpenAPI form."""
    return {PATH: {"post": describe_operation()}}


def describe_operation() -> dict[str, Any]:
    message = {"application/json": {"schema": MESSAGE}}
    stream = {"text/event-stream": {"schema": {"type": "string"}}}
    answers = {
        "200": {
            "description": "The result, or an error of JSON-RPC. What a tool could not do is a result with `isError`.",
            "content": message | stream,
        },
        "202": {"description": "A notification or a response was accepted."},
    }
    refusals = {
        status: {"description": f"{text} An error of JSON-RPC says more.", "content": message}
        for status, text in REFUSALS.items()
    }
    errors = {status: {"description": text} for status, text in ERRORS.items()}
    return {
        "tags": ["mcp"],
        "summary": "Use the tools for agents.",
        "description": DESCRIPTION,
        "operationId": "post-mcp",
        "parameters": [
            {"name": name, "in": "header", "schema": {"type": "string"}, "description": text}
            for name, text in HEADERS.items()
        ],
        "requestBody": {"required": True, "content": message},
        "responses": dict(sorted((answers | refusals | errors).items())),
    }

"""The OpenAPI document and a page that shows it, without a script or a foreign host."""

import html
from typing import Any

import msgspec
from litestar import Request, Response, Router, get
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from logboom.base.errors import NotFound
from logboom.base.version import __version__

INGEST_PARAMETERS = {
    "index": "Index to write to; `{{path}}` placeholders are filled from each event. Default `default`.",
    "env": "Environment to write to; it must exist. Default `default`.",
    "source": "`source` of the events that carry none.",
}

INGEST_RESPONSE = {
    "type": "object",
    "properties": {
        "ingested": {"type": "integer", "description": "Events durably accepted."},
        "errors": {
            "type": "integer",
            "description": "Lines that were no JSON object, and rows refused.",
        },
        "partitions": {"type": "array", "items": {"type": "string"}},
        "write_errors": {"type": "array", "items": {"type": "object"}},
        "throttled": {
            "type": "boolean",
            "description": "Whether the request had to wait for room.",
        },
    },
    "required": ["ingested", "errors", "partitions", "write_errors", "throttled"],
}


def describe_ingest() -> dict[str, Any]:
    """The hot routes, which the framework does not see."""
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": {"type": "string"},
            "description": text,
        }
        for name, text in INGEST_PARAMETERS.items()
    ]
    headers = {
        "Content-Encoding": "gzip, deflate, zstd or br.",
        "Idempotency-Key": "The same key within 24 hours gets the first answer and stores nothing again.",
        "X-Service-Env": "Environment, when there is no `env` parameter.",
        "X-Service-Index": "Index, when there is no `index` parameter.",
        "X-Service-Token": "An ingest token; also taken as `Authorization: Bearer`, `Splunk`, `ApiKey` or `Basic`.",
    }
    parameters += [
        {
            "name": name,
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": text,
        }
        for name, text in headers.items()
    ]
    errors = {
        "400": "Unknown environment, reserved index, or a body that cannot be decoded.",
        "401": "Credentials that are not valid, or none where the settings ask for some.",
        "403": "An environment that the credentials do not reach, or native ingest is switched off.",
        "413": "A body that inflates beyond all measure.",
        "415": "A content encoding that is not read.",
        "503": "The events could not be made durable; nothing of the request was stored.",
    }
    answers: dict[str, Any] = {
        "200": {
            "description": "Every event is on disk.",
            "content": {"application/json": {"schema": INGEST_RESPONSE}},
        }
    }
    answers |= {status: {"description": text} for status, text in errors.items()}
    body = {"application/x-ndjson": {"schema": {"type": "string", "format": "binary"}}}
    return {
        "/api/ingest": {
            "post": {
                "tags": ["ingest"],
                "summary": "Ingest NDJSON",
                "description": "One JSON object per line. All of a request is stored or nothing of it; "
                "a line that is no JSON object is kept as the message of an event and counted in `errors`.",
                "operationId": "Ingest",
                "parameters": parameters,
                "requestBody": {"required": True, "content": body},
                "responses": answers,
            }
        }
    }


def make_config(version: str) -> OpenAPIConfig:
    """The framework makes the document; its own pages, which lack the hot routes, stay closed."""
    pages = Router("/api/schema", route_handlers=[], include_in_schema=False, guards=[refuse])
    return OpenAPIConfig(
        title="Logboom",
        version=version,
        openapi_router=pages,
        render_plugins=[JsonRenderPlugin()],
    )


def refuse(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    raise NotFound(f"no route {connection.url.path}")


def make_document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    document = request.app.openapi_schema.to_schema()
    document["paths"] = describe_ingest() | document["paths"]
    return document


@get("/", include_in_schema=False, sync_to_thread=False)
def handle_home(request: Request[Any, Any, Any]) -> Response[str]:
    """A page for a browser, a line of JSON for anything else."""
    if "text/html" in request.headers.get("accept", ""):
        return Response(HOME.format(version=__version__), media_type="text/html")
    banner = msgspec.json.encode({"name": "logboom", "version": __version__}).decode()
    return Response(banner, media_type="application/json")


@get("/api/openapi.json", include_in_schema=False, sync_to_thread=False)
def handle_openapi(request: Request[Any, Any, Any]) -> Response[dict[str, Any]]:
    return Response(make_document(request), media_type="application/json")


@get("/docs", include_in_schema=False, sync_to_thread=False)
def handle_docs(request: Request[Any, Any, Any]) -> Response[str]:
    """The document as one plain page."""
    document = make_document(request)
    parts = [
        render_operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict) and "responses" in operation
    ]
    return Response(
        PAGE.format(version=document["info"]["version"], body="\n".join(parts)),
        media_type="text/html",
    )


def render_operation(path: str, method: str, operation: dict[str, Any]) -> str:
    parameters = "".join(
        f"<li><code>{html.escape(each['name'])}</code> ({each['in']}) {html.escape(each.get('description') or '')}</li>"
        for each in operation.get("parameters") or []
    )
    answers = "".join(
        f"<li><code>{status}</code> {html.escape(answer.get('description') or '')}</li>"
        for status, answer in operation["responses"].items()
    )
    return (
        f"<section><h2><code>{method.upper()} {html.escape(path)}</code></h2>"
        f"<p><b>{html.escape(operation.get('summary') or '')}</b> {html.escape(operation.get('description') or '')}</p>"
        f"<ul>{parameters}</ul><ul>{answers}</ul></section>"
    )


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logboom HTTP API</title>
<meta name="viewport" content="width=device-width"></head>
<body><h1>Logboom {version} HTTP API</h1>
<p>As a machine reads it: <a href="/api/openapi.json">/api/openapi.json</a></p>
{body}
</body></html>
"""

HOME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logboom</title>
<meta name="viewport" content="width=device-width"></head>
<body><h1>Logboom {version}</h1>
<p>It is running. What it understands: <a href="/docs">the HTTP API</a>.</p>
</body></html>
"""

ROUTES: list[HTTPRouteHandler] = [handle_home, handle_openapi, handle_docs]

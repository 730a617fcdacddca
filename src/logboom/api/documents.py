"""The OpenAPI document and a page that shows it, without a script or a foreign host."""

import html
from typing import Any

from litestar import Request, Response, Router, get
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from logboom.base.errors import NotFound

OTHER_PATHS = "other_paths"
"""Where the application keeps what the document says of the routes that the framework does not see."""

DESCRIPTION = (
    'Errors are `{"error": {"code", "message"}}`. One about a member of the body names it in `field`. '
    "A 409 because of `If-Match`, where somebody else was faster, has `reason` `changed`."
)


def make_config(version: str) -> OpenAPIConfig:
    """The framework makes the document; its own pages, which lack the other routes, stay closed."""
    pages = Router("/api/schema", route_handlers=[], include_in_schema=False, guards=[refuse])
    return OpenAPIConfig(
        title="Logboom",
        version=version,
        description=DESCRIPTION,
        openapi_router=pages,
        render_plugins=[JsonRenderPlugin()],
    )


def refuse(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    raise NotFound(f"no route {connection.url.path}")


def make_document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    document = request.app.openapi_schema.to_schema()
    document["paths"] = request.app.state[OTHER_PATHS] | document["paths"]
    return document


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

ROUTES: list[HTTPRouteHandler] = [handle_openapi, handle_docs]

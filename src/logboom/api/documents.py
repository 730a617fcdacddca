"""The OpenAPI document, from which a page in `docs/reference` is generated."""

from typing import Any

import msgspec
from litestar import Litestar, Request, Response, Router, get
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from logboom.base.errors import NotFound

OTHER_PATHS = "other_paths"
"""Where the application keeps the OpenAPI descriptions of routes outside the framework."""
ENCODED = "encoded_document"
"""Where it keeps the document once it was asked for."""

DESCRIPTION = (
    'Errors are `{"error": {"code", "message"}}`. An error about a member of the body names it in `field`. A 409 '
    "caused by `If-Match` has `reason` `changed`."
)


def make_config(version: str) -> OpenAPIConfig:
    """Return the settings for the document; the framework's own pages, which lack the other routes, are disabled."""
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


def make_document(app: Litestar) -> dict[str, Any]:
    document = app.openapi_schema.to_schema()
    document["paths"] = app.state[OTHER_PATHS] | document["paths"]
    return document


def encode_document(app: Litestar) -> bytes:
    """Return the document as JSON; it is made once, because anyone may ask for it and making it takes long."""
    if ENCODED not in app.state:
        app.state[ENCODED] = msgspec.json.encode(make_document(app))
    encoded: bytes = app.state[ENCODED]
    return encoded


@get("/api/openapi.json", include_in_schema=False, sync_to_thread=False)
def handle_openapi(request: Request[Any, Any, Any]) -> Response[bytes]:
    return Response(encode_document(request.app), media_type="application/json")


ROUTES: list[HTTPRouteHandler] = [handle_openapi]

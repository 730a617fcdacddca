"""All routes, from the tables of the program."""

from typing import Any

from litestar.handlers import HTTPRouteHandler

from logboom.api.app import ROUTES
from logboom.mcp.endpoint import PATH
from logboom.protocols import routes as protocols
from logboom.readers import routes as readers
from logboom.web.route import Route

MethodAndPath = tuple[str, str]


AGENT_ROUTES: set[MethodAndPath] = {("POST", PATH)}
DOCS_ROUTES: set[MethodAndPath] = {("GET", "/docs"), ("GET", "/docs/"), ("GET", "/docs/ui.html")}
"""The site answers by itself, whatever is below its folder."""


def list_framework_routes(*, documented: bool = False) -> set[MethodAndPath]:
    """Return the routes of our own API; only those of the OpenAPI document when `documented`."""
    return {
        (str(method), path)
        for route in ROUTES
        if not documented or is_documented(route)
        for path in route.paths
        for method in route.http_methods
    }


def is_documented(route: HTTPRouteHandler) -> bool:
    return route.resolve_include_in_schema()


def list_protocol_routes(
    name: str | None = None, *, documented: bool = False
) -> set[MethodAndPath]:
    """Return the routes of all protocols and readers, or of the one of this name, or the documented ones."""
    routes: list[Route[Any]] = [*protocols.ROUTES, *readers.ROUTES]
    return {
        (method, route.path)
        for route in routes
        if name in (None, route.protocol.name) and (route.about or not documented)
        for method in route.methods.split()
    }

"""All HTTP ingest routes in one table, and matching of paths."""

import re
from functools import lru_cache
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.ingest.visit import Intake
from logboom.protocols import native, raw
from logboom.protocols.collector import endpoint as collector
from logboom.protocols.otlp import endpoint as otlp
from logboom.protocols.push import endpoint as push
from logboom.protocols.route import Handler, Route
from logboom.protocols.search_engine import endpoint as elastic
from logboom.web.asgi import RawRequest
from logboom.web.errors import WrongMethod
from logboom.web.reply import Reply

ROUTES: list[Route] = [
    *native.ROUTES,
    *raw.ROUTES,
    *otlp.ROUTES,
    *push.ROUTES,
    *collector.ROUTES,
    *elastic.ROUTES,
]
"""The first row that matches a request's path and method answers it."""

OWN_WORDS = (
    *("api", "assets", "docs", "health", "logpush", "loki", "mcp", "metrics"),
    *("otlp", "ready", "services", "ui", "v1"),
)
"""First segments of paths that are not an index."""
NO_INDEX = "|".join(OWN_WORDS)

PLACEHOLDER = re.compile(r"\{(\w+)(\*?)\}")


def compile_path(path: str) -> re.Pattern[str]:
    """The pattern of a route's path; a trailing slash makes no difference."""
    parts = PLACEHOLDER.split(path.removesuffix("/"))
    pattern = ""
    for at in range(0, len(parts), 3):
        pattern += re.escape(parts[at])
        if at + 1 < len(parts):
            name, is_rest = parts[at + 1], parts[at + 2]
            guard = (
                rf"(?!_|(?:{NO_INDEX})(?:/|$))" if path.startswith("/{index}") and at == 0 else ""
            )
            pattern += rf"{guard}(?P<{name}>{'.*' if is_rest else '[^/]+'})"
    return compile_later(rf"{pattern}/?")


TABLE = [(compile_path(route.path), route) for route in ROUTES]


class RouteMatch(NamedTuple):
    """A route whose path matches, and the values of its placeholders."""

    route: Route
    values: dict[str, str]


@lru_cache(maxsize=1024)
def find_route(method: str, path: str) -> RouteMatch | None:
    """The route of a request; None if there is none."""
    matches = [
        RouteMatch(route, match.groupdict())
        for pattern, route in TABLE
        if (match := pattern.fullmatch(path))
    ]
    for found in matches:
        if found.route.takes(method):
            return found
    # Below an index only the named methods are routes: with others these are ordinary paths.
    certain = [found.route for found in matches if not found.route.path.startswith("/{index}")]
    if not certain:
        return None
    allowed = dict.fromkeys(each for route in certain for each in route.methods.split())
    return RouteMatch(certain[0]._replace(handler=refuse_method(", ".join(allowed))), {})


def refuse_method(allowed: str) -> Handler:
    """A handler for the methods that a path does not have."""

    async def refuse(_intake: Intake, request: RawRequest) -> Reply:
        raise WrongMethod(request.method, allowed)

    return refuse

"""Finds the route of a request in a table of routes."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Generic, NamedTuple

from logboom.base.patterns import compile_later
from logboom.web.asgi import RawRequest
from logboom.web.errors import WrongMethod
from logboom.web.reply import Reply
from logboom.web.route import Handler, Route, S

OWN_WORDS = (
    *("api", "assets", "docs", "health", "logpush", "loki", "mcp", "metrics"),
    *("otlp", "ready", "services", "ui", "v1"),
)
"""First segments of paths that are not an index."""
NO_INDEX = "|".join(OWN_WORDS)

GUARDS = {"/{index}": rf"(?!_|(?:{NO_INDEX})(?:/|$))", "/api/es/{index}": "(?!_)"}
"""What an index at the start of a path is not."""
PLACEHOLDER = re.compile(r"\{(\w+)(\*?)\}")
REMEMBERED_PATHS = 1024


class RouteMatch(NamedTuple, Generic[S]):
    """A route whose path matches, and the values of its placeholders."""

    route: Route[S]
    values: dict[str, str]


class RouteTable(Generic[S]):
    """Routes; the first that matches a request's path and method answers it."""

    def __init__(self, routes: Sequence[Route[S]]) -> None:
        self._rows = [(compile_path(route.path), route) for route in routes]
        self.find = lru_cache(REMEMBERED_PATHS)(self._find)

    def _find(self, method: str, path: str) -> RouteMatch[S] | None:
        """Return the route of a request, or None if there is none."""
        matches = [
            RouteMatch(route, match.groupdict())
            for pattern, route in self._rows
            if (match := pattern.fullmatch(path))
        ]
        for found in matches:
            if found.route.takes(method):
                return found
        # Below an index only the named methods are routes: with others these are ordinary paths.
        certain = [
            found.route for found in matches if not found.route.path.startswith(tuple(GUARDS))
        ]
        if not certain:
            return None
        allowed = dict.fromkeys(each for route in certain for each in route.methods.split())
        return RouteMatch(certain[0]._replace(handler=refuse_method(", ".join(allowed))), {})


def compile_path(path: str) -> re.Pattern[str]:
    """Return the pattern of a route's path; a trailing slash makes no difference."""
    parts = PLACEHOLDER.split(path.removesuffix("/"))
    pattern = ""
    for at in range(0, len(parts), 3):
        pattern += re.escape(parts[at])
        if at + 1 < len(parts):
            name, is_rest = parts[at + 1], parts[at + 2]
            guard = GUARDS.get(path[: path.find("{index}") + len("{index}")], "") if at == 0 else ""
            pattern += rf"{guard}(?P<{name}>{'.*' if is_rest else '[^/]+'})"
    return compile_later(rf"{pattern}/?")


def refuse_method(allowed: str) -> Handler[object]:
    """Return a handler for the methods that a path does not have."""

    async def refuse(_service: object, request: RawRequest) -> Reply:
        raise WrongMethod(request.method, allowed)

    return refuse

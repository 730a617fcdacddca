"""What a protocol consists of: routes with their handlers, and a form for errors."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from logboom.base.errors import LogboomError
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply

S = TypeVar("S")
"""The service that a handler needs."""

Handler: TypeAlias = Callable[[S, RawRequest], Awaitable[Reply]]
Refuse = Callable[[LogboomError, RawRequest], Reply]


class Protocol(NamedTuple):
    """A protocol by name, and how it formats an error."""

    name: str
    refuse: Refuse


class About(NamedTuple):
    """The OpenAPI description of a route."""

    summary: str
    description: str
    bodies: tuple[str, ...]
    """The content types of a request."""
    answer: str
    """What a success means."""
    status: int = 200
    schema: Mapping[str, Any] | None = None
    """The schema of the JSON answer on success."""
    is_native: bool = False
    parameters: Mapping[str, str] = MappingProxyType({})
    """The query parameters beside those of every ingest route."""


class Route(NamedTuple, Generic[S]):
    """The routes of a path and their handler.

    `methods` are separated by spaces; HEAD works wherever GET does.
    In `path`, `{name}` is one segment and `{name*}` any rest. `{index}` as the first segment is not one of our own
    path names and does not start with `_`.
    """

    methods: str
    path: str
    handler: Handler[S]
    protocol: Protocol
    about: About | None = None

    def takes(self, method: str) -> bool:
        methods = self.methods.split()
        return method in methods or (method == "HEAD" and "GET" in methods)

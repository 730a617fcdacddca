"""What a protocol consists of: routes with their handlers, and a form for errors."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from logboom.base.errors import LogboomError
from logboom.ingest.visit import Intake
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply

Handler = Callable[[Intake, RawRequest], Awaitable[Reply]]
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


class Route(NamedTuple):
    """`methods` are separated by spaces; HEAD works wherever GET does.

    In `path`, `{name}` is one segment and `{name*}` any rest. `{index}` as the first segment is not one of our own
    path names and does not start with `_`.
    """

    methods: str
    path: str
    handler: Handler
    protocol: Protocol
    about: About | None = None

    def takes(self, method: str) -> bool:
        methods = self.methods.split()
        return method in methods or (method == "HEAD" and "GET" in methods)

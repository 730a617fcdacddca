"""The types of ASGI; importing those of the framework would load all of it."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
"""An application: it is called with a scope, and with functions that receive and send messages."""

HTTP, SOCKET = "http", "websocket"
"""The types of the scopes of requests and of WebSockets."""

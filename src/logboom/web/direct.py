"""Small requests that are answered as soon as they have arrived completely, without the layers of ASGI.

For the requests of shippers and API clients these layers take longer than the work. Handlers are offered the whole
request; if none of them answers it, it takes the usual way.
"""

from collections.abc import Callable, Coroutine, Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any, NamedTuple

from logboom.web.headers import Header, add_security, encode, list_own
from logboom.web.reply import Reply
from logboom.web.types import Receive, Scope

MOST_BYTES = 64 * 1024
"""The largest body of such a request. While a larger one arrives, uvicorn would pause reading."""
BREAKS = ("\r", "\n")


class WholeRequest(NamedTuple):
    """A request that has arrived. `receive` tells whether its client has gone."""

    scope: Scope
    receive: Receive
    body: bytes


Answering = Coroutine[Any, Any, Reply]
FindAnswer = Callable[[WholeRequest], Answering | None]
"""What answers a request; None if it must take the usual way."""


def is_small(scope: Scope) -> bool:
    """Return whether the head of a request announces a small body, and asks for nothing unusual about it."""
    if scope["method"] == "HEAD":
        return False
    length = b""
    for name, value in scope["headers"]:
        if name == b"content-length":
            length = value
        elif name in {b"transfer-encoding", b"expect", b"upgrade"}:
            return False
    return length.isdigit() and int(length) <= MOST_BYTES


def encode_answer(reply: Reply, common: Iterable[Header], *, is_last: bool, tls: bool) -> bytes:
    """Return an answer as sent over the wire. `common` are the headers of all answers; after the last one we close."""
    head = encode_head(reply.status, reply.content_type, tuple(reply.headers.items()), tls)
    rest = b"".join([b"%b: %b\r\n" % header for header in common])
    if is_last:
        rest += b"connection: close\r\n"
    if reply.status == HTTPStatus.NO_CONTENT:
        return b"%b%b\r\n" % (head, rest)
    return b"%b%bcontent-length: %d\r\n\r\n%b" % (head, rest, len(reply.body), reply.body)


@lru_cache(maxsize=256)
def encode_head(
    status: int, content_type: str, headers: tuple[tuple[str, str], ...], tls: bool
) -> bytes:
    """Return the status line and all headers that do not depend on the body."""
    own = list_own(status, {"Content-Type": content_type, **dict(headers)})
    if any(sign in text for header in own.items() for text in header for sign in BREAKS):
        raise ValueError("a header of the answer contains a line break")
    lines = [b"%b: %b\r\n" % header for header in add_security(encode(own), tls)]
    return b"HTTP/1.1 %d %b\r\n" % (status, HTTPStatus(status).phrase.encode()) + b"".join(lines)

"""Bodies of requests that search: counted with what they are decoded to, before that."""

import asyncio
from typing import Any, cast

import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import TooLarge
from logboom.base.process.offload import Offload
from logboom.ingest.memory import MemoryBudget
from logboom.readers.reader import VALUE_BYTES, Reader
from logboom.web.asgi import RawRequest
from logboom.web.types import Message

BODY = b'{"a":[' + b"[]," * 1000 + b"[]]}"
MB = 1 << 20
SCOPE = {"method": "POST", "path": "/_search", "headers": [], "query_string": b""}


async def receive() -> Message:
    return {"type": "http.request", "body": BODY, "more_body": False}


async def count_body(most_bytes: int) -> int:
    """Receive the body, and return what counts for it."""
    nothing = cast("Any", None)
    reader = Reader(nothing, nothing, Offload(1, "test"), system_clock, MemoryBudget(MB))
    request = RawRequest(SCOPE, receive)
    with reader.memory.share() as share:
        assert await reader.receive_body(request, most_bytes, share) == BODY
        assert request.receive is receive, "later messages only tell that the client has gone"
        return share.size_bytes


def test_a_body_counts_with_the_values_that_it_is_decoded_to() -> None:
    assert asyncio.run(count_body(len(BODY))) == len(BODY) + 1000 * VALUE_BYTES
    with pytest.raises(TooLarge):
        asyncio.run(count_body(len(BODY) - 1))

"""Requests as the hot routes read them: parameters, headers, bodies that end too early."""

import asyncio
import gzip
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import pytest

from logboom.base.errors import Invalid, UnsupportedEncoding
from logboom.base.process.offload import Offload
from logboom.web.asgi import ClientGone, RawRequest, join_headers, parse_parameters
from logboom.web.types import Receive, Scope


def make_request(
    query: bytes = b"",
    headers: Sequence[tuple[bytes, bytes]] = (),
    messages: Sequence[dict[str, Any]] = (),
) -> RawRequest:
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    scope = {"method": "POST", "path": "/", "headers": headers, "query_string": query}
    return RawRequest(cast(Scope, scope), cast(Receive, receive))


def read_body(request: RawRequest) -> bytes:
    async def read() -> bytes:
        return b"".join([piece async for piece in request.stream()])

    return asyncio.run(read())


def body_part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_parameters_are_decoded() -> None:
    assert parse_parameters(b"") == {}
    assert parse_parameters(b"index=a%2Bb+c&env=&source=%C3%A9") == {
        "index": "a+b c",
        "env": "",
        "source": "é",
    }


@pytest.mark.parametrize(
    "query",
    [
        b"index=a&index=b",
        b"index=a&index=a",
        b"env=%ff",
        b"env=\xff",
        b"&".join(b"p%d=1" % number for number in range(200)),
    ],
)
def test_parameters_that_cannot_be_meant_are_refused(query: bytes) -> None:
    with pytest.raises(Invalid):
        parse_parameters(query)


def test_a_parameter_counts_before_a_header_and_empty_counts_as_absent() -> None:
    header = (b"x-service-env", b"from-header")
    request = make_request(b"env=from-query", [header])
    assert request.find("env", "x-service-env", "none") == "from-query"
    assert make_request(b"env=", [header]).find("env", "x-service-env", "none") == "from-header"
    assert make_request(b"", []).find("env", "x-service-env", "none") == "none"


def test_the_body_is_the_parts_in_order() -> None:
    parts = [body_part(b"a"), body_part(b""), body_part(b"bc", more=False)]
    assert read_body(make_request(messages=parts)) == b"abc"


def test_a_client_that_goes_away_half_way_is_noticed() -> None:
    parts = [body_part(b"a"), {"type": "http.disconnect"}]
    with pytest.raises(ClientGone):
        read_body(make_request(messages=parts))


def test_an_encoding_named_twice_is_two_encodings() -> None:
    headers = [(b"content-encoding", b"gzip"), (b"content-encoding", b"gzip")]
    with pytest.raises(UnsupportedEncoding, match="gzip, gzip"):
        read_body(make_request(headers=headers, messages=[body_part(b"", more=False)]))


def test_a_header_that_comes_twice_is_a_list_unless_it_says_the_same() -> None:
    pairs = [(b"a", b"1"), (b"a", b"2"), (b"b", b"1"), (b"b", b"1")]
    encodings = [(b"content-encoding", b"gzip"), (b"content-encoding", b"gzip")]
    assert join_headers([*pairs, *encodings]) == {
        "a": "1, 2",
        "b": "1",
        "content-encoding": "gzip, gzip",
    }


P = ParamSpec("P")
T = TypeVar("T")


class Watched(Offload):
    """Remembers the threads that worked."""

    def __init__(self) -> None:
        super().__init__(1, "decode")
        self.threads: set[int] = set()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def watch() -> T:
            self.threads.add(threading.get_ident())
            return work(*args, **kwargs)

        return await self.start(watch)


def read_beside(encoding: bytes, body: bytes, part_bytes: int) -> tuple[bytes, set[int]]:
    """The decoded body, and the threads beside the event loop that decoded it."""
    parts = [body[at : at + part_bytes] for at in range(0, len(body), part_bytes)]
    messages = [*(body_part(part) for part in parts), body_part(b"", more=False)]
    request = make_request(headers=[(b"content-encoding", encoding)], messages=messages)
    offload = Watched()

    async def read() -> bytes:
        return b"".join([piece async for piece in request.stream(offload)])

    try:
        return asyncio.run(read()), offload.threads
    finally:
        offload.close()


def test_large_parts_of_compressed_bodies_are_decoded_beside_the_event_loop() -> None:
    content = os.urandom(300_000) + b"a" * 5_000_000
    decoded, threads = read_beside(b"gzip", gzip.compress(content), 65_536)
    assert decoded == content
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("part_bytes", [1, 100, 4096])
def test_small_parts_of_compressed_bodies_are_not(part_bytes: int) -> None:
    content = os.urandom(3_000) * 3
    assert read_beside(b"gzip", gzip.compress(content), part_bytes) == (content, set())


def test_plain_bodies_need_no_decoding() -> None:
    content = os.urandom(300_000)
    assert read_beside(b"identity", content, 65_536) == (content, set())


def test_a_damaged_part_is_refused_wherever_it_is_decoded() -> None:
    body = bytearray(gzip.compress(os.urandom(200_000)))
    body[100_000] ^= 0xFF
    with pytest.raises(Invalid):
        read_beside(b"gzip", bytes(body), 65_536)

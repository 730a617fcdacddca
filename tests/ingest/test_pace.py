"""Senders that hold memory while their body hardly arrives, and others that wait for it."""

import asyncio
import gzip
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack

import cramjam
import httpx
import pytest
from tests.running import RunningService, encode_lines

from logboom.base.errors import Unavailable
from logboom.ingest import pace
from logboom.ingest.memory import MemoryBudget
from logboom.ingest.pace import PACE_BYTES, PacedBody
from logboom.web.encodings import weigh_held
from logboom.web.types import Message

CAPACITY = 100
SENDERS = 13
BODY_BYTES = 15 * 1024 * 1024
PATIENCE_S = 0.3


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(pace, "CHECK_S", 0.1)


def make_receive(size_bytes: int, pause_s: float) -> Callable[[], "asyncio.Future[Message]"]:
    async def receive() -> Message:
        await asyncio.sleep(pause_s)
        return {"type": "http.request", "body": b"x" * size_bytes, "more_body": True}

    return lambda: asyncio.ensure_future(receive())


async def receive_all(size_bytes: int, pause_s: float, *, is_wanted: bool) -> None:
    """Receive ten messages of a body that holds all memory, and that others want or not."""
    budget = MemoryBudget(CAPACITY)
    with budget.share() as share, budget.share() as other:
        await share.take(CAPACITY)
        waiting = asyncio.ensure_future(other.take(1))
        await asyncio.sleep(0)
        if not is_wanted:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        body = PacedBody(make_receive(size_bytes, pause_s), share)
        try:
            for _ in range(10):
                await body.receive()
        finally:
            share.give(CAPACITY)
            await asyncio.gather(waiting, return_exceptions=True)


def test_a_slow_sender_makes_way_only_if_others_wait_for_its_memory() -> None:
    asyncio.run(receive_all(1, PATIENCE_S / 5, is_wanted=False))
    asyncio.run(receive_all(PACE_BYTES, PATIENCE_S / 5, is_wanted=True))
    for pause_s in (PATIENCE_S / 5, 3600.0):
        with pytest.raises(Unavailable, match="too slowly"):
            asyncio.run(receive_all(1, pause_s, is_wanted=True))


def test_what_a_decoder_holds_of_a_body_is_counted_as_it_arrives() -> None:
    async def scenario() -> int:
        with MemoryBudget(CAPACITY).share() as share:
            held_per_byte = weigh_held("snappy")
            await PacedBody(make_receive(1000, 0.0), share, held_per_byte).receive()
            return share.size_bytes

    block = bytes(cramjam.snappy.compress_raw(bytes(1 << 20)))
    assert (1 << 20) + len(block) < weigh_held("Snappy") * len(block)
    assert asyncio.run(scenario()) == weigh_held("snappy") * 1000


def open_sender(port: int, *, is_compressed: bool) -> socket.socket:
    """Send a large body except its end."""
    body = b"x" * BODY_BYTES
    head = "POST /api/ingest HTTP/1.1\r\nHost: localhost\r\n"
    if is_compressed:
        body = gzip.compress(body, 1)
        head += "Content-Encoding: gzip\r\n"
    sender = socket.create_connection(("127.0.0.1", port), timeout=20)
    sender.sendall(f"{head}Content-Length: {len(body) + 1}\r\n\r\n".encode() + body)
    return sender


@pytest.mark.parametrize("is_compressed", [False, True])
def test_senders_that_stop_before_the_end_hold_up_nobody_for_long(
    service: RunningService, env: str, is_compressed: bool
) -> None:
    with ExitStack() as stack:
        senders = [open_sender(service.port, is_compressed=is_compressed) for _ in range(SENDERS)]
        for sender in senders:
            stack.enter_context(sender)
        began_s = time.monotonic()
        answer = service.ingest(encode_lines([{"a": "x" * 100}] * 30_000), {"env": env})
        assert answer.status_code == httpx.codes.OK
        assert time.monotonic() - began_s < 20, "they would be ended after 30 s"

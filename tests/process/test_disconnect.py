"""Clients that go away in the middle of a body leave all or nothing of their batch."""

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from itertools import product

import pytest
from tests.process.checks import check_everything
from tests.process.conftest import MakeService
from tests.process.ledger import Ledger
from tests.process.load import send, send_again
from tests.process.service import Service

pytestmark = [pytest.mark.process]

CHUNK_BYTES = 50_000
RESET_ON_CLOSE = struct.pack("ii", 1, 0)

Cut = Callable[[bytes], int]
CUTS: dict[str, Cut] = {
    "before the body": lambda body: 0,
    "in the first line": lambda body: 10,
    "between two lines": lambda body: body.index(b"\n", len(body) // 2) + 1,
    "in the last line": lambda body: len(body) - 20,
    "before the last byte": lambda body: len(body) - 1,
    "after the body": len,
}
LARGE_CUTS = ("between two lines", "in the last line")


def send_part(service: Service, body: bytes, end: int, key: str, how: tuple[str, str]) -> None:
    """Announce the whole body, send what lies before `end`, and go away without reading."""
    framing, farewell = how
    length = f"Content-Length: {len(body)}" if framing == "length" else "Transfer-Encoding: chunked"
    head = f"POST /api/ingest HTTP/1.1\r\nHost: test\r\nIdempotency-Key: {key}\r\n{length}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        if farewell == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        with suppress(ConnectionError):
            connection.sendall(head.encode())
            for start in range(0, end, CHUNK_BYTES):
                part = body[start : min(start + CHUNK_BYTES, end)]
                connection.sendall(part if framing == "length" else frame_chunk(part))


def frame_chunk(part: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(part), part)


@pytest.mark.parametrize(
    ("count", "padding_bytes", "cuts"),
    [(2_000, 0, tuple(CUTS)), (460, 8_500, tuple(CUTS)), (2_800, 8_500, LARGE_CUTS)],
    ids=["half a megabyte", "4 megabytes", "24 megabytes"],
)
def test_a_client_that_goes_away_leaves_all_or_nothing(
    services: MakeService, ledger: Ledger, count: int, padding_bytes: int, cuts: tuple[str, ...]
) -> None:
    service = services(SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    for cut, framing, farewell in product(cuts, ("length", "chunked"), ("close", "reset")):
        batch = ledger.make_batch(count, keyed=True, padding_bytes=padding_bytes)
        body = batch.encode_body()
        send_part(service, body, CUTS[cut](body), batch.key, (framing, farewell))
    assert send(service, ledger, ledger.make_batch(1))
    assert service.stop() == 0
    service.start()
    check_everything(service, ledger)


def test_a_batch_cut_off_and_sent_again_with_its_key_is_stored_once(
    services: MakeService, ledger: Ledger
) -> None:
    service = services(SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    for choose_end in CUTS.values():
        batch = ledger.make_batch(500, keyed=True)
        body = batch.encode_body()
        send_part(service, body, choose_end(body), batch.key, ("length", "reset"))
    send_again(service, ledger)
    check_everything(service, ledger)

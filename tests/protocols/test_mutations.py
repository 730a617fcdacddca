"""Spoilt requests: whatever is done to a good one, the answer is one of the protocol and comes at once."""

import random
import socket
from collections.abc import Callable, Iterator

import httpx
import pytest
from tests.protocols.seeds import Seed, list_seeds
from tests.running import RunningService

TRIES = 600
SOAK_TRIES = 100_000
NUMBERS = range(3)
PROTOCOLS = list(list_seeds(NUMBERS))
ENCODINGS = ["gzip", "deflate", "zstd", "br", "snappy", "zlib", "identity", "none", "x", ""]
TYPES = ["application/json", "application/x-protobuf", "text/plain", "x", "", "application/json;"]
SNIPPETS = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"{",
        b"}",
        b"[",
        b'"',
        b"\\",
        b"\n",
        b"}{",
        b"null",
        b"1e999",
        b"\xf0\x9f",
    ),
    *(b'{"a":' * 40, b"[" * 3000, b'"\\ud800"', b'"_index":"_self"', b"\xff" * 10, b"-0", b","),
]


def flip_bits(body: bytes, rng: random.Random) -> bytes:
    spoilt = bytearray(body)
    for _ in range(rng.randint(1, 8)):
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def truncate(body: bytes, rng: random.Random) -> bytes:
    return body[: rng.randrange(len(body))]


def insert(body: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(body))
    return body[:at] + rng.choice(SNIPPETS) + body[at + rng.randrange(4) :]


def splice(body: bytes, rng: random.Random) -> bytes:
    """A part of it once more, somewhere else."""
    start, at = rng.randrange(len(body)), rng.randrange(len(body))
    return body[:at] + body[start : start + rng.randrange(200)] + body[at:]


def swap(body: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(body))
    return body[at:] + body[:at]


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    *(flip_bits, truncate, insert, splice, swap),
]


def spoil(seed: Seed, rng: random.Random) -> Seed:
    body, headers = seed.body, dict(seed.headers)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        body = rng.choice(MUTATIONS)(body, rng) or b"\x00"
    if rng.random() < 0.1:
        headers["Content-Encoding"] = rng.choice(ENCODINGS)
    if rng.random() < 0.1:
        headers["Content-Type"] = rng.choice(TYPES)
    return Seed(seed.path, body, headers)


def make_spoilt(protocol: str, tries: int) -> Iterator[Seed]:
    rng = random.Random(protocol)
    seeds = list_seeds(NUMBERS)[protocol]
    return (spoil(rng.choice(seeds), rng) for _ in range(tries))


def check_answer(seed: Seed, answer: httpx.Response) -> None:
    """An answer of the protocol: never a fault of our own, and JSON where it says so."""
    assert answer.status_code < 500, (seed, answer.text)
    if answer.headers.get("content-type") == "application/json":
        answer.json()


def send_spoilt(service: RunningService, protocol: str, tries: int) -> None:
    statuses: set[int] = set()
    with httpx.Client(base_url=service.anonymous.base_url, timeout=20.0, verify=False) as client:
        for seed in make_spoilt(protocol, tries):
            answer = client.post(seed.path, content=seed.body, headers=dict(seed.headers))
            check_answer(seed, answer)
            statuses.add(answer.status_code)
    assert statuses & {200, 202, 204}
    assert 400 in statuses


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_good_requests_are_taken(service: RunningService, env: str, protocol: str) -> None:
    seeds = list_seeds(NUMBERS)[protocol]
    for seed in seeds:
        answer = service.anonymous.post(
            seed.path, content=seed.body, headers=dict(seed.headers), params={"env": env}
        )
        assert answer.status_code in (200, 202, 204), answer.text
    service.flush()
    for number in NUMBERS:
        query = (
            f"n:{number}" if protocol != "collector" else f'n:{number} OR "{{\\"n\\":{number}}}"'
        )
        assert service.count(query, env=env) == len(seeds)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_spoilt_requests_are_answered(
    start_service: Callable[..., RunningService], protocol: str
) -> None:
    send_spoilt(start_service(), protocol, TRIES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_hundred_thousand_spoilt_requests_are_answered(
    start_service: Callable[..., RunningService], protocol: str
) -> None:
    send_spoilt(start_service(flush_secs=5.0), protocol, SOAK_TRIES)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("lie_bytes", [-20, -1, 1, 1000])
def test_a_wrong_length_stops_nobody(
    service: RunningService, env: str, protocol: str, lie_bytes: int
) -> None:
    """Too short a length makes the rest look like another request, too long a one never ends."""
    for seed in list_seeds(NUMBERS)[protocol]:
        length = max(len(seed.body) + lie_bytes, 0)
        fields = {**seed.headers, "Host": "test", "Content-Length": str(length)}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
            client.sendall(
                f"POST {seed.path}?env={env} HTTP/1.1\r\n{head}\r\n".encode() + seed.body
            )
            client.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        if lie_bytes > 0:
            assert answer == b""
        else:
            assert not answer.startswith(b"HTTP/1.1 5")
    service.flush()
    if lie_bytes > 0:
        assert service.count(env=env) == 0

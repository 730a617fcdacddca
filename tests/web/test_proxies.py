"""Forwarded headers count only from a named proxy, and only what the proxies themselves added."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from tests.running import CREDENTIALS, RunningService
from tests.together import together
from tests.waiting import PATIENCE_S
from tests.web.wire import Desk, serve

from logboom.control.access.signin.logins import NETWORK_RATE
from logboom.web.proxies import TrustedProxies, read_proxies

PROXIES = read_proxies("10.0.0.0/8, 192.0.2.1, fd00::/8")


def resolve(
    peer: str, forwarded: str = "", proto: str = "", proxies: TrustedProxies = PROXIES
) -> Any:
    """The client and the scheme that a request from `peer` ends up with."""
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    headers += [(b"x-forwarded-proto", proto.encode())] if proto else []
    scope = {"type": "http", "client": (peer, 4000), "scheme": "http", "headers": headers}
    proxies.apply(scope)
    return scope["client"][0], scope["scheme"]


@together(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7:51000", "203.0.113.7"),
        ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
        ("10.0.0.1", "[2001:db8::7]:443", "2001:db8::7"),
        ("10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("fd00::1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.7, 10.0.0.9, 192.0.2.1", "203.0.113.7"),
        ("10.0.0.1", "nonsense, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "10.0.0.8, 10.0.0.9", "10.0.0.8"),
        ("10.0.0.1", "6.6.6.6, nonsense", "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6,", "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, 1.2.3", "10.0.0.1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("203.0.113.7", "6.6.6.6", "203.0.113.7"),
        ("127.0.0.1", "6.6.6.6", "127.0.0.1"),
    ],
)
def test_the_client_is_the_last_hop_that_is_no_trusted_proxy(
    peer: str, forwarded: str, client: str
) -> None:
    assert resolve(peer, forwarded)[0] == client


@together(
    ("peer", "forwarded", "proto", "scheme"),
    [
        ("10.0.0.1", "203.0.113.7", "https", "https"),
        ("10.0.0.1", "", "HTTPS", "https"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2", "https, http", "https"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.7", "https, http", "http"),
        ("10.0.0.1", "203.0.113.7", "https, http", "http"),
        ("10.0.0.1", "203.0.113.7", "gopher", "http"),
        ("203.0.113.7", "6.6.6.6", "https", "http"),
    ],
)
def test_the_scheme_is_the_one_that_the_client_used(
    peer: str, forwarded: str, proto: str, scheme: str
) -> None:
    assert resolve(peer, forwarded, proto)[1] == scheme


def test_several_header_lines_are_one_list() -> None:
    headers = [(b"x-forwarded-for", b"6.6.6.6"), (b"x-forwarded-for", b"203.0.113.7, 10.0.0.3")]
    scope = {"type": "websocket", "client": ("10.0.0.1", 1), "scheme": "ws", "headers": headers}
    scope["headers"].append((b"x-forwarded-proto", b"https"))  # type: ignore[attr-defined]
    PROXIES.apply(scope)
    assert (scope["client"], scope["scheme"]) == (("203.0.113.7", 0), "wss")


def test_nobody_is_trusted_by_default() -> None:
    for peer in ("127.0.0.1", "::1", "10.0.0.1"):
        assert resolve(peer, "6.6.6.6", "https", TrustedProxies()) == (peer, "http")
    scope: dict[str, Any] = {"type": "http", "client": None, "scheme": "http", "headers": []}
    PROXIES.apply(scope)
    assert scope["client"] is None


@contextmanager
def open_door(service: RunningService, proxies: TrustedProxies) -> Iterator[httpx.Client]:
    """The application of a running service behind a server that trusts these proxies."""
    with (
        serve(service.application, proxies=proxies) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=50.0, verify=False) as client,
    ):
        yield client


def test_a_forged_address_does_not_walk_around_the_throttle(start_service: Any) -> None:
    with open_door(start_service(), TrustedProxies()) as client:
        statuses: list[int] = []
        # On a busy machine the throttle allows a few more tries in the meantime.
        while 429 not in statuses and len(statuses) < 3 * NETWORK_RATE.tries:
            number = len(statuses)
            wrong = {"username": f"nobody-{number}", "password": "wrong"}
            forged = {"X-Forwarded-For": f"203.0.113.{number}"}
            answer = client.post("/api/auth/login", json=wrong, headers=forged)
            statuses.append(answer.status_code)
    assert statuses[-1] == 429
    assert statuses[:-1] == [401] * (len(statuses) - 1)
    assert len(statuses) > NETWORK_RATE.tries


def test_a_cookie_is_secure_behind_a_proxy_that_speaks_tls(service: RunningService) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    for proxies, is_secure in ((read_proxies("127.0.0.1"), True), (TrustedProxies(), False)):
        with open_door(service, proxies) as client:
            answer = client.post("/api/auth/login", json=CREDENTIALS, headers=forwarded)
        assert answer.status_code == 200
        assert ("secure" in answer.headers["Set-Cookie"].lower()) is is_secure
        assert ("Strict-Transport-Security" in answer.headers) is is_secure


def test_the_small_application_sees_headers_untouched() -> None:
    desk = Desk()
    with (
        serve(desk) as port,
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, verify=False
        ) as client,
    ):
        client.get("/early", headers={"X-Forwarded-For": "6.6.6.6"})
    assert (b"x-forwarded-for", b"6.6.6.6") in desk.headers

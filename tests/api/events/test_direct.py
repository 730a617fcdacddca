"""`POST /api/search` without the framework: which requests are answered directly, and that the answers are the same."""

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from tests.api.signing_in import bearer, make_key, make_token, open_session
from tests.running import RunningService, encode_lines

from logboom.api.events.direct import DirectSearch
from logboom.base.process.offload import Offload
from logboom.control.access import scopes
from logboom.control.access.users import Role
from logboom.web.direct import WholeRequest
from logboom.web.reply import Reply
from logboom.web.types import Scope

Message = dict[str, Any]

EVENTS = [
    {"timestamp": f"2024-05-06T07:08:0{n}Z", "n": n, "message": f"event {n}"} for n in range(5)
]
OPEN_PAGE = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
CHANGING = ("date", "content-length")
COSTS = ("took_ms", "stats")
"""The second of two equal searches costs less."""
USUAL = {"path": "/api/search", "method": "POST"}
OTHERS: dict[str, tuple[Message, bytes]] = {
    "another path": ({"path": "/api/histogram"}, b"{}"),
    "another method": ({"method": "GET"}, b"{}"),
    "no credentials": ({"headers": []}, b"{}"),
    "a cookie": ({"headers": [(b"cookie", b"logboom_session=x")]}, b"{}"),
    "other credentials": ({"headers": [(b"authorization", b"Basic eDp5")]}, b"{}"),
    "two credentials": ({"headers": [(b"authorization", b"Bearer x")] * 2}, b"{}"),
    "an empty body": ({}, b""),
    "a body that is not JSON": ({}, b"{"),
    "a body that is not UTF-8": ({}, b'{"query":"\xff"}'),
    "an unknown member": ({}, b'{"quarry":"x"}'),
    "a number as text": ({}, b'{"limit":"5"}'),
    "deep nesting": ({}, b"[" * 60_000),
}


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "direct"
    service.control.environments.create(name)
    service.keep(encode_lines(EVENTS), {"env": name})
    return name


@pytest.fixture(scope="module")
def offload() -> Iterator[Offload]:
    offload = Offload(1, "test")
    yield offload
    offload.close()


def ask(service: RunningService, offload: Offload, scope: Message, body: bytes) -> Reply | None:
    """The direct answer; None if the framework must answer."""
    services = SimpleNamespace(
        control=service.control, search=service.searching, search_offload=offload
    )

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {}

    async def run() -> Reply | None:
        whole = cast("Scope", {"type": "http", "headers": sign_in(service), **USUAL, **scope})
        direct = DirectSearch(cast("Any", services))
        answering = direct.find_answer(WholeRequest(whole, cast("Any", receive), body))
        return None if answering is None else await answering

    return asyncio.run(run())


def sign_in(service: RunningService) -> list[tuple[bytes, bytes]]:
    token = open_session(service, Role.VIEWER)["Authorization"]
    return [(b"authorization", token.encode())]


def test_the_usual_search_is_answered_directly(
    service: RunningService, offload: Offload, filled: str
) -> None:
    body = json.dumps({"query": "n:>2", "env": filled}).encode()
    reply = ask(service, offload, {}, body)
    assert reply is not None
    assert reply.status == 200
    assert [row["n"] for row in json.loads(reply.body)["rows"]] == [4, 3]


@pytest.mark.parametrize("case", OTHERS)
def test_other_requests_are_left_to_the_framework(
    service: RunningService, offload: Offload, case: str
) -> None:
    assert ask(service, offload, *OTHERS[case]) is None


def test_an_internal_error_reveals_nothing(
    service: RunningService, offload: Offload, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(service.searching, "search", fail)
    reply = ask(service, offload, {}, b"{}")
    assert reply is not None
    assert (reply.status, b"secret" in reply.body) == (500, False)


QUESTIONS: dict[str, Message] = {
    "events": {"query": "event", "limit": 2},
    "table": {"query": "* | stats count() by n", "count": True},
    "nothing": {"query": "nowhere"},
    "raw": {"query": "n:1", "raw": True},
    "variables": {"query": "n:$n", "variables": {"n": "3"}},
    "times": {"from": "2024-05-06T07:08:01Z", "to": 1714979283, "timezone": "Europe/Berlin"},
    "syntax error": {"query": "a | stats ("},
    "unknown environment": {"env": "nowhere"},
    "bad time": {"from": "yesterday-ish"},
    "bad cursor": {"cursor": "x"},
    "bad zone": {"timezone": "Mars/Base"},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_both_ways_give_the_same_answer(
    service: RunningService, filled: str, question: str
) -> None:
    body = {"env": filled, **QUESTIONS[question]}
    session = open_session(service, Role.VIEWER)
    token = session["Authorization"].removeprefix("Bearer ")
    cookie = {"Cookie": f"logboom_session={token}", **OPEN_PAGE}
    direct = service.anonymous.post("/api/search", json=body, headers=session)
    framework = service.anonymous.post("/api/search", json=body, headers=cookie)
    assert describe(direct) == describe(framework)


def test_both_ways_refuse_the_same_credentials(service: RunningService) -> None:
    for headers in (
        bearer("nonsense"),
        bearer("lbk_unknown"),
        bearer(make_token(service)),
        make_key(service, scopes.Scope.INGEST),
    ):
        direct = service.anonymous.post("/api/search", json={}, headers=headers)
        framework = service.anonymous.get("/api/search", headers=headers)
        assert direct.status_code in (401, 403)
        assert describe(direct) == describe(framework)


def describe(answer: httpx.Response) -> tuple[int, Message, Message]:
    headers = {name: value for name, value in answer.headers.items() if name not in CHANGING}
    body = {name: each for name, each in answer.json().items() if name not in COSTS}
    return answer.status_code, headers, body

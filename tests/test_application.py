"""The framework is loaded after the start, or with the first request that needs it."""

import asyncio
import sys
from typing import Any

import httpx
import pytest
from tests.running import RunningService

from logboom import application
from logboom.api.services import Services
from logboom.application import Application, LateApi, open_api
from logboom.base.process.offload import Offload
from logboom.web.types import ASGIApp


class Counted:
    """Opens the API, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, services: Services) -> ASGIApp:
        self.times += 1
        return open_api(services)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(application, "open_api", counted)
    return counted


class Like:
    """The services of a running one, with an offload of our own event loop."""

    def __init__(self, service: RunningService) -> None:
        self.offload = Offload(2, "test")
        self.store = service.store
        self.control = service.control


def ask(service: RunningService, *paths: str) -> list[httpx.Response]:
    """The answers to requests that come at the same time, to an API that nobody asked before."""

    async def run() -> list[httpx.Response]:
        like: Any = Like(service)
        transport = httpx.ASGITransport(LateApi(like))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answers = await asyncio.gather(*(client.get(path) for path in paths))
        like.offload.close()
        return answers

    return asyncio.run(run())


def test_probes_need_no_framework(service: RunningService, counted: Counted) -> None:
    health, ready = ask(service, "/health", "/ready")
    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    assert counted.times == 0


def test_a_probe_says_why_events_cannot_be_taken(
    service: RunningService, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logboom.store.store.measure_floor", lambda _: 1 << 62)
    (refused,) = ask(service, "/ready")
    assert refused.status_code == 503
    assert refused.json()["error"]["message"] == "the disk is full"
    assert "Retry-After" in refused.headers
    assert counted.times == 0


def test_the_first_requests_load_the_framework_once(
    service: RunningService, counted: Counted
) -> None:
    answers = ask(service, *["/api/version"] * 5)
    assert {answer.status_code for answer in answers} == {200}
    assert counted.times == 1


def test_the_framework_is_loaded_when_nobody_asks_anything() -> None:
    loaded: list[int] = []

    async def answer(_scope: object, _receive: object, _send: object) -> None: ...

    class Api:
        async def load(self) -> None:
            loaded.append(1)

    async def run() -> None:
        api: Any = Api()
        app = Application(answer, lambda _request: None, api, [])
        await app.load_if_quiet()
        assert not loaded  # it has only just started
        nothing: Any = {"type": "http", "path": "/health"}
        for _ in range(3):
            await app(nothing, nothing, nothing)
            app.find_answer(nothing)
            await app.load_if_quiet()
            assert not loaded
        await app.load_if_quiet()
        assert loaded

    asyncio.run(run())


def test_threads_take_turns_as_usual_after_loading(
    service: RunningService, counted: Counted
) -> None:
    usual_s = sys.getswitchinterval()
    ask(service, "/api/version")
    assert counted.times == 1
    assert sys.getswitchinterval() == usual_s


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_the_framework_answers_heads_of_probes_and_refuses_other_methods(
    service: RunningService, path: str
) -> None:
    assert service.anonymous.head(path).status_code == 200
    assert service.anonymous.delete(path).status_code == 405


def test_probes_are_answered_like_other_routes(service: RunningService) -> None:
    for path in ("/health", "/ready"):
        probe = service.anonymous.get(path)
        other = service.anonymous.get("/api/version")
        assert probe.headers.keys() == other.headers.keys()
        assert probe.headers["content-type"] == other.headers["content-type"]

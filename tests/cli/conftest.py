"""Fixtures to call the command line in this process, and the places it can search."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
from tests.running import RunningService

from logboom.cli import main


class Outcome(NamedTuple):
    status: int
    output: str
    errors: str


Logboom = Callable[..., Outcome]


@pytest.fixture
def logboom(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Logboom:
    """Return a function that calls `logboom` with arguments."""
    for name in ("COLUMNS", "FORCE_COLOR", "LOGBOOM_URL", "LOGBOOM_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["logboom", *map(str, arguments)])
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        return Outcome(status, *capsys.readouterr())

    return call


def read_token(service: RunningService) -> str:
    return str(service.client.headers["Authorization"]).removeprefix("Bearer ")


@pytest.fixture
def server(service: RunningService) -> list[str]:
    """Return the options that name the shared service."""
    return ["--url", f"http://127.0.0.1:{service.port}", "--token", read_token(service)]


@pytest.fixture(params=["server", "directory"])
def place(request: pytest.FixtureRequest, service: RunningService, server: list[str]) -> list[str]:
    """Return the options that name a server, or its data directory."""
    return server if request.param == "server" else ["--data", str(service.root)]

"""The progress bar of a search in a data directory."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from tests.running import RunningService, encode_lines

from logboom.cli import directory
from logboom.cli.directory import search_directory
from logboom.cli.search_options import SearchOptions


@pytest.fixture
def data(service: RunningService, env: str) -> Path:
    for number in range(3):
        service.keep(encode_lines([{"n": number}]), {"env": env})
    return service.root


def search(data: Path, env: str, *, force_terminal: bool) -> str:
    errors = io.StringIO()
    console = Console(file=errors, force_terminal=force_terminal, width=100)
    found = search_directory(data, SearchOptions("* | stats sum(n) s", env), console)
    assert found.rows == [{"s": 3}]
    return errors.getvalue()


def test_a_long_search_shows_how_far_it_is(
    data: Path, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "LONG_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    assert "3/3" in search(data, env, force_terminal=True)


def test_a_short_search_shows_nothing(
    data: Path, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "LONG_S", 1000.0)
    assert search(data, env, force_terminal=True) == ""


def test_a_file_gets_no_bar(data: Path, env: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "LONG_S", 0.0)
    assert search(data, env, force_terminal=False) == ""

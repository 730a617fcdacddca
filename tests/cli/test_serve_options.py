"""The options of `logboom serve`: those that are read without Typer mean the same as with it."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from logboom.cli import service
from logboom.cli.choice import choose_app
from logboom.cli.service import run_serve
from logboom.cli.serving import OPTIONS, read_plain

PLAIN = ["--port", "7400", "--data", "logs", "--tls-key", "key.pem"]


def test_every_option_is_known() -> None:
    names = inspect.signature(run_serve).parameters
    assert list(OPTIONS) == [f"--{name.replace('_', '-')}" for name in names]


def test_plain_options_mean_the_same_as_with_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, Any]] = []
    monkeypatch.setattr(service, "start_serving", started.append)
    answer = CliRunner().invoke(choose_app(["serve"]), ["serve", *PLAIN])
    assert answer.exit_code == 0, answer.output
    given = {name: value for name, value in started[0].items() if value is not None}
    expected = {"port": "7400", "data_dir": "logs", "tls_key": "key.pem"}
    assert {name: str(value) for name, value in given.items()} == expected
    assert isinstance(given["data_dir"], Path)
    assert read_plain(PLAIN) == expected
    assert read_plain([]) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--port"],
        ["--port", "7400", "--port", "7401"],
        ["--port=7400"],
        ["--nothing", "x"],
        ["--data", "--port"],
        ["x", "--port"],
    ],
)
def test_anything_else_is_left_to_typer(arguments: list[str]) -> None:
    assert read_plain(arguments) is None

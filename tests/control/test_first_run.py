"""The first account: the code it may take, and the reminder that nobody has created it."""

import logging
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, Forbidden, Overloaded
from logboom.base.stores.local import LocalObjects
from logboom.control.access.first_run import FirstRun
from logboom.control.control import Control

PASSWORD = "correct horse battery"


class World:
    def __init__(self, root: Path, code: str) -> None:
        self.now_ns = 1_700_000_000 * NS_PER_S
        objects = LocalObjects(root)
        self.control = Control.open(objects, None, bytes(32), lambda: self.now_ns, setup_code=code)

    @property
    def first_run(self) -> FirstRun:
        return self.control.first_run


def is_pending() -> float | None:
    return REGISTRY.get_sample_value("logboom_setup_pending")


def test_without_a_code_the_first_visitor_creates_the_account(tmp_path: Path) -> None:
    first_run = World(tmp_path, "").first_run
    assert not first_run.needs_code
    assert first_run.create("admin", PASSWORD, code="whatever").username == "admin"


@pytest.mark.parametrize("code", ["", "wrong", "the cod", "the code ", "THE CODE", "ünïcödé"])
def test_a_wrong_code_creates_nothing(tmp_path: Path, code: str) -> None:
    first_run = World(tmp_path, "the code").first_run
    with pytest.raises(Forbidden, match="SERVICE_SETUP_CODE") as caught:
        first_run.create("admin", PASSWORD, code)
    assert caught.value.data["field"] == "code"
    assert first_run.is_required()


def test_the_right_code_creates_the_account_once(tmp_path: Path) -> None:
    first_run = World(tmp_path, "the code ü").first_run
    assert first_run.create("admin", PASSWORD, "the code ü").username == "admin"
    for code in ("", "wrong", "the code ü"):
        with pytest.raises(Conflict):
            first_run.create("other", PASSWORD, code)


def test_guessing_the_code_is_slow_and_hinders_nobody_else(tmp_path: Path) -> None:
    first_run = World(tmp_path, "the code").first_run
    for _ in range(10):
        with pytest.raises(Forbidden):
            first_run.create("admin", PASSWORD, "wrong", "203.0.113.1")
    with pytest.raises(Overloaded):
        first_run.create("admin", PASSWORD, "the code", "203.0.113.1")
    assert first_run.create("admin", PASSWORD, "the code", "203.0.113.2").username == "admin"


def test_the_reminder_comes_until_the_account_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path, "")
    with caplog.at_level(logging.WARNING):
        for _ in range(13):
            world.first_run.remind("0.0.0.0")
            world.now_ns += 5 * NS_PER_S
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "ANYBODY" in caplog.text
    assert is_pending() == 1
    caplog.clear()
    world.first_run.create("admin", PASSWORD)
    world.now_ns += 3600 * NS_PER_S
    world.first_run.remind("0.0.0.0")
    assert is_pending() == 0
    assert caplog.records == []

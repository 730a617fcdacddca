"""The reset at start: the oldest admin can sign in again, and every session is over."""

import logging
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from logboom.base.clock import system_clock
from logboom.base.errors import Invalid, Unauthenticated
from logboom.base.stores.local import LocalObjects
from logboom.control.access.users import Role, User
from logboom.control.control import Control
from logboom.control.reset import admin_reset, reset_admin

PASSWORD = "correct horse"
NEW_PASSWORD = "another horse"


@pytest.fixture
def control(tmp_path: Path) -> Control:
    admin_reset.set(0)
    return Control.open(LocalObjects(tmp_path), bytes(32), bytes(32), system_clock)


def reset(control: Control, password: str = NEW_PASSWORD) -> User | None:
    return reset_admin(control, password)


def test_the_admin_of_setup_gets_the_password_and_all_sessions_end(control: Control) -> None:
    admin = control.setup("admin", PASSWORD)
    control.users.create("bob", PASSWORD, Role.ADMIN)
    sessions = [control.login(name, PASSWORD)[0] for name in ("admin", "bob")]
    found = reset(control)
    assert found is not None
    assert found.id == admin.id
    assert control.is_admin_reset
    for session in sessions:
        with pytest.raises(Unauthenticated):
            control.authenticate(session)
    assert control.login("admin", NEW_PASSWORD)[1] == found
    assert control.login("bob", PASSWORD)[1].username == "bob"
    with pytest.raises(Unauthenticated):
        control.login("admin", PASSWORD)


def test_a_disabled_admin_is_enabled(control: Control) -> None:
    admin = control.setup("admin", PASSWORD)
    control.users.create("bob", PASSWORD, Role.ADMIN)
    control.users.update(admin.id, {"enabled": False})
    reset(control)
    assert control.login("admin", NEW_PASSWORD)[1].enabled


def test_limits_are_lifted_only_if_nobody_is_without_any(
    monkeypatch: pytest.MonkeyPatch, control: Control
) -> None:
    admin = control.setup("admin", PASSWORD)
    other = control.users.create("bob", PASSWORD, Role.ADMIN)
    control.users.update(admin.id, {"indexes": ["app"]})
    reset(control)
    assert control.users.get(admin.id).indexes == ("app",)
    with monkeypatch.context() as earlier_release:
        earlier_release.setattr(User, "is_unlimited", True)
        control.users.delete(other.id)
    found = reset(control)
    assert found is not None
    assert (found.envs, found.indexes) == (("*",), ("*",))


def test_an_account_that_is_no_admin_any_more_is_not_made_one(control: Control) -> None:
    admin = control.setup("admin", PASSWORD)
    other = control.users.create("bob", PASSWORD, Role.ADMIN)
    control.users.update(admin.id, {"role": "viewer"})
    found = reset(control)
    assert found is not None
    assert found.id == other.id
    assert control.users.get(admin.id).role is Role.VIEWER


def test_every_start_resets_again(control: Control) -> None:
    control.setup("admin", PASSWORD)
    reset(control)
    session, _ = control.login("admin", NEW_PASSWORD)
    reset(control)
    with pytest.raises(Unauthenticated):
        control.authenticate(session)


def test_before_setup_nothing_happens_and_setup_stays_open(control: Control) -> None:
    assert reset(control) is None
    assert control.first_run.is_required()
    assert not control.is_admin_reset
    assert REGISTRY.get_sample_value("logboom_admin_reset") == 0


def test_a_password_against_the_rules_is_refused(control: Control) -> None:
    admin = control.setup("admin", PASSWORD)
    with pytest.raises(Invalid, match="expected 8 to 1024"):
        reset(control, "short")
    with pytest.raises(Invalid, match=r"SERVICE_ADMIN_PASSWORD .* most common"):
        reset(control, "password1")
    assert control.users.get(admin.id) == admin


def test_it_is_loud_and_tells_no_password(
    control: Control, caplog: pytest.LogCaptureFixture
) -> None:
    control.setup("admin", PASSWORD)
    with caplog.at_level(logging.INFO, "logboom"):
        reset(control)
    levels = {record.name: record.levelname for record in caplog.records}
    assert levels == {"logboom.audit": "INFO", "logboom.control.reset": "WARNING"}
    assert "SERVICE_ADMIN_RESET" in caplog.text
    assert NEW_PASSWORD not in str([vars(record) for record in caplog.records])
    assert REGISTRY.get_sample_value("logboom_admin_reset") == 1

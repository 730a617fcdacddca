"""The control plane as a whole, opened on a real directory."""

import logging
import shutil
from pathlib import Path

import pytest
from tests.logged import list_said_by

from logboom.base.clock import NS_PER_S, system_clock
from logboom.base.errors import Conflict, Corrupt, Overloaded, Unauthenticated, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.signin.logins import OWN_RATE
from logboom.control.access.signin.throttled_logins import PAUSE_NS
from logboom.control.control import Control

KEY = bytes(range(32))
SECRET = bytes(range(32, 64))
PASSWORD = "correct horse"


def open_control(
    root: Path, control_key: bytes | None = KEY, jwt_secret: bytes = SECRET
) -> Control:
    return Control.open(LocalObjects(root), control_key, jwt_secret, system_clock)


@pytest.mark.parametrize("control_key", [KEY, None], ids=["encrypted", "plain"])
def test_setup_login_authenticate_logout(tmp_path: Path, control_key: bytes | None) -> None:
    control = open_control(tmp_path, control_key)
    assert control.first_run.is_required()
    admin = control.setup("admin", PASSWORD)
    token, user = control.login("admin", PASSWORD)
    assert user == admin
    assert control.authenticate(token) == Principal.of_user(admin)
    other, _ = control.login("admin", PASSWORD)
    control.logout(token)
    with pytest.raises(Unauthenticated):
        control.authenticate(token)
    assert control.authenticate(other) == Principal.of_user(admin)
    assert control.authenticate(control.login("admin", PASSWORD)[0]).id == admin.id


def test_saving_counts_tells_of_sign_ins_that_were_turned_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    now_ns = 1_700_000_000 * NS_PER_S
    control = Control.open(LocalObjects(tmp_path), None, SECRET, lambda: now_ns)
    control.setup("admin", PASSWORD)
    for _ in range(OWN_RATE.tries):
        control.take_try("Admin", "10.0.0.1")
    for _ in range(3):
        with pytest.raises(Overloaded):
            control.take_try("Admin", "10.0.0.1")
    assert len(list_said_by("logboom.audit", caplog)) == 1
    now_ns += PAUSE_NS
    control.save_counts()
    records = list_said_by("logboom.audit", caplog)
    assert [record.details for record in records] == [{"tries": 1}, {"tries": 2}]
    assert {record.target for record in records} == {"Admin"}


def test_sessions_and_environments_outlive_the_process(tmp_path: Path) -> None:
    control = open_control(tmp_path)
    control.setup("admin", PASSWORD)
    control.environments.create("staging")
    token, user = control.login("admin", PASSWORD)
    reopened = open_control(tmp_path)
    assert reopened.authenticate(token) == Principal.of_user(user)
    assert reopened.environments.get("staging").name == "staging"
    with pytest.raises(Conflict):
        reopened.setup("admin", PASSWORD)


def test_nodes_see_each_others_changes_after_a_refresh(tmp_path: Path) -> None:
    one, two = open_control(tmp_path), open_control(tmp_path)
    one.setup("admin", PASSWORD)
    one.environments.create("staging")
    assert not two.first_run.is_required()
    token, user = one.login("admin", PASSWORD)
    assert two.authenticate(token) == Principal.of_user(user)
    one.logout(token)
    two.refresh()
    assert two.environments.get("staging").name == "staging"
    with pytest.raises(Unauthenticated):
        two.authenticate(token)


def test_nothing_on_disk_shows_the_user_or_the_environment(tmp_path: Path) -> None:
    control = open_control(tmp_path)
    control.setup("very-visible-user", PASSWORD)
    control.environments.create("very-visible-environment")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    assert not any(b"very-visible" in path.read_bytes() for path in files)


def test_each_kind_of_credential_is_known_by_its_form(tmp_path: Path) -> None:
    control = open_control(tmp_path)
    control.setup("admin", PASSWORD)
    session, user = control.login("admin", PASSWORD)
    key, key_secret = control.keys.create("robot", (Scope.SEARCH,), indexes=("web",))
    token, token_secret = control.tokens.create("shipper", "default", ("app-*",))
    for each in (control, open_control(tmp_path)):
        assert each.authenticate(session) == Principal.of_user(user)
        assert each.authenticate(key_secret) == Principal.of_key(key)
        assert each.authenticate(token_secret) == Principal.of_token(token)


def test_reading_and_authenticating_need_no_store(tmp_path: Path) -> None:
    control = open_control(tmp_path)
    control.setup("admin", PASSWORD)
    session, _ = control.login("admin", PASSWORD)
    secrets = [
        session,
        control.keys.create("robot", (Scope.SEARCH,))[1],
        control.tokens.create("shipper", "default")[1],
    ]
    shutil.rmtree(tmp_path)
    for secret in secrets:
        token_id = control.authenticate(secret).id
        control.tokens.touch(token_id)
    assert control.settings.effective.ingest.native_enabled


@pytest.mark.parametrize("control_key", [KEY, None], ids=["encrypted", "plain"])
def test_no_issued_secret_is_on_disk(tmp_path: Path, control_key: bytes | None) -> None:
    control = open_control(tmp_path, control_key)
    control.setup("admin", PASSWORD)
    key, key_secret = control.keys.create("robot", (Scope.ADMIN,))
    token, token_secret = control.tokens.create("shipper", "default")
    session, _ = control.login("admin", PASSWORD)
    control.keys.update(key.id, {"name": "other"})
    control.tokens.touch(token.id)
    control.save_counts()
    control.users.update(control.users.list()[0].id, {"password": "canary horse"})
    canaries = [PASSWORD, "canary horse", session, key_secret, token_secret]
    canaries += [secret[-43:] for secret in (key_secret, token_secret)]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 4
    for path in files:
        content = path.read_bytes()
        assert not [canary for canary in canaries if canary.encode() in content]


def test_another_control_key_does_not_open_as_a_fresh_install(tmp_path: Path) -> None:
    open_control(tmp_path).setup("admin", PASSWORD)
    with pytest.raises(Corrupt, match=r"control/users/000000000001 .* another control key"):
        open_control(tmp_path, bytes(32))


@pytest.mark.parametrize(("written", "read"), [(KEY, None), (None, KEY)], ids=["off", "on"])
def test_another_encryption_setting_is_a_clear_error(
    tmp_path: Path, written: bytes | None, read: bytes | None
) -> None:
    open_control(tmp_path, written).setup("admin", PASSWORD)
    with pytest.raises(Unavailable, match="but SERVICE_CONTROL_ENCRYPTION is"):
        open_control(tmp_path, read)


def test_a_damaged_users_document_does_not_open_as_a_fresh_install(tmp_path: Path) -> None:
    (tmp_path / "control" / "users" / "000000000001").mkdir(parents=True)
    with pytest.raises(Unavailable):
        open_control(tmp_path)

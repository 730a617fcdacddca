"""Users who sign in by single sign-on only: how they come to be, and that somebody can always administer."""

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.api.signing_in import PASSWORD
from tests.logged import list_said_by
from tests.running import CREDENTIALS, RunningService
from tests.saml.idp_server import make_idp_metadata


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("passwordless")) as service:
        yield service


@pytest.fixture
def sso(running: RunningService) -> Iterator[RunningService]:
    """The service with single sign-on, and with nobody but the admin."""
    assert switch(running, is_on=True).status_code == 200
    yield running
    for user in running.control.users.list():
        if user.username != CREDENTIALS["username"]:
            running.control.users.delete(user.id)


def switch(service: RunningService, *, is_on: bool) -> httpx.Response:
    saml: dict[str, Any] = {"enabled": is_on}
    if is_on:
        saml["base_url"] = f"http://127.0.0.1:{service.port}"
        saml["idp_metadata"] = make_idp_metadata("https://idp.example.com/sso")
    return service.client.patch("/api/settings", json={"saml": saml})


def make_user(service: RunningService, name: str, **members: Any) -> str:
    """The path of a new user."""
    made = service.client.post("/api/users", json={"username": name, "role": "viewer", **members})
    assert made.status_code == 201, made.text
    return f"/api/users/{made.json()['id']}"


def log_in(service: RunningService, name: str, password: str) -> int:
    credentials = {"username": name, "password": password}
    status = service.anonymous.post("/api/auth/login", json=credentials).status_code
    service.anonymous.cookies.clear()
    return status


def test_only_single_sign_on_makes_a_password_dispensable(sso: RunningService) -> None:
    path = make_user(sso, "dave", password=PASSWORD)
    switch(sso, is_on=False)
    for refused in (
        sso.client.post("/api/users", json={"username": "erin", "role": "viewer"}),
        sso.client.patch(path, json={"password": None}),
    ):
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "password")
    assert log_in(sso, "dave", PASSWORD) == 200


def test_a_password_is_removed_and_set_again(
    sso: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    path = make_user(sso, "dave", password=PASSWORD, saml_identity="d@example.com")
    removed = sso.client.patch(path, json={"password": None})
    assert (removed.status_code, removed.json()["has_password"]) == (200, False)
    assert [log_in(sso, "dave", each) for each in (PASSWORD, "")] == [401, 401]
    restored = sso.client.patch(path, json={"password": PASSWORD, "saml_identity": None})
    assert (restored.json()["saml_identity"], restored.json()["has_password"]) == (None, True)
    assert log_in(sso, "dave", PASSWORD) == 200
    said = [each for each in list_said_by("logboom.audit", caplog) if each.action == "user.update"]
    assert [
        (each.target, each.details["changed"], each.details.get("removed")) for each in said
    ] == [
        ("dave", ["password"], ["password"]),
        ("dave", ["password", "saml_identity"], ["saml_identity"]),
    ]


def test_an_identity_is_there_once(sso: RunningService) -> None:
    make_user(sso, "dave")
    taken = {"username": "erin", "role": "viewer", "saml_identity": "dave"}
    assert sso.client.post("/api/users", json=taken).status_code == 409


def test_single_sign_on_stays_while_no_admin_has_a_password(sso: RunningService) -> None:
    """Also when other users have one: somebody has to be able to administer."""
    make_user(sso, "dave", password=PASSWORD)
    own = f"/api/users/{sso.client.get('/api/auth/me').json()['id']}"
    key = sso.client.post("/api/keys", json={"name": "admin", "scopes": ["admin"]}).json()["key"]
    by_key = {"Authorization": f"Bearer {key}"}
    assert sso.client.patch(own, json={"password": None}, headers=by_key).status_code == 200
    off = {"saml": {"enabled": False}}
    refused = sso.client.patch("/api/settings", json=off, headers=by_key)
    assert (refused.status_code, refused.json()["error"]["field"]) == (409, "saml.enabled")
    assert "no enabled admin with a password" in refused.json()["error"]["message"]
    other = {"general": {"retention_days": 7}}
    assert sso.client.patch("/api/settings", json=other, headers=by_key).status_code == 200
    again = {"password": CREDENTIALS["password"]}
    assert sso.client.patch(own, json=again, headers=by_key).status_code == 200
    assert sso.client.patch("/api/settings", json=off, headers=by_key).status_code == 200
    sso.sign_in_again()


def test_without_single_sign_on_the_last_admin_with_a_password_stays(sso: RunningService) -> None:
    make_user(sso, "by-sign-on", role="admin")
    assert switch(sso, is_on=False).status_code == 200
    own = f"/api/users/{sso.client.get('/api/auth/me').json()['id']}"
    for refused in (
        sso.client.patch(own, json={"enabled": False}),
        sso.client.patch(own, json={"role": "viewer"}),
        sso.client.delete(own),
    ):
        assert refused.status_code == 409
        assert (
            "no enabled admin with a password would be left" in refused.json()["error"]["message"]
        )

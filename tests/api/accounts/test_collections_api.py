"""Users, keys, tokens and settings over HTTP: made, listed, changed, deleted; what races and what is stale."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import PASSWORD, bearer, make_user
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]

NEW_USER = {"username": "ann", "password": PASSWORD, "role": "viewer"}
NEW: dict[str, dict[str, Any]] = {
    "/api/users": NEW_USER,
    "/api/keys": {"name": "dashboards", "scopes": ["search"]},
    "/api/tokens": {"name": "shipper"},
}
SHOWN: dict[str, dict[str, Any]] = {
    "/api/users": {
        "username": "ann",
        "role": "viewer",
        "envs": ["*"],
        "indexes": ["*"],
        "enabled": True,
        "saml_identity": None,
        "has_password": True,
    },
    "/api/keys": {
        "name": "dashboards",
        "scopes": ["search"],
        "envs": ["*"],
        "indexes": ["*"],
        "tools": ["*"],
    },
    "/api/tokens": {
        "name": "shipper",
        "env": "default",
        "indexes": ["*"],
        "enabled": True,
        "last_used": None,
    },
}
SECRETS = {"/api/users": None, "/api/keys": "key", "/api/tokens": "token"}
CHANGES: dict[str, dict[str, Any]] = {
    "/api/users": {"role": "editor", "envs": ["prod-*"], "indexes": ["App-*"], "enabled": False},
    "/api/keys": {"name": "other", "scopes": ["search", "mcp"], "tools": ["search*"]},
    "/api/tokens": {"name": "other", "indexes": ["App-*"], "enabled": False},
}

UNFIT: list[dict[str, Any]] = [
    {"unknown": 1},
    {"indexes": []},
    {"indexes": "*"},
    {"indexes": [7]},
    {"id": "x"},
]

each_collection = pytest.mark.parametrize("path", NEW)


@pytest.fixture
def client(start_service: MakeService) -> httpx.Client:
    return start_service().client


def make(client: httpx.Client, path: str) -> dict[str, Any]:
    answer = client.post(path, json=NEW[path])
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content


@each_collection
def test_one_is_made_listed_read_changed_and_deleted(client: httpx.Client, path: str) -> None:
    made = make(client, path)
    shown = {"id": made["id"], **SHOWN[path]}
    secret = SECRETS[path]
    assert made == shown | ({secret: made[secret]} if secret else {})
    assert shown in client.get(path).json()
    place = f"{path}/{made['id']}"
    assert client.get(place).json() == shown
    changed = shown | CHANGES[path]
    changed["indexes"] = [glob.lower() for glob in changed["indexes"]]
    assert client.patch(place, json=CHANGES[path]).json() == changed
    assert client.get(place).json() == changed
    deleted = client.delete(place)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert client.get(place).status_code == 404
    assert client.delete(place).status_code == 404
    assert client.patch(place, json=CHANGES[path]).status_code == 404


@each_collection
def test_what_does_not_fit_is_a_400_and_changes_nothing(client: httpx.Client, path: str) -> None:
    made = make(client, path)
    place = f"{path}/{made['id']}"
    before = client.get(path).json()
    for bad in UNFIT:
        assert client.post(path, json=NEW[path] | bad).status_code == 400, bad
        assert client.patch(place, json=bad).status_code == 400, bad
    for missing in NEW[path]:
        body = {name: value for name, value in NEW[path].items() if name != missing}
        assert client.post(path, json=body).status_code == 400
    assert client.get(path).json() == before


@each_collection
def test_a_stale_change_is_a_409_and_the_newest_is_done(client: httpx.Client, path: str) -> None:
    place = f"{path}/{make(client, path)['id']}"
    stale = client.get(path).headers["ETag"]
    assert client.get(place).headers["ETag"] == stale
    assert client.patch(place, json=CHANGES[path], headers={"If-Match": stale}).status_code == 200
    for answer in (
        client.patch(place, json=CHANGES[path], headers={"If-Match": stale}),
        client.delete(place, headers={"If-Match": stale}),
    ):
        assert answer.status_code == 409
        error = answer.json()["error"]
        assert (error["code"], error["reason"]) == ("conflict", "changed")
    assert client.patch(place, json={}, headers={"If-Match": "*"}).status_code == 200
    newest = client.get(place).headers["ETag"]
    assert client.delete(place, headers={"If-Match": newest}).status_code == 204


@together("etag", ["", "1", '"x"', 'W/"1"', '"1", "2"', '"' + "9" * 30 + '"'])
def test_an_if_match_that_is_no_etag_of_ours_is_a_400(service: RunningService, etag: str) -> None:
    answer = service.client.patch("/api/settings", json={}, headers={"If-Match": etag})
    assert answer.status_code == 400


def test_secrets_are_shown_once_and_hashes_never(client: httpx.Client) -> None:
    secrets = [make(client, path)[name] for path, name in SECRETS.items() if name]
    for path in NEW:
        make_again = client.get(path)
        assert "argon2" not in make_again.text
        assert "digest" not in make_again.text
        assert not any(secret in make_again.text for secret in secrets)


def test_a_user_name_is_taken_in_any_case(client: httpx.Client) -> None:
    make(client, "/api/users")
    answer = client.post("/api/users", json={**NEW_USER, "username": "ANN"})
    assert answer.status_code == 409


def test_the_last_admin_stays(client: httpx.Client) -> None:
    (admin,) = client.get("/api/users").json()
    place = f"/api/users/{admin['id']}"
    for answer in (
        client.patch(place, json={"role": "editor"}),
        client.patch(place, json={"enabled": False}),
        client.delete(place),
    ):
        assert answer.status_code == 409
    assert client.get("/api/auth/me").status_code == 200


@pytest.mark.parametrize(
    "changes", [{"role": "editor"}, {"password": "another horse"}, {"envs": ["a"]}, None]
)
def test_a_change_of_rights_ends_the_sessions_of_the_user(
    service: RunningService, changes: dict[str, Any] | None
) -> None:
    user = make_user(service, Role.VIEWER)
    headers = bearer(service.control.sessions.issue(user))
    assert service.anonymous.get("/api/auth/me", headers=headers).status_code == 200
    place = f"/api/users/{user.id}"
    if changes is None:
        service.client.delete(place)
    else:
        service.client.patch(place, json=changes)
    assert service.anonymous.get("/api/auth/me", headers=headers).status_code == 401


def test_a_key_searches_within_its_limits_until_it_is_deleted(
    service: RunningService, env: str
) -> None:
    service.keep(encode_lines([{"to": "app"}, {"to": "db"}]), {"env": env, "index": "{{to}}"})
    body = {"name": "limited", "scopes": ["search"], "envs": [env], "indexes": ["app"]}
    made = service.client.post("/api/keys", json=body).json()
    headers = bearer(made["key"])

    def search(env: str) -> httpx.Response:
        return service.anonymous.post("/api/search", json={"env": env}, headers=headers)

    assert [row["to"] for row in search(env).json()["rows"]] == ["app"]
    assert search("default").status_code == 403
    service.client.delete(f"/api/keys/{made['id']}")
    assert search(env).status_code == 401


def test_a_token_is_for_an_environment_that_exists(service: RunningService, env: str) -> None:
    body = {"name": "shipper", "env": "nowhere"}
    assert service.client.post("/api/tokens", json=body).status_code == 400
    made = service.client.post("/api/tokens", json={**body, "env": env}).json()
    place = f"/api/tokens/{made['id']}"
    assert service.client.patch(place, json={"env": "_system"}).status_code == 400
    assert service.client.get(place).json()["env"] == env


def test_the_settings_in_force_are_shown_and_changed_by_section(client: httpx.Client) -> None:
    settings = client.get("/api/settings").json()
    assert list(settings) == [
        *("general", "ingest", "storage", "syslog", "saml"),
        *("syslog_status", "saml_status", "overrides", "needs_restart", "admin_reset"),
    ]
    assert settings["admin_reset"] is False
    assert settings["syslog_status"] == {"state": "off", "error": ""}
    assert settings["overrides"] == settings["needs_restart"] == []
    assert settings["ingest"]["require_auth"] is False
    changes = {"ingest": {"require_auth": True}, "general": {"retention_days": 30}}
    answer = client.patch("/api/settings", json=changes)
    settings["ingest"]["require_auth"] = True
    settings["general"]["retention_days"] = 30
    assert answer.json() == client.get("/api/settings").json() == settings


@together(
    "changes",
    [
        {"unknown": {}},
        {"ingest": {"unknown": True}},
        {"ingest": {"require_auth": 1}},
        {"ingest": None},
        {"ingest": True},
        {"storage": {"block_flush_secs": 0}},
        {"storage": {"block_flush_rows": 0}},
        {"general": {"retention_days": -1}},
        {"syslog": {"udp_port": 70_000}},
        {"syslog": {"env": "_system"}},
        {"overrides": {}},
        {"saml": {"x": 1}},
    ],
)
def test_settings_that_do_not_fit_are_a_400_and_change_nothing(
    service: RunningService, changes: dict[str, Any]
) -> None:
    before = service.client.get("/api/settings").json()
    assert service.client.patch("/api/settings", json=changes).status_code == 400
    assert service.client.get("/api/settings").json() == before


def test_stale_settings_are_a_409(client: httpx.Client) -> None:
    etag = client.get("/api/settings").headers["ETag"]
    changes, headers = {"general": {"retention_days": 7}}, {"If-Match": etag}
    assert client.patch("/api/settings", json=changes, headers=headers).status_code == 200
    assert client.patch("/api/settings", json=changes, headers=headers).status_code == 409

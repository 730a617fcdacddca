"""An error about one member of a body names it, so that a form can show it where it belongs."""

from typing import Any

import pytest
from tests.api.signing_in import PASSWORD, make_user
from tests.running import CREDENTIALS, RunningService
from tests.together import together

from logboom.control.access.users import Role

USER = {"username": "ann", "password": PASSWORD, "role": "viewer"}
KEY = {"name": "robot", "scopes": ["search"]}
TOKEN = {"name": "shipper"}
SOURCE = {"name": "web", "path": "/var/log/*.log"}
LONG = "x" * 2_000
MANY = ["x"] * 101

CREATED: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("/api/users", USER, {"username": 1}, "username"),
    ("/api/users", USER, {"username": "no blanks"}, "username"),
    ("/api/users", USER, {"password": "short"}, "password"),
    ("/api/users", USER, {"role": "king"}, "role"),
    ("/api/users", USER, {"envs": []}, "envs"),
    ("/api/users", USER, {"envs": ["A"]}, "envs"),
    ("/api/users", USER, {"envs": ["a", 1]}, "envs"),
    ("/api/users", USER, {"indexes": [""]}, "indexes"),
    ("/api/users", USER, {"enabled": "maybe"}, "enabled"),
    ("/api/users", USER, {"unknown": 1}, "unknown"),
    ("/api/users", {"username": "ann", "password": PASSWORD}, {}, "role"),
    ("/api/keys", KEY, {"name": ""}, "name"),
    ("/api/keys", KEY, {"scopes": []}, "scopes"),
    ("/api/keys", KEY, {"scopes": ["fly"]}, "scopes"),
    ("/api/keys", KEY, {"envs": MANY}, "envs"),
    ("/api/keys", KEY, {"indexes": []}, "indexes"),
    ("/api/keys", KEY, {"tools": ["/"]}, "tools"),
    ("/api/tokens", TOKEN, {"name": LONG}, "name"),
    ("/api/tokens", TOKEN, {"env": "nowhere"}, "env"),
    ("/api/tokens", TOKEN, {"env": "_system"}, "env"),
    ("/api/tokens", TOKEN, {"indexes": ["_self"]}, "indexes"),
    ("/api/envs", {"name": "x"}, {"name": "No"}, "name"),
    ("/api/envs", {"name": "x"}, {"name": "_x"}, "name"),
    ("/api/envs", {"name": "x"}, {"retention_days": 0}, "retention_days"),
    ("/api/envs", {"name": "x"}, {"retention_days": "long"}, "retention_days"),
    ("/api/sources", SOURCE, {"name": " "}, "name"),
    ("/api/sources", SOURCE, {"path": "relative"}, "path"),
    ("/api/sources", SOURCE, {"path": "/var/../etc"}, "path"),
    ("/api/sources", SOURCE, {"path": "s3://bucket/x"}, "path"),
    ("/api/sources", SOURCE, {"path": "/var/log/[z-a]"}, "path"),
    ("/api/sources", SOURCE, {"environment": "nowhere"}, "environment"),
    ("/api/sources", SOURCE, {"environment": "_system"}, "environment"),
    ("/api/sources", SOURCE, {"index": "_self"}, "index"),
    ("/api/sources", SOURCE, {"index": LONG}, "index"),
    ("/api/sources", SOURCE, {"exclude": [""]}, "exclude"),
    ("/api/sources", SOURCE, {"exclude": ["[z-a]"]}, "exclude"),
    ("/api/sources", SOURCE, {"exclude": MANY}, "exclude"),
    ("/api/sources", SOURCE, {"format": "xml"}, "format"),
    ("/api/sources", SOURCE, {"compression": "rar"}, "compression"),
    ("/api/sources", SOURCE, {"format": "grok"}, "grok"),
    ("/api/sources", SOURCE, {"format": "text", "grok": "nginx"}, "grok"),
    ("/api/sources", SOURCE, {"format": "grok", "grok": "%{NOBODY:x}"}, "grok"),
    ("/api/sources", SOURCE, {"format": "grok", "grok": "(?<a>b"}, "grok"),
    ("/api/sources", SOURCE, {"multiline": {}}, "multiline.pattern"),
    ("/api/sources", SOURCE, {"multiline": {"pattern": ""}}, "multiline.pattern"),
    ("/api/sources", SOURCE, {"multiline": {"pattern": "("}}, "multiline.pattern"),
    (
        "/api/sources",
        SOURCE,
        {"multiline": {"pattern": "x", "max_lines": 0}},
        "multiline.max_lines",
    ),
    ("/api/sources", SOURCE, {"multiline": {"pattern": "x", "lines": 1}}, "multiline.lines"),
    ("/api/sources", SOURCE, {"format": "csv", "multiline": {"pattern": "x"}}, "multiline"),
    ("/api/sources", SOURCE, {"poll_interval_secs": 1}, "poll_interval_secs"),
    ("/api/sources", SOURCE, {"poll_interval_secs": "often"}, "poll_interval_secs"),
    ("/api/sources", SOURCE, {"source": LONG}, "source"),
    ("/api/sources", SOURCE, {"type": "s3"}, "type"),
    ("/api/sources", SOURCE, {"mode": "psychic"}, "mode"),
    ("/api/search", {}, {"limit": 10_001}, "limit"),
    ("/api/search", {}, {"unknown": 1}, "unknown"),
    ("/api/search", {}, {"env": "nowhere"}, "env"),
    ("/api/search", {}, {"index": ","}, "index"),
    ("/api/search", {}, {"from": "whenever"}, "from"),
    ("/api/search", {}, {"to": "whenever"}, "to"),
    ("/api/search", {}, {"timezone": "Nowhere"}, "timezone"),
    ("/api/search", {}, {"cursor": "x"}, "cursor"),
    ("/api/histogram", {}, {"env": "nowhere"}, "env"),
    ("/api/setup", CREDENTIALS, {"password": 1}, "password"),
    ("/api/auth/login", CREDENTIALS, {"username": None}, "username"),
    ("/api/auth/password", {"old": CREDENTIALS["password"], "new": "short"}, {}, "new"),
]

SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"syslog": {"udp_port": 0}}, "syslog.udp_port"),
    ({"syslog": {"udp_port": "x"}}, "syslog.udp_port"),
    ({"syslog": {"speed": 1}}, "syslog.speed"),
    ({"syslog": {"env": "_system"}}, "syslog.env"),
    ({"syslog": {"index": "_self"}}, "syslog.index"),
    ({"syslog": {"tls_cert": "/x"}}, "syslog.tls_key"),
    ({"syslog": {"tls_key": "/x"}}, "syslog.tls_cert"),
    ({"general": {"retention_days": 0}}, "general.retention_days"),
    ({"weather": {}}, "weather"),
]


def read_field(answer: Any, status: int = 400) -> object:
    assert answer.status_code == status, answer.text
    return answer.json()["error"].get("field")


@together(("path", "good", "change", "field"), CREATED)
def test_the_member_that_is_wrong_is_named(
    service: RunningService, path: str, good: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    assert read_field(service.client.post(path, json=good | change)) == field


@together(("change", "field"), SETTINGS)
def test_the_setting_that_is_wrong_is_named(
    service: RunningService, change: dict[str, Any], field: str
) -> None:
    assert read_field(service.client.patch("/api/settings", json=change)) == field


@pytest.mark.parametrize(
    ("path", "good", "change", "field"),
    [
        ("/api/keys", KEY, {"scopes": []}, "scopes"),
        ("/api/tokens", TOKEN, {"env": "nowhere"}, "env"),
        ("/api/sources", SOURCE, {"poll_interval_secs": 1}, "poll_interval_secs"),
        ("/api/sources", SOURCE, {"multiline": {"pattern": "("}}, "multiline.pattern"),
        ("/api/sources", SOURCE, {"id": "x"}, "id"),
    ],
)
def test_so_is_that_of_a_change(
    service: RunningService, path: str, good: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    place = f"{path}/{service.client.post(path, json=good).json()['id']}"
    assert read_field(service.client.patch(place, json=change)) == field
    assert service.client.delete(place).status_code == 204


def test_a_name_that_is_taken_is_named(service: RunningService, env: str) -> None:
    first, second = make_user(service, Role.VIEWER), make_user(service, Role.VIEWER)
    taken = USER | {"username": first.username}
    assert read_field(service.client.post("/api/users", json=taken), 409) == "username"
    rename = {"username": first.username.upper()}
    place = f"/api/users/{second.id}"
    assert read_field(service.client.patch(place, json=rename), 409) == "username"
    assert read_field(service.client.post("/api/envs", json={"name": env}), 409) == "name"


def test_a_wrong_old_password_is_named(service: RunningService) -> None:
    body = {"old": "wrong", "new": PASSWORD}
    assert read_field(service.client.post("/api/auth/password", json=body), 403) == "old"


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"format": "xml"}, "format"),
        ({"grok": "%{NOBODY:x}", "format": "grok"}, "grok"),
        ({"multiline": "("}, "multiline"),
        ({"max_lines": "0"}, "max_lines"),
    ],
)
def test_parameters_are_named_too(
    service: RunningService, parameters: dict[str, str], field: str
) -> None:
    answer = service.client.post("/api/ingest/raw", params=parameters)
    assert read_field(answer) == field
    assert read_field(service.client.get("/api/search", params={"limit": "many"})) == "limit"


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff"])
def test_a_body_that_is_wrong_as_a_whole_names_none(service: RunningService, body: bytes) -> None:
    for path in ("/api/users", "/api/sources", "/api/search"):
        assert read_field(service.client.post(path, content=body)) is None

"""Sign-ins are slowed down when they fail, and every change leaves a trace without its secrets."""

import logging
from collections.abc import Callable

import httpx
import pytest
from tests.api.signing_in import PASSWORD, bearer
from tests.logged import list_said_by
from tests.running import CREDENTIALS, RunningService
from tests.waiting import PATIENCE_S

from logboom.base.clock import system_clock

MakeService = Callable[..., RunningService]

WRONG = "wrong horse entirely"
ADDRESS = "127.0.0.1"


@pytest.fixture
def fresh(start_service: MakeService, caplog: pytest.LogCaptureFixture) -> RunningService:
    """Its clock stands still, so that no try comes back while a slow machine checks passwords."""
    caplog.set_level(logging.INFO, "logboom.audit")
    now_ns = system_clock()
    return start_service(clock=lambda: now_ns)


def login(service: RunningService, **changes: str) -> httpx.Response:
    body = CREDENTIALS | changes
    base_url = service.anonymous.base_url
    with httpx.Client(base_url=base_url, timeout=PATIENCE_S, verify=False) as client:
        return client.post("/api/auth/login", json=body)


def list_audited(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str, str]]:
    """Who did what to what, with what outcome."""
    records = list_said_by("logboom.audit", caplog)
    assert all(record.address == ADDRESS for record in records)
    return [(each.actor, each.action, each.target, each.outcome) for each in records]


def test_guessing_is_slowed_down_and_nobody_is_locked_out_for_good(fresh: RunningService) -> None:
    answers = [login(fresh, password=WRONG) for _ in range(12)]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].json()["error"]["code"] == "overloaded"
    assert login(fresh).status_code == 429
    assert login(fresh, username="another").status_code == 401


def test_signing_in_often_is_no_guessing(fresh: RunningService) -> None:
    assert {login(fresh).status_code for _ in range(15)} == {200}


def test_one_changes_ones_own_password_with_the_old_one(fresh: RunningService) -> None:
    def change(old: str, new: str) -> int:
        body = {"old": old, "new": new}
        return fresh.client.post("/api/auth/password", json=body).status_code

    old, new = CREDENTIALS["password"], "another horse"
    assert change(WRONG, new) == 403
    assert change(old, "short") == 400
    assert fresh.client.get("/api/auth/me").status_code == 200
    assert change(old, new) == 204
    assert fresh.client.get("/api/auth/me").status_code == 401
    assert login(fresh).status_code == 401
    assert login(fresh, password=new).status_code == 200


def test_the_old_password_cannot_be_guessed_at_leisure(fresh: RunningService) -> None:
    body = {"old": WRONG, "new": PASSWORD}
    statuses = [fresh.client.post("/api/auth/password", json=body).status_code for _ in range(12)]
    assert statuses == [403] * 10 + [429] * 2


def test_sign_ins_leave_a_trace(fresh: RunningService, caplog: pytest.LogCaptureFixture) -> None:
    token = login(fresh).json()["token"]
    login(fresh, password=WRONG)
    login(fresh, username=PASSWORD)
    fresh.anonymous.post("/api/auth/logout", headers=bearer(token))
    assert list_audited(caplog) == [
        ("admin", "login", "admin", "ok"),
        ("anonymous", "login_failed", "admin", "refused"),
        ("anonymous", "login_failed", "", "refused"),
        ("admin", "logout", "admin", "ok"),
    ]


def test_a_flood_of_sign_ins_leaves_a_trace_that_is_short(
    fresh: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    statuses = [login(fresh, password=WRONG).status_code for _ in range(20)]
    assert statuses == [401] * 10 + [429] * 10
    audited = list_audited(caplog)
    assert audited[10:] == [("anonymous", "login_throttled", "admin", "refused")]


def test_what_was_typed_as_a_name_is_not_written_down_when_it_is_turned_away(
    fresh: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(11):
        login(fresh, username=PASSWORD, password=WRONG)
    assert list_audited(caplog)[10:] == [("anonymous", "login_throttled", "", "refused")]
    assert PASSWORD not in "".join(str(vars(record)) for record in caplog.records)


def change_everything(client: httpx.Client) -> list[str]:
    """Make, change and delete one of each kind; returns the secrets that came and went."""
    user = client.post(
        "/api/users", json={"username": "ann", "password": PASSWORD, "role": "viewer"}
    ).json()
    client.patch(f"/api/users/{user['id']}", json={"password": WRONG})
    client.delete(f"/api/users/{user['id']}")
    secrets = [PASSWORD, WRONG]
    for path, name, body in (
        ("/api/keys", "key", {"name": "k", "scopes": ["search"]}),
        ("/api/tokens", "token", {"name": "t"}),
    ):
        made = client.post(path, json=body).json()
        client.patch(f"{path}/{made['id']}", json={"name": f"{name}-2"})
        client.delete(f"{path}/{made['id']}")
        secrets.append(made[name])
    client.post("/api/envs", json={"name": "staging"})
    client.patch("/api/envs/staging", json={"retention_days": 3})
    client.delete("/api/envs/staging", params={"name": "staging"})
    client.patch("/api/settings", json={"general": {"retention_days": 9}})
    client.put("/api/lookups/hosts", json={"csv": "a\n1\n"})
    client.delete("/api/lookups/hosts")
    return secrets


def test_every_change_leaves_a_trace_without_its_secrets(
    fresh: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = change_everything(fresh.client)
    audited = [(action, target) for _, action, target, _ in list_audited(caplog)]
    assert audited == [
        ("user.create", "ann"),
        ("user.update", "ann"),
        ("user.delete", "ann"),
        ("key.create", "k"),
        ("key.update", "key-2"),
        ("key.delete", "key-2"),
        ("token.create", "t"),
        ("token.update", "token-2"),
        ("token.delete", "token-2"),
        ("env.create", "staging"),
        ("env.update", "staging"),
        ("env.delete", "staging"),
        ("settings.update", "settings"),
        ("lookup.update", "hosts"),
        ("lookup.delete", "hosts"),
    ]
    written = "".join(str(vars(record)) for record in caplog.records)
    assert [secret for secret in secrets if secret in written] == []


def test_what_was_refused_leaves_no_trace_of_a_change(
    fresh: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    fresh.client.post("/api/envs", json={"name": "default"})
    fresh.client.delete("/api/envs/default", params={"name": "default"})
    fresh.client.patch("/api/settings", json={"unknown": {}})
    fresh.client.delete("/api/users/nobody")
    fresh.anonymous.post("/api/envs", json={"name": "staging"})
    assert list_audited(caplog) == []

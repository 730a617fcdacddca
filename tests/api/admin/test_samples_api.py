"""`POST /api/samples`: who may load them, where they go, and that they are there at once."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import Headers, make_key, open_session
from tests.logged import list_said_by
from tests.running import RunningService

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]
INDEXES = ["shop-app", "shop-db", "shop-web"]
NOW_NS = 1_772_445_600_000_000_000


def load(
    service: RunningService, body: dict[str, Any], headers: Headers | None = None
) -> httpx.Response:
    return service.client.post("/api/samples", json=body, headers=headers)


def test_samples_are_searchable_at_once(service: RunningService, env: str) -> None:
    answer = load(service, {"env": env, "events": 2_000, "hours": 6})
    assert answer.status_code == 201
    content = answer.json()
    assert list(content) == ["env", "index", "ingested", "from", "to"]
    assert (content["env"], content["index"], content["ingested"]) == (env, INDEXES, 2_000)
    within = {"from": content["from"], "to": content["to"]}
    assert service.count(env=env, **within) == service.count(env=env) == 2_000
    rows = service.search("| stats count by _index", env=env)["rows"]
    assert sorted(row["_index"] for row in rows) == INDEXES
    assert service.count("source:samples", env=env) == 2_000


def test_without_wishes_there_are_fifty_thousand_of_a_day_in_default(
    start_service: MakeService,
) -> None:
    service = start_service(clock=lambda: NOW_NS)
    content = load(service, {}).json()
    assert content == {
        "env": "default",
        "index": INDEXES,
        "ingested": 50_000,
        "from": "2026-03-01T10:00:00Z",
        "to": "2026-03-02T10:00:00Z",
    }
    assert service.count() == 50_000


def test_a_second_load_adds_to_the_first(service: RunningService, env: str) -> None:
    for _ in range(2):
        assert load(service, {"env": env, "events": 1_000}).status_code == 201
    assert service.count(env=env) == 2_000


def test_a_seed_gives_the_same_events_at_the_same_time(start_service: MakeService) -> None:
    service = start_service(clock=lambda: NOW_NS)
    found = []
    for env, seed in (("one", 7), ("two", 7), ("three", 8), ("four", None)):
        service.control.environments.create(env)
        load(service, {"env": env, "events": 1_000, "seed": seed})
        rows = service.search(env=env, limit=1_000, raw=True)["rows"]
        found.append(sorted(row["_raw"] for row in rows))
    assert found[0] == found[1]
    assert len({tuple(each) for each in found}) == 3


def test_samples_outlive_a_restart(start_service: MakeService) -> None:
    service = start_service()
    load(service, {"events": 1_000})
    service.restart()
    assert service.count() == 1_000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("events", 999),
        ("events", 200_001),
        ("events", "many"),
        ("hours", 0),
        ("hours", 169),
        ("hours", 1.5),
        ("seed", -1),
        ("seed", 2**53),
        ("env", "nowhere"),
        ("env", "_system"),
    ],
)
def test_what_is_out_of_bounds_is_refused_by_name(
    service: RunningService, env: str, field: str, value: object
) -> None:
    answer = load(service, {"env": env, "events": 1_000, field: value})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == field
    assert service.count(env=env) == 0


def test_a_wish_in_the_address_is_not_overlooked(service: RunningService) -> None:
    assert service.client.post("/api/samples?hours=2", json={}).status_code == 400


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_only_admins_load_samples(service: RunningService, env: str, role: Role) -> None:
    body = {"env": env, "events": 1_000}
    assert load(service, body, open_session(service, role)).status_code == 403
    assert load(service, body, open_session(service, Role.ADMIN)).status_code == 201


def test_an_admin_loads_only_where_it_may_write(service: RunningService, env: str) -> None:
    body = {"env": env, "events": 1_000}
    elsewhere = make_key(service, Scope.ADMIN, envs=("other",))
    assert load(service, body, elsewhere).status_code == 403
    partly = make_key(service, Scope.ADMIN, indexes=("shop-web",))
    answer = load(service, body, partly)
    assert answer.status_code == 403
    assert "'shop-app'" in answer.json()["error"]["message"]
    wholly = make_key(service, Scope.ADMIN, envs=(env,), indexes=("shop-*",))
    assert load(service, body, wholly).status_code == 201
    assert service.count(env=env) == 1_000


def test_a_load_is_audited(
    service: RunningService, env: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "logboom.audit"):
        load(service, {"env": env, "events": 1_000})
    said = list_said_by("logboom.audit", caplog)
    (record,) = [each for each in said if each.action == "samples.load"]
    assert record.__dict__["target"] == env
    assert record.__dict__["details"] == {"events": 1_000}

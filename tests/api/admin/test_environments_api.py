"""The environments over HTTP."""

import uuid
from collections.abc import Callable

import pytest
from tests.api.signing_in import open_session
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.control.access.users import Role

DEFAULT = {"id": "default", "name": "default", "retention_days": None, "retention_bytes": None}

MakeService = Callable[..., RunningService]


@pytest.fixture
def fresh(start_service: MakeService) -> RunningService:
    return start_service()


def make_name() -> str:
    return f"env-{uuid.uuid4().hex}"


def test_a_fresh_install_lists_default_and_nothing_reserved(fresh: RunningService) -> None:
    answer = fresh.client.get("/api/envs")
    assert answer.status_code == 200
    assert answer.json() == [DEFAULT]


def test_a_created_environment_is_answered_listed_and_read(fresh: RunningService) -> None:
    answer = fresh.client.post("/api/envs", json={"name": "staging", "retention_days": 7})
    assert answer.status_code == 201
    staging = DEFAULT | {"id": "staging", "name": "staging", "retention_days": 7}
    assert answer.json() == staging
    archive = fresh.client.post("/api/envs", json={"name": "archive"}).json()
    assert archive["retention_days"] is None
    assert fresh.client.get("/api/envs").json() == [archive, DEFAULT, staging]
    assert fresh.client.get("/api/envs/staging").json() == staging


@pytest.mark.parametrize("name", ["nowhere", "%20", "STAGING"])
def test_an_environment_that_is_not_there_is_a_404(service: RunningService, name: str) -> None:
    assert service.client.get(f"/api/envs/{name}").status_code == 404
    changes = {"retention_days": 1}
    assert service.client.patch(f"/api/envs/{name}", json=changes).status_code == 404
    params = {"name": name.replace("%20", " ")}
    assert service.client.delete(f"/api/envs/{name}", params=params).status_code == 404


def test_an_existing_environment_is_a_409(service: RunningService, env: str) -> None:
    for name in ("default", env):
        answer = service.client.post("/api/envs", json={"name": name})
        assert answer.status_code == 409
        assert answer.json()["error"]["code"] == "conflict"


@together(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"name":"\xff"}',
        b'{"name":' + b"[" * 20_000,
        b'{"name":7}',
        b'{"name":""}',
        b'{"name":"Prod"}',
        b'{"name":"_system"}',
        b'{"name":"_mine"}',
        b'{"name":"a/../b"}',
        b'{"name":"a","retention_days":0}',
        b'{"name":"a","retention_days":1.5}',
        b'{"name":"a","retention_days":1180591620717411303424}',
        b'{"name":"a","retention":7}',
        b'{"name":"a","retention_bytes":0}',
    ],
)
def test_a_bad_body_is_a_400_and_creates_nothing(service: RunningService, body: bytes) -> None:
    before = service.client.get("/api/envs").json()
    assert service.client.post("/api/envs", content=body).status_code == 400
    assert service.client.get("/api/envs").json() == before


def test_retention_is_changed_and_taken_back(service: RunningService, env: str) -> None:
    for days in (30, None):
        answer = service.client.patch(f"/api/envs/{env}", json={"retention_days": days})
        assert answer.json() == DEFAULT | {"id": env, "name": env, "retention_days": days}
        assert service.client.get(f"/api/envs/{env}").json() == answer.json()
    for bad in ({"retention_days": 0}, {"retention_days": "x"}, {}, {"name": "other"}):
        assert service.client.patch(f"/api/envs/{env}", json=bad).status_code == 400


def test_a_limit_in_bytes_is_changed_alone(service: RunningService, env: str) -> None:
    place = f"/api/envs/{env}"
    service.client.patch(place, json={"retention_days": 30})
    limited = service.client.patch(place, json={"retention_bytes": 5_000_000_000}).json()
    assert (limited["retention_days"], limited["retention_bytes"]) == (30, 5_000_000_000)
    for bad in (0, -1, 1.5, "1 GB", 10**19):
        refused = service.client.patch(place, json={"retention_bytes": bad})
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "retention_bytes")
    assert service.client.patch(place, json={"retention_bytes": None}).json() == limited | {
        "retention_bytes": None
    }


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_only_admins_change_but_everybody_lists_what_they_may_see(
    service: RunningService, env: str, role: Role
) -> None:
    headers = open_session(service, role, envs=(env,))
    client = service.anonymous
    created = client.post("/api/envs", json={"name": make_name()}, headers=headers)
    assert created.status_code == 403
    assert created.json()["error"]["code"] == "forbidden"
    place, params = f"/api/envs/{env}", {"name": env}
    assert client.patch(place, json={"retention_days": 1}, headers=headers).status_code == 403
    assert client.delete(place, params=params, headers=headers).status_code == 403
    assert [each["name"] for each in client.get("/api/envs", headers=headers).json()] == [env]
    assert client.get("/api/envs/default", headers=headers).status_code == 403


def test_a_deleted_environment_is_gone_with_all_it_held(service: RunningService, env: str) -> None:
    service.flush()
    service.keep(encode_lines([{"n": 1}, {"n": 2, "timestamp": "2020-01-01"}]), {"env": env})
    service.ingest(encode_lines([{"n": 3}]), {"env": env})
    answer = service.client.delete(f"/api/envs/{env}", params={"name": env})
    assert (answer.status_code, answer.content) == (204, b"")
    assert service.ingest(b"{}", {"env": env}).status_code == 400
    assert service.client.post("/api/search", json={"env": env}).status_code == 400
    service.client.post("/api/envs", json={"name": env})
    service.flush()
    assert service.count(env=env) == 0


def test_other_environments_keep_their_events_also_after_a_restart(fresh: RunningService) -> None:
    for name in ("gone", "kept"):
        fresh.control.environments.create(name)
        fresh.keep(encode_lines([{"name": name}]), {"env": name})
    assert fresh.client.delete("/api/envs/gone", params={"name": "gone"}).status_code == 204
    fresh.restart()
    assert [row["name"] for row in fresh.search(env="*")["rows"]] == ["kept"]


def test_deleting_asks_for_the_name(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"n": 1}]), {"env": env})
    for params in ({}, {"name": ""}, {"name": "default"}, {"name": env.upper()}):
        assert service.client.delete(f"/api/envs/{env}", params=params).status_code == 400
    assert service.count(env=env) == 1


@pytest.mark.parametrize(("name", "status"), [("default", 409), ("_system", 400)])
def test_what_the_service_needs_cannot_be_deleted(
    service: RunningService, name: str, status: int
) -> None:
    answer = service.client.delete(f"/api/envs/{name}", params={"name": name})
    assert answer.status_code == status


def test_a_stale_deletion_removes_nothing(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"n": 1}]), {"env": env})
    etag = service.client.get(f"/api/envs/{env}").headers["ETag"]
    service.client.post("/api/envs", json={"name": make_name()})
    place, headers = f"/api/envs/{env}", {"If-Match": etag}
    for answer in (
        service.client.delete(place, params={"name": env}, headers=headers),
        service.client.patch(place, json={"retention_days": 1}, headers=headers),
    ):
        assert answer.status_code == 409
    assert service.count(env=env) == 1

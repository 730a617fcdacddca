"""The control plane of a real server: settings that count at once, overrides, the reset, the audit trail."""

import shutil
from typing import Any

import httpx
import pytest
from tests.process.conftest import MakeService
from tests.process.service import PASSWORD, USERNAME, Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

NEVER_S = 3600
NEW_PASSWORD = "another long enough password"


def ask(service: Service, method: str, path: str, **options: Any) -> httpx.Response:
    """Ask as the admin who was signed in at the first start."""
    headers = {"Authorization": f"Bearer {service._token}"}
    return service._client.request(method, path, headers=headers, **options)


def change_flush_secs(service: Service, secs: float) -> None:
    changes = {"storage": {"block_flush_secs": secs}}
    assert ask(service, "PATCH", "/api/settings", json=changes).status_code == 200


def count(service: Service) -> int:
    total: int = service.search("", limit=0, count=True)["total"]
    return total


def test_settings_count_at_once_and_after_a_restart(services: MakeService) -> None:
    service = services()
    service.start()
    change_flush_secs(service, NEVER_S)
    service.ingest(b'{"n":1}')
    assert count(service) == 0
    change_flush_secs(service, 0.1)
    poll_until(lambda: count(service) == 1, "the event to be searchable")
    service.ingest(b'{"n":2}')
    poll_until(lambda: count(service) == 2, "the next event to be searchable")
    change_flush_secs(service, NEVER_S)
    assert service.stop() == 0
    service.start()
    settings = ask(service, "GET", "/api/settings").json()
    assert settings["storage"]["block_flush_secs"] == NEVER_S
    service.ingest(b'{"n":3}')
    assert count(service) == 2


def test_a_server_tells_how_it_is_and_that_it_is_there(services: MakeService) -> None:
    service = services()
    service.start()
    service.ingest(b'{"n":1}')

    def read() -> dict[str, Any]:
        status: dict[str, Any] = ask(service, "GET", "/api/admin/status").json()
        return status

    poll_until(lambda: read()["nodes"][0]["last_seen"] is not None, "the node to be heard of")
    poll_until(lambda: len(read()["ingest"]["history"]) > 0, "a sample to be taken")
    poll_until(lambda: read()["store"]["events"] > 0, "the event to be in a block")
    status = read()
    assert status["ready"]
    assert status["ingest"]["events_total"] == 1
    assert status["nodes"][0]["node"] == status["node"]
    assert status["nodes"][0]["started"] == status["started"]


def test_environment_variables_count_before_what_is_stored(services: MakeService) -> None:
    service = services(SERVICE_BLOCK_FLUSH_ROWS=77, SERVICE_RETENTION_DEFAULT_DAYS=9)
    service.start()
    changes = {"storage": {"block_flush_rows": 5}, "general": {"retention_days": 1}}
    settings = ask(service, "PATCH", "/api/settings", json=changes).json()
    assert settings["storage"]["block_flush_rows"] == 77
    assert settings["general"]["retention_days"] == 9
    assert settings["overrides"] == [
        {"setting": "general.retention_days", "variable": "SERVICE_RETENTION_DEFAULT_DAYS"},
        {"setting": "storage.block_flush_rows", "variable": "SERVICE_BLOCK_FLUSH_ROWS"},
    ]
    service.stop()
    service.settings.clear()
    service.start()
    settings = ask(service, "GET", "/api/settings").json()
    assert settings["storage"]["block_flush_rows"] == 5
    assert settings["overrides"] == []


def login(service: Service, password: str) -> httpx.Response:
    body = {"username": USERNAME, "password": password}
    return service._client.post("/api/auth/login", json=body)


def test_the_admin_gets_back_in_by_a_restart_that_says_so(services: MakeService) -> None:
    service = services(SERVICE_BLOCK_FLUSH_SECS=0.1)
    service.start()
    assert "logboom_admin_reset 0.0" in service._client.get("/metrics").text
    assert ask(service, "GET", "/api/settings").json()["admin_reset"] is False
    service.stop()
    service.settings |= {"SERVICE_ADMIN_RESET": "1", "SERVICE_ADMIN_PASSWORD": NEW_PASSWORD}
    service.start()
    assert ask(service, "GET", "/api/auth/me").status_code == 401
    assert login(service, PASSWORD).status_code == 401
    service._token = login(service, NEW_PASSWORD).json()["token"]
    assert ask(service, "GET", "/api/auth/me").json()["username"] == USERNAME
    assert "logboom_admin_reset 1.0" in service._client.get("/metrics").text
    assert ask(service, "GET", "/api/settings").json()["admin_reset"] is True
    log = service.log.read_text()
    assert "unset it" in log
    assert NEW_PASSWORD not in log


def test_environments_whose_document_was_lost_are_named(services: MakeService) -> None:
    service = services()
    service.start()
    assert ask(service, "POST", "/api/envs", json={"name": "lost"}).status_code == 201
    ask(service, "POST", "/api/ingest", params={"env": "lost"}, content=b'{"n":1}')
    assert ask(service, "POST", "/api/admin/flush").status_code == 200
    service.stop()
    assert "do not exist" not in service.log.read_text()
    shutil.rmtree(service.data / "store/control/environments")
    service.start()
    (line,) = (each for each in service.log.read_text().splitlines() if "do not exist" in each)
    assert '"environments":["lost"]' in line


def test_the_audit_trail_is_searched_by_admins(services: MakeService) -> None:
    service = services(SERVICE_BLOCK_FLUSH_SECS=0.1)
    service.start()
    ask(service, "POST", "/api/envs", json={"name": "staging"})

    def list_audited() -> list[tuple[str, str]]:
        rows = service.search("event:audit | sort _time", env="_system", index="_self")["rows"]
        assert all(row["address"] == "127.0.0.1" for row in rows)
        return [(row["action"], row["target"]) for row in rows]

    expected = [("setup", USERNAME), ("login", USERNAME), ("env.create", "staging")]
    poll_until(lambda: len(list_audited()) >= len(expected), "the audit trail to be searchable")
    assert list_audited() == expected
    assert ask(service, "GET", "/api/envs/_system").status_code == 404


def test_the_last_use_of_a_token_survives_a_stop(services: MakeService) -> None:
    service = services()
    service.start()
    made = ask(service, "POST", "/api/tokens", json={"name": "shipper"}).json()
    for _ in range(2):
        headers = {"X-Service-Token": made["token"]}
        service._client.post("/api/ingest", content=b"{}", headers=headers)
        place = f"/api/tokens/{made['id']}"
        used = ask(service, "GET", place).json()["last_used"]
        assert used is not None
        service.stop()
        service.start()
        assert ask(service, "GET", place).json()["last_used"] == used


def test_a_reset_without_a_password_is_refused(services: MakeService) -> None:
    service = services(SERVICE_ADMIN_RESET=1)
    service.spawn()
    assert service.wait() != 0
    assert "SERVICE_ADMIN_PASSWORD" in service.log.read_text()


def test_metrics_can_be_closed(services: MakeService) -> None:
    service = services(SERVICE_METRICS_AUTH="on")
    service.start()
    service._client.cookies.clear()
    assert service._client.get("/metrics").status_code == 401
    made = {}
    for name, scope, limits in (
        ("reader", "search", {}),
        ("shipper", "ingest", {}),
        ("reader of one environment", "search", {"envs": ["default"]}),
        ("reader of one index", "search", {"indexes": ["default"]}),
    ):
        body = {"name": name, "scopes": [scope], **limits}
        made[name] = ask(service, "POST", "/api/keys", json=body).json()["key"]
    statuses = [
        service._client.get("/metrics", headers={"Authorization": f"Bearer {key}"}).status_code
        for key in made.values()
    ]
    assert statuses == [200, 403, 403, 403]

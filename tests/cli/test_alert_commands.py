"""`logboom alerts`, on a server."""

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.cli.conftest import Logboom, Outcome
from tests.running import RunningService

Run = Callable[..., Outcome]


@pytest.fixture
def run(logboom: Logboom, server: list[str]) -> Run:
    return lambda *arguments: logboom("alerts", *arguments, *server)


@pytest.fixture
def alert(service: RunningService) -> Iterator[dict[str, Any]]:
    body = {"name": f"a{uuid.uuid4().hex[:12]}", "query": "x", "operator": "above", "threshold": 0}
    made: dict[str, Any] = service.client.post("/api/alerts", json=body).json()
    yield made
    service.client.delete(f"/api/alerts/{made['id']}")


def find(run: Run, name: str, *options: str) -> dict[str, Any] | None:
    outcome = run("list", "--format", "json", *options)
    assert outcome.status == 0, outcome.errors
    rows = map(json.loads, outcome.output.splitlines())
    return next((row for row in rows if row["name"] == name), None)


def test_alerts_are_listed_with_how_they_are(run: Run, alert: dict[str, Any]) -> None:
    found = find(run, alert["name"])
    assert found
    assert (found["status"], found["severity"]) == ("new", "warning")
    assert find(run, alert["name"], "--firing") is None


def test_one_is_muted_switched_and_deleted(run: Run, alert: dict[str, Any]) -> None:
    name = alert["name"]
    for arguments, member, expected in (
        (("mute", name, "--until", "2027-01-02T03:04:05Z"), "muted_until", "2027-01-02T03:04:05Z"),
        (("unmute", name), "muted_until", None),
        (("disable", name), "status", "off"),
        (("enable", alert["id"]), "status", "new"),
    ):
        outcome = run(*arguments)
        assert outcome.status == 0, outcome.errors
        found = find(run, name)
        assert found
        assert found.get(member) == expected
    assert run("mute", name, "--until", "soon").status == 1
    assert run("delete", name, "--yes").status == 0
    assert find(run, name) is None


def test_the_history_tells_when_it_fired_and_what_was_sent(
    run: Run, service: RunningService, alert: dict[str, Any]
) -> None:
    channel = service.client.post(
        "/api/channels",
        json={"name": uuid.uuid4().hex, "kind": "webhook", "url": "http://127.0.0.1:9/"},
    ).json()
    path = f"/api/alerts/{alert['id']}"
    changes = {"query": "", "operator": "at_least", "channels": [channel["id"]]}
    assert service.client.patch(path, json=changes).status_code == 200
    service.check_alerts()
    outcome = run("history", alert["name"])
    assert outcome.status == 0, outcome.errors
    assert f"firing to {channel['name']}: pending" in " ".join(outcome.output.split())
    (row,) = map(json.loads, run("history", alert["name"], "--format", "json").output.splitlines())
    assert row["sent"][0]["status"] == "pending"
    service.client.patch(path, json={"channels": []})
    assert service.client.delete(f"/api/channels/{channel['id']}").status_code == 204

"""`POST /api/admin/gc`: the retention of an environment, or the general one, applied at once."""

import time
from collections.abc import Callable

import pytest
from tests.api.signing_in import sign_in_as
from tests.running import RunningService, encode_lines
from tests.store.stores import HandClock

from logboom.base.clock import NS_PER_DAY
from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]
OLD = {"timestamp": "2020-01-01T00:00:00Z", "message": "old"}


@pytest.fixture
def kept(start_service: MakeService) -> RunningService:
    service = start_service()
    service.control.environments.create("short", 30)
    for env in ("default", "short"):
        service.keep(encode_lines([OLD, {"message": "new"}]), {"env": env})
    return service


def sweep(service: RunningService, **parameters: str) -> dict[str, object]:
    answer: dict[str, object] = service.client.post("/api/admin/gc", params=parameters).json()
    return answer


def count(service: RunningService, env: str) -> int:
    answer = service.search("* | stats count", env=env)
    total: int = answer["rows"][0]["count"]
    return total


def test_an_environment_keeps_its_events_as_long_as_it_says(kept: RunningService) -> None:
    planned = sweep(kept, dry_run="true")
    assert list(planned) == ["removed_blocks", "removed_events", "freed_bytes", "dry_run"]
    assert (planned["removed_events"], planned["dry_run"]) == (1, True)
    assert count(kept, "short") == 2
    done = sweep(kept)
    assert done == planned | {"dry_run": False}
    assert (count(kept, "short"), count(kept, "default")) == (1, 2)
    assert sweep(kept)["removed_blocks"] == 0


def test_the_general_retention_holds_where_there_is_no_other(kept: RunningService) -> None:
    settings = {"general": {"retention_days": 3650}}
    assert kept.client.patch("/api/settings", json=settings).status_code == 200
    assert sweep(kept)["removed_events"] == 1
    settings = {"general": {"retention_days": 10}}
    kept.client.patch("/api/settings", json=settings)
    assert sweep(kept)["removed_events"] == 1
    assert (count(kept, "short"), count(kept, "default")) == (1, 1)


def test_a_limit_in_bytes_removes_the_oldest_blocks(kept: RunningService) -> None:
    limit = {"retention_bytes": 1}
    assert kept.client.patch("/api/envs/default", json=limit).json()["retention_bytes"] == 1
    assert sweep(kept, dry_run="true")["removed_events"] == 3, (
        "both of default, the old one of short"
    )
    kept.client.patch("/api/envs/default", json={"retention_bytes": None})
    kept.client.patch("/api/envs/short", json={"retention_days": None})
    settings = {"general": {"retention_bytes": kept.store.snapshot().measure() - 1}}
    assert kept.client.patch("/api/settings", json=settings).status_code == 200
    done = sweep(kept)
    assert (done["removed_events"], done["freed_bytes"] != 0) == (1, True)
    assert count(kept, "short") + count(kept, "default") == 3


def test_a_clock_that_ran_ahead_removes_nothing_until_it_is_confirmed(
    start_service: MakeService,
) -> None:
    clock = HandClock(time.time_ns())
    service = start_service(clock=clock)
    service.client.patch("/api/settings", json={"general": {"retention_days": 1}})
    service.keep(encode_lines([{"message": "of today"}]))
    clock.time_ns += 400 * NS_PER_DAY
    sign_in_as(service, Role.ADMIN)
    held = sweep(service)
    assert (held["removed_events"], "clock" in str(held["held"])) == (0, True)
    status = service.client.get("/api/admin/status").json()
    assert status["store"]["retention_held"] == held["held"]
    answer = service.client.post("/api/admin/gc", json={"confirm": True})
    assert answer.json()["removed_events"] == 1
    assert "held" not in answer.json()

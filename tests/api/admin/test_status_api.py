"""`GET /api/admin/status`: what an operator sees is what is there."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.api.signing_in import make_token
from tests.running import RunningService, encode_lines
from tests.store.stores import HandClock

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.version import __version__
from logboom.control.registry.nodes import Node
from logboom.control.registry.settings import SyslogStatus
from logboom.status.service import STEP_S, STEPS
from logboom.store import store as store_module
from logboom.store.catalog.change import Change
from logboom.store.compaction.merge import Merger

MakeService = Callable[..., RunningService]

STEP_NS = int(STEP_S * NS_PER_S)
NODE_METRICS = {
    "logboom_node_sync_age_seconds": 3.5,
    "logboom_node_buffer_age_seconds": 4.25,
    "logboom_node_leases": 2.0,
    "logboom_node_cache_bytes": 1000.0,
}
EVENTS = [
    {"timestamp": "2026-03-01T10:00:00Z", "message": "first"},
    {"timestamp": "2026-03-02T10:00:00Z", "message": "last"},
]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def fresh(start_service: MakeService, clock: HandClock) -> RunningService:
    return start_service(clock=clock, queue_cap=9)


def read(service: RunningService) -> dict[str, Any]:
    answer = service.client.get("/api/admin/status")
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_a_node_says_who_it_is_and_since_when(fresh: RunningService, clock: HandClock) -> None:
    started = format_time(clock())
    clock.time_ns += 90 * NS_PER_S
    status = read(fresh)
    assert (status["version"], status["node"]) == (__version__, fresh.store.node)
    assert (status["started"], status["uptime_secs"]) == (started, 90.0)
    assert (status["ready"], status["problem"]) == (True, None)
    assert status["memory"]["rss_bytes"] > 1 << 20


def test_the_store_is_what_the_catalog_names(fresh: RunningService) -> None:
    empty = read(fresh)["store"]
    assert empty == {
        "url": (fresh.root / "store").as_uri(),
        "blocks": 0,
        "events": 0,
        "bytes": 0,
        "first": None,
        "last": None,
        "days": 0,
        "retention_held": None,
        "environments": [],
        "damaged": [],
    }
    fresh.keep(encode_lines(EVENTS))
    store = read(fresh)["store"]
    files = (fresh.root / "store" / "blocks").rglob("*.parquet")
    assert store == empty | {
        "blocks": 2,
        "events": 2,
        "bytes": sum(path.stat().st_size for path in files),
        "first": EVENTS[0]["timestamp"],
        "last": EVENTS[1]["timestamp"],
        "days": 2,
        "environments": [
            {"env": "default", "blocks": 2, "events": 2, "bytes": store["bytes"]},
        ],
    }


def test_what_is_being_merged_is_seen(
    fresh: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(fresh)["compaction"]["merging"] is None
    for _ in range(3):
        fresh.keep(encode_lines(EVENTS[:1]))
    seen = []
    merge = Merger.merge

    def look_first(*args: Any) -> Any:
        seen.append(read(fresh)["compaction"])
        return merge(*args)

    monkeypatch.setattr(Merger, "merge", look_first)
    size_bytes = read(fresh)["store"]["bytes"]
    fresh.store.compactor.compact(lambda _: True)
    (status,) = seen
    assert status["merging"] == {
        "env": "default",
        "day": "2026-03-01",
        "blocks": 3,
        "events": 3,
        "bytes": size_bytes,
    }
    assert (status["enabled"], status["problem"]) == (False, None)
    after = read(fresh)["compaction"]
    assert after["merging"] is None
    assert after["merges_total"] == status["merges_total"] + 1


def test_what_is_not_yet_searchable_is_seen_in_buffer_and_log(fresh: RunningService) -> None:
    assert read(fresh)["buffer"] == {"events": 0, "bytes": 0, "oldest_age_secs": None}
    body = encode_lines(EVENTS)
    assert fresh.ingest(body).status_code == 200
    status = read(fresh)
    assert status["buffer"]["events"] == 2
    assert status["buffer"]["bytes"] >= len(body) - 1
    assert status["buffer"]["oldest_age_secs"] >= 0
    (segment,) = (fresh.root / "wal").iterdir()
    assert status["wal"] == {"segments": 1, "bytes": segment.stat().st_size}
    fresh.flush()
    assert read(fresh)["buffer"] == {"events": 0, "bytes": 0, "oldest_age_secs": None}


def test_rates_and_history_tell_what_came_in_when(fresh: RunningService, clock: HandClock) -> None:
    before = read(fresh)["ingest"]
    assert (before["events_per_sec"], before["bytes_per_sec"], before["history"]) == (0.0, 0.0, [])
    start_ns = clock()
    for count in (10, 0, 30):
        if count:
            fresh.ingest(encode_lines([{"n": number} for number in range(count)]))
        clock.time_ns += STEP_NS
        fresh.status.sample()
    clock.time_ns += NS_PER_S
    ingest = read(fresh)["ingest"]
    assert ingest["history"] == [
        {"time": format_time(start_ns + step * STEP_NS), "events": events}
        for step, events in ((1, 10), (2, 0), (3, 30))
    ]
    assert ingest["events_per_sec"] == 5.0
    assert ingest["bytes_per_sec"] > ingest["events_per_sec"] * len('{"n":1}')
    assert ingest["events_total"] - before["events_total"] == 40
    assert ingest["requests_total"] - before["requests_total"] == 2
    assert ingest["bytes_total"] > before["bytes_total"]


def test_history_ends_after_five_minutes(fresh: RunningService, clock: HandClock) -> None:
    for _ in range(STEPS + 5):
        clock.time_ns += STEP_NS
        fresh.status.sample()
    assert len(read(fresh)["ingest"]["history"]) == STEPS


def test_a_clock_that_was_set_back_makes_no_rates(fresh: RunningService, clock: HandClock) -> None:
    clock.time_ns -= 3600 * NS_PER_S
    fresh.ingest(encode_lines(EVENTS))
    status = fresh.status.read()
    assert (status.ingest.events_per_sec, status.uptime_secs) == (0.0, 0.0)


def test_what_is_wrong_with_lines_is_counted(fresh: RunningService) -> None:
    before = read(fresh)["ingest"]
    fresh.ingest(b'{"a":1}\nno json\n')
    after = read(fresh)["ingest"]
    assert after["errors_total"] - before["errors_total"] == 1
    assert after["events_total"] - before["events_total"] == 1
    assert after["throttled_total"] == before["throttled_total"]


def test_the_queue_and_the_searches_are_counted(fresh: RunningService) -> None:
    fresh.keep(encode_lines(EVENTS))
    status = read(fresh)
    assert status["queue"] == {"waiting": 0, "capacity": 9}
    assert (status["searches"]["running"], status["searches"]["waiting"]) == (0, 0)
    fresh.search("first")
    with fresh.gate.enter():
        after = read(fresh)["searches"]
    assert after["running"] == 1
    assert after["total"] - status["searches"]["total"] == 2


def test_a_full_disk_is_a_problem(fresh: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = os.statvfs(fresh.root)
    status = read(fresh)
    assert status["disk"]["path"] == str(fresh.root)
    assert status["disk"]["total_bytes"] == disk.f_blocks * disk.f_frsize
    assert 0 < status["disk"]["free_bytes"] <= status["disk"]["total_bytes"]
    monkeypatch.setattr(store_module, "measure_floor", lambda _: 1 << 62)
    status = read(fresh)
    assert (status["ready"], status["problem"]) == (False, "the disk is full")


def test_the_listener_tells_how_it_is(fresh: RunningService) -> None:
    syslog = read(fresh)["syslog"]
    assert (syslog["state"], syslog["error"]) == ("off", None)
    fresh.control.settings.syslog_status = SyslogStatus("failed", "no such port")
    failed = read(fresh)["syslog"]
    assert failed == syslog | {"state": "failed", "error": "no such port"}


def test_alerts_are_counted(fresh: RunningService) -> None:
    found = read(fresh)["alerts"]
    assert [found[name] for name in ("total", "enabled", "firing", "deliveries_pending")] == [0] * 4
    rule = {"query": "a", "operator": "above", "threshold": 1}
    for name, enabled in (("a", True), ("b", False)):
        body = {"name": name, "enabled": enabled, **rule}
        assert fresh.client.post("/api/alerts", json=body).status_code == 201
    found = read(fresh)["alerts"]
    assert (found["total"], found["enabled"]) == (2, 1)


def test_sources_are_counted_and_those_that_fail(fresh: RunningService, tmp_path: Path) -> None:
    assert read(fresh)["sources"] == {"total": 0, "enabled": 0, "failing": 0}
    (tmp_path / "fine.log").write_text("hello\n")
    (tmp_path / "bad.csv").write_bytes(b"\x1f\x8b no gzip")
    made: list[dict[str, Any]] = [
        {"name": "fine", "path": f"{tmp_path}/fine.log", "format": "text"},
        {"name": "bad", "path": f"{tmp_path}/bad.csv", "compression": "gzip"},
        {"name": "off", "path": f"{tmp_path}/fine.log", "enabled": False},
    ]
    for body in made:
        source = fresh.client.post("/api/sources", json=body).json()
        if body["name"] != "off":
            fresh.client.post(f"/api/sources/{source['id']}/run")
    assert read(fresh)["sources"] == {"total": 3, "enabled": 2, "failing": 1}


def test_nodes_are_those_that_wrote_and_those_that_were_heard_of(
    fresh: RunningService, clock: HandClock
) -> None:
    node = fresh.store.node
    alone: dict[str, object] = {
        "state": "unknown",
        "version": None,
        "roles": [],
        "started": None,
        "last_seen": None,
        "sync_age_secs": None,
        "buffer_age_secs": None,
        "leases": [],
        "cache_bytes": None,
        "wal_position": 0,
    }
    (self,) = read(fresh)["nodes"]
    assert (self["node"], self["state"], self["is_self"]) == (node, "up", True)
    fresh.keep(encode_lines(EVENTS))
    fresh.store.catalog.commit(Change(transaction=("ffffffff", 41)))
    fresh.control.nodes.announce(
        "00000000",
        Node(
            *("0.9", clock() - NS_PER_S, clock(), ("ingest", "query")),
            *(3.5, 4.25, ("compaction/blocks", "alerts/7"), 1000),
        ),
    )
    clock.time_ns += STEP_NS
    fresh.status.announce()
    first, self, last = read(fresh)["nodes"]
    assert first == {
        "node": "00000000",
        "state": "up",
        "version": "0.9",
        "roles": ["ingest", "query"],
        "started": format_time(clock() - STEP_NS - NS_PER_S),
        "last_seen": format_time(clock() - STEP_NS),
        "sync_age_secs": 3.5,
        "buffer_age_secs": 4.25,
        "leases": ["compaction/blocks", "alerts/7"],
        "cache_bytes": 1000,
        "wal_position": 0,
        "is_self": False,
    }
    assert (self["node"], self["is_self"], self["version"]) == (node, True, __version__)
    assert (self["last_seen"], self["wal_position"]) == (format_time(clock()), 1)
    assert (self["sync_age_secs"], self["buffer_age_secs"]) == (STEP_NS / NS_PER_S, 0.0)
    metrics = fresh.client.get("/metrics").text
    for name, value in NODE_METRICS.items():
        assert f'{name}{{node="00000000"}} {value}' in metrics
    assert 'logboom_node_up{node="00000000",version="0.9"} 1.0' in metrics
    assert last == {"node": "ffffffff", **alone, "wal_position": 41, "is_self": False}


def test_a_node_that_keeps_silent_is_missing(
    fresh: RunningService, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    fresh.control.nodes.announce("00000000", Node("0.9", clock(), clock()))
    fresh.status.announce()
    assert [each["state"] for each in read(fresh)["nodes"]] == ["up", "up"]
    clock.time_ns += 301 * NS_PER_S
    for _ in range(2):
        fresh.status.announce()
    assert [each["state"] for each in read(fresh)["nodes"]] == ["missing", "up"]
    metrics = fresh.client.get("/metrics").text
    assert "logboom_missing_nodes 1.0" in metrics
    assert 'logboom_node_up{node="00000000",version="0.9"} 0.0' in metrics
    warnings = [
        each for each in caplog.records if "has not reported for five minutes" in each.message
    ]
    assert [each.__dict__["missing_node"] for each in warnings] == ["00000000"]

    fresh.control.nodes.forget("00000000", "given up")
    fresh.status.announce()
    assert [each["node"] for each in read(fresh)["nodes"]] == [fresh.store.node]
    assert "logboom_missing_nodes 0.0" in fresh.client.get("/metrics").text


def test_a_token_shows_when_it_was_used_last(fresh: RunningService, clock: HandClock) -> None:
    secret = make_token(fresh)
    (token,) = fresh.client.get("/api/tokens").json()
    assert token["last_used"] is None
    fresh.ingest(b"{}", headers={"Authorization": f"Bearer {secret}"})
    (token,) = fresh.client.get("/api/tokens").json()
    assert token["last_used"] == format_time(clock())

"""The real service on a real cluster: it answers as it does alone, and goes on alone when the cluster is gone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.buckets import S3Server
from tests.engine.cluster.running import Machines, machines
from tests.engine.execution.test_executors import EVENTS, QUERIES
from tests.golden.directories import HERE, unpack
from tests.golden.questions import EVERYTHING, SETTINGS, ask_all, read_expected
from tests.golden.test_golden import keep_known
from tests.ports import choose_port
from tests.process.service import Service
from tests.waiting import poll_until

GOLDEN = "0.2"
QUERY = "* | eval size=coalesce(len(message), 0) | stats sum(size)"

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


def open_service(root: Path, scheduler: str) -> Service:
    cluster = {
        "SERVICE_DASK_SCHEDULER": scheduler,
        "SERVICE_DASK_LEAST_MB": "0",
        "SERVICE_DASK_COMPACTION": "on",
    }
    own = {"SERVICE_SOURCE_ROOTS": str(root)}
    return Service(unpack(GOLDEN, root), root / "log", SETTINGS | own | cluster)


def ask(service: Service, query: str) -> dict[str, Any]:
    answer: dict[str, Any] = service.search(query, env="default", **EVERYTHING)
    return answer


def read_cluster(service: Service) -> dict[str, Any]:
    cluster: dict[str, Any] = service.call("GET", "/api/admin/status").json()["cluster"]
    return cluster


def read_metric(service: Service, name: str) -> float:
    lines = service.call("GET", "/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


def test_a_service_answers_on_a_cluster_and_goes_on_without_it(
    running: Machines, tmp_path: Path
) -> None:
    assert running.scheduler
    service = open_service(tmp_path, running.address)
    try:
        service.start()
        poll_until(lambda: read_cluster(service)["workers"] == 2, "the workers to be seen")
        expected = read_expected(HERE / f"{GOLDEN}.json.xz")
        for part, answers in ask_all(service).items():
            assert keep_known(answers, expected[part]) == expected[part], part
        assert read_metric(service, "logboom_cluster_workers") == 2
        assert read_metric(service, "logboom_cluster_tasks_total") > 0
        tasks = read_metric(service, "logboom_cluster_tasks_total")
        compacted = service.post("/api/admin/compact", {"env": "default"}).raise_for_status()
        assert compacted.json()["blocks_after"] < compacted.json()["blocks_before"]
        assert read_metric(service, "logboom_cluster_tasks_total") > tasks
        assert "blocks are merged on this node" not in service.log.read_text()
        before = ask(service, QUERY)
        running.scheduler.kill()
        poll_until(lambda: read_cluster(service)["problem"], "the scheduler to be missed")
        after = ask(service, f"{QUERY} as bytes")
        assert [list(row.values()) for row in after["rows"]] == [
            list(row.values()) for row in before["rows"]
        ]
        assert [warning["code"] for warning in after["warnings"]] == ["cluster"]
        assert after["complete"]
        assert service.stop() == 0
    finally:
        service.close()


def test_workers_read_a_bucket(s3_server: S3Server, tmp_path: Path) -> None:
    """A node with workers answers as one without them, both on one bucket."""
    settings = s3_server.environment | {
        "SERVICE_STORE_URL": s3_server.make_url(),
        "SERVICE_JWT_SECRET_PATH": str(tmp_path / "jwt"),
        "SERVICE_CONTROL_KEY_PATH": str(tmp_path / "control"),
        "SERVICE_BLOCK_SYNC_SECS": "0.3",
        "SERVICE_COMPACTION": "off",
    }
    with machines(tmp_path, 2, settings) as running:
        asking = {"SERVICE_DASK_SCHEDULER": running.address, "SERVICE_DASK_LEAST_MB": "0"}
        alone = Service(tmp_path / "alone", tmp_path / "alone.log", settings)
        helped = Service(tmp_path / "helped", tmp_path / "helped.log", settings | asking)
        try:
            alone.start()
            for start in range(6):
                lines = [json.dumps(event) for event in EVENTS[start::6]]
                alone.ingest("\n".join(lines).encode()).raise_for_status()
                alone.flush()
            helped.start()
            poll_until(lambda: read_cluster(helped)["workers"] == 2, "the workers to be seen")
            for query in QUERIES:
                expected, answer = alone.search(query), helped.search(query)
                assert answer["rows"] == expected["rows"], query
                assert answer["warnings"] == expected["warnings"], query
            assert read_metric(helped, "logboom_cluster_tasks_total") > len(QUERIES)
            assert read_metric(helped, "logboom_cluster_blocks_taken_back_total") == 0
        finally:
            alone.close()
            helped.close()


def test_a_service_starts_and_answers_without_its_scheduler(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{choose_port()}"
    service = open_service(tmp_path, address)
    try:
        service.start()
        answer = ask(service, QUERY)
        assert answer["rows"]
        assert [warning["code"] for warning in answer["warnings"]] == ["cluster"]
        state = read_cluster(service)
        assert (state["scheduler"], state["workers"]) == (address, 0)
        assert service.stop() == 0
    finally:
        service.close()

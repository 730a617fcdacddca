"""Clients from npm, each run by a script of the folder `node` in a process of its own."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.clients.sent import check_events, check_fields, check_sequence, expect_event, list_events
from tests.conftest import MakeService
from tests.running import RunningService

SCRIPTS = Path(__file__).parent / "node"
NODE = shutil.which("node")
WITHIN_S = 50

pytestmark = pytest.mark.skipif(
    NODE is None or not (SCRIPTS / "node_modules" / ".installed").exists(),
    reason="needs node and its packages, see scripts/node-packages",
)


def run_script(name: str, service: RunningService, env: str, variant: str = "") -> None:
    """Let the client send all events; whatever it complains about is a failure."""
    _, secret = service.control.tokens.create(name, env)
    address = f"http://127.0.0.1:{service.port}"
    command = [str(NODE), str(SCRIPTS / f"{name}.js"), address, env, secret, variant]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S)
    assert ended.stdout + ended.stderr == ""
    assert ended.returncode == 0


def test_elasticsearch(service: RunningService, env: str) -> None:
    run_script("elasticsearch", service, env)
    rows = check_events(list_events(service, env))
    assert [row["_index"] for row in rows[:3]] == ["node-0", "node-1", "node-0"]


def test_pino_elasticsearch(service: RunningService, env: str) -> None:
    run_script("pino-elasticsearch", service, env)
    for row in check_events(list_events(service, env), level=40):
        assert row["_index"] == f"pino-{row['_time'][:10]}"


def test_winston_loki_with_json(service: RunningService, env: str) -> None:
    run_script("winston-loki", service, env, "json")
    check_events(list_events(service, env), app="winston", level="info")


def test_winston_loki_with_protobuf(start_service: MakeService) -> None:
    service = start_service()
    service.client.patch("/api/settings", json={"ingest": {"push_protobuf": True}})
    run_script("winston-loki", service, "default", "protobuf")
    check_events(list_events(service, "default"), app="winston", level="info")


def test_pino_loki(service: RunningService, env: str) -> None:
    """The level of the line itself stays, though a label has its name."""
    run_script("pino-loki", service, env)
    check_events(list_events(service, env), app="pino", level=50)


def test_splunk_logging(service: RunningService, env: str) -> None:
    """The client puts what is logged below `message`."""
    run_script("splunk-logging", service, env)
    rows = check_sequence(list_events(service, env), "message.sequence")
    for sequence, row in enumerate(rows):
        event = expect_event(sequence)
        event["text"] = event.pop("message")
        below = {f"message.{name}": value for name, value in event.items()}
        metadata = {"host": "node-host", "source": "node-source", "sourcetype": "node-type"}
        check_fields(row, {**below, **metadata, "severity": "warn"})
        assert row["_index"] == f"hec-{sequence % 2}"


@pytest.mark.parametrize("variant", ["http", "proto"])
def test_opentelemetry(service: RunningService, env: str, variant: str) -> None:
    run_script("otlp", service, env, variant)
    check_events(
        list_events(service, env),
        **{"severity": "ERROR", "service.name": "node-service", "scope.name": "node-scope"},
    )

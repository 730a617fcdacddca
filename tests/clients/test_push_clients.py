"""python-logging-loki: one request for each record, in the present and in the first form of the protocol."""

import json
import logging

import pytest
from logging_loki import LokiHandler  # type: ignore[import-untyped]
from tests.clients.sent import COUNT, check_events, list_events, make_event, make_text
from tests.running import RunningService


@pytest.mark.parametrize(("version", "path"), [("1", "/loki/api/v1/push"), ("0", "/api/prom/push")])
def test_python_logging_loki(service: RunningService, env: str, version: str, path: str) -> None:
    failures: list[logging.LogRecord] = []
    handler = LokiHandler(
        url=f"http://127.0.0.1:{service.port}{path}?env={env}&index=push",
        tags={"app": "python", "http": "a label"},
        version=version,
    )
    handler.handleError = failures.append
    logger = logging.getLogger("tests.push")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    for sequence in range(COUNT):
        line = json.dumps({"message": make_text(sequence), **make_event(sequence)})
        logger.warning(line, extra={"tags": {"worker": sequence % 3}})
    logger.removeHandler(handler)
    handler.emitter.close()
    assert failures == []
    rows = check_events(
        list_events(service, env),
        app="python",
        logger="tests.push",
        severity="warning",
        _index="push",
    )
    assert [row["worker"] for row in rows[:4]] == ["0", "1", "2", "0"]

"""splunk-handler: batches of concatenated envelopes, each with all its metadata."""

import json
import logging
from typing import Any

import pytest
from splunk_handler import SplunkHandler  # type: ignore[import-untyped]
from tests.clients.sent import (
    COUNT,
    check_events,
    check_fields,
    list_events,
    make_event,
    make_text,
)
from tests.running import RunningService

BATCH = 300
METADATA = {"host": "python-host", "source": "python-source", "sourcetype": "python-type"}


def open_handler(service: RunningService, env: str, index: str | None) -> SplunkHandler:
    _, secret = service.control.tokens.create("splunk-handler", env)
    return SplunkHandler(
        host="127.0.0.1",
        port=service.port,
        token=secret,
        index=index,
        hostname=METADATA["host"],
        source=METADATA["source"],
        sourcetype=METADATA["sourcetype"],
        protocol="http",
        verify=False,
        queue_size=0,
        flush_interval=3600.0,
    )


def send(handler: SplunkHandler, lines: list[str]) -> None:
    """Everything in several requests."""
    logger = logging.getLogger("tests.collector")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    for sequence, line in enumerate(lines):
        logger.info(line)
        if sequence % BATCH == BATCH - 1:
            handler.force_flush()
    logger.removeHandler(handler)
    handler.close()


class ObjectFormatter(logging.Formatter):
    """Gives the handler an object, which it puts into the envelope as it is."""

    def format(self, record: logging.LogRecord) -> Any:
        return {"level": record.levelname, **json.loads(record.getMessage())}


def test_objects_become_events(
    service: RunningService, env: str, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = open_handler(service, env, "Collector.Index")
    handler.setFormatter(ObjectFormatter())
    send(handler, [json.dumps({"message": make_text(n), **make_event(n)}) for n in range(COUNT)])
    assert capsys.readouterr().out == ""
    rows = list_events(service, env)
    check_events(rows, **METADATA, level="INFO", _index="collector-index")


def test_texts_become_messages(
    service: RunningService, env: str, capsys: pytest.CaptureFixture[str]
) -> None:
    send(open_handler(service, env, None), [make_text(sequence) for sequence in range(COUNT)])
    assert capsys.readouterr().out == ""
    rows = list_events(service, env)
    assert sorted(row["message"] for row in rows) == sorted(map(make_text, range(COUNT)))
    for row in rows:
        check_fields(row, {**METADATA, "_index": "default"})

"""Structured logs: one JSON object a line, nothing said by accident, a copy for the self-log."""

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest

from logboom.base.process.log import ROOT, SelfLog, encode_record, start_logging


@pytest.fixture
def _logging_restored() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in (ROOT, "uvicorn")]
    before = [(logger.level, logger.handlers, logger.propagate) for logger in loggers]
    yield
    for logger, state in zip(loggers, before, strict=True):
        logger.level, logger.handlers, logger.propagate = state


def make_record(message: str, **extra: object) -> logging.LogRecord:
    fields = {"name": "logboom.test", "levelname": "INFO", "levelno": logging.INFO}
    return logging.makeLogRecord({**fields, "msg": message, "created": 1_700_000_000.25, **extra})


def test_a_record_is_its_message_and_what_was_passed_on_purpose() -> None:
    line = json.loads(encode_record(make_record("flushed", blocks=3, path="a/b")))
    assert line == {
        "timestamp": "2023-11-14T22:13:20.25Z",
        "level": "info",
        "message": "flushed",
        "logger": "logboom.test",
        "blocks": 3,
        "path": "a/b",
    }


def test_an_exception_is_told_with_its_traceback() -> None:
    with pytest.raises(ValueError, match="nonsense") as caught:
        int("nonsense")
    exc_info = (caught.type, caught.value, caught.tb)
    line = json.loads(encode_record(make_record("failed", exc_info=exc_info)))
    assert line["exception"].startswith("Traceback")
    assert "nonsense" in line["exception"]


def test_values_that_json_does_not_know_are_told_as_text() -> None:
    line = json.loads(encode_record(make_record("x", error=KeyError("k"))))
    assert line["error"] == "'k'"


@pytest.mark.usefixtures("_logging_restored")
def test_logs_go_to_stderr_and_to_the_self_log(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    self_log = SelfLog()
    start_logging("info", self_log)
    log = logging.getLogger("logboom.somewhere")
    log.debug("unheard")
    log.info("heard", extra={"n": 1})
    logging.getLogger("uvicorn.error").info("unheard too")
    (line,) = stderr.getvalue().splitlines()
    assert json.loads(line)["message"] == "heard"
    assert [json.loads(text)["n"] for text in self_log.take_lines()] == [1]
    assert self_log.take_lines() == []


@pytest.mark.usefixtures("_logging_restored")
def test_debug_records_are_not_for_the_self_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    self_log = SelfLog()
    start_logging("debug", self_log)
    logging.getLogger("logboom.somewhere").debug("only for stderr")
    assert self_log.take_lines() == []


@pytest.mark.usefixtures("_logging_restored")
def test_a_record_that_cannot_be_told_does_not_hurt_who_logs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    self_log = SelfLog()
    start_logging("info", self_log)
    log = logging.getLogger("logboom.somewhere")
    log.info("lone surrogate", extra={"path": "\ud800"})
    log.info("next")
    assert [json.loads(text)["message"] for text in self_log.take_lines()] == ["next"]
    assert "Logging error" in stderr.getvalue()


def fill(self_log: SelfLog, *messages: str) -> None:
    for message in messages:
        self_log.emit(make_record(message))


def list_messages(self_log: SelfLog) -> list[str]:
    return [json.loads(line)["message"] for line in self_log.take_lines()]


def test_the_oldest_lines_fall_out_when_nobody_takes_them() -> None:
    self_log = SelfLog(capacity=3)
    fill(self_log, *"abcde")
    assert list_messages(self_log) == ["c", "d", "e"]


@pytest.mark.parametrize(
    ("capacity", "expected"), [(9, "abcde"), (5, "abcde"), (4, "bcde"), (2, "de")]
)
def test_lines_given_back_come_first_again_and_never_push_out_newer_ones(
    capacity: int, expected: str
) -> None:
    self_log = SelfLog(capacity)
    fill(self_log, *"abc")
    lines = self_log.take_lines()
    fill(self_log, *"de")
    self_log.give_back(lines)
    assert list_messages(self_log) == list(expected)

"""`logboom import` and a server that is busy, restarted or cut off: everything arrives, and once."""

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.api.signing_in import make_token
from tests.cli.conftest import Logboom, read_token
from tests.cli.relay import Relay, relayed
from tests.cli.test_remote import answering
from tests.conftest import MakeService
from tests.process.service import Service
from tests.running import RunningService
from tests.waiting import poll_until

from logboom.cli.remote import retries

LINES = 1_000
MANY = 100_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "PAUSES_S", (0.05,) * 400)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path, LINES)


def write_lines(folder: Path, count: int) -> Path:
    path = folder / "lines.log"
    path.write_text("".join(f"number={number} level=info\n" for number in range(count)))
    return path


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Do something in a thread of its own; it is done at the end."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def list_keys(relay: Relay) -> list[bytes]:
    return re.findall(rb"(?i)idempotency-key: (\S+)", b"".join(relay.requests))


@pytest.mark.parametrize("through_pipe", [False, True])
def test_what_was_stored_though_the_answer_was_lost_is_stored_once(
    logboom: Logboom,
    service: RunningService,
    env: str,
    lines: Path,
    monkeypatch: pytest.MonkeyPatch,
    through_pipe: bool,
) -> None:
    answer_bytes = 10
    token = make_token(service, env)
    with relayed(service.port, answer_bytes, answer_bytes) as relay:
        server = ["--url", f"http://127.0.0.1:{relay.port}", "--token", token]
        if through_pipe:
            output, given = os.pipe()
            with beside(lambda: write_all(given, lines)), os.fdopen(output) as file:
                monkeypatch.setattr(sys, "stdin", file)
                outcome = logboom("import", "-", *server)
        else:
            outcome = logboom("import", lines, *server)
        keys = list_keys(relay)
    assert outcome.status == 0
    assert outcome.output.splitlines()[1].split()[1:4] == [str(LINES), "0", "logfmt"]
    assert outcome.errors.count("retrying in 0.05 seconds") == 2
    assert len(keys) == 3
    assert len(set(keys)) == 1
    service.flush()
    assert service.count(env=env) == LINES


def write_all(place: int, path: Path) -> None:
    with os.fdopen(place, "wb") as pipe:
        pipe.write(path.read_bytes())


def test_each_file_has_a_key_of_its_own(
    logboom: Logboom, service: RunningService, env: str, lines: Path
) -> None:
    with relayed(service.port) as relay:
        server = ["--url", f"http://127.0.0.1:{relay.port}", "--token", make_token(service, env)]
        assert logboom("import", lines, lines, *server).status == 0
        assert logboom("import", lines, *server).status == 0
        keys = list_keys(relay)
    assert len(keys) == len(set(keys)) == 3
    service.flush()
    assert service.count(env=env) == 3 * LINES


def test_a_busy_server_is_asked_again_not_before_it_says(
    logboom: Logboom, start_service: MakeService, lines: Path
) -> None:
    service = start_service()
    service.application.is_ready = False
    with relayed(service.port) as relay:

        def recover() -> None:
            poll_until(lambda: b" 503 " in b"".join(relay.answers), "a refusal")
            service.application.is_ready = True

        server = ["--url", f"http://127.0.0.1:{relay.port}", "--token", read_token(service)]
        with beside(recover):
            outcome = logboom("import", lines, *server)
        assert len(set(list_keys(relay))) == 1
    assert outcome.status == 0
    assert "the service is starting, retrying in 1 seconds" in outcome.errors
    service.flush()
    assert service.count() == LINES


@pytest.mark.process
def test_a_server_that_is_killed_midway_gets_every_line_once(
    logboom: Logboom, tmp_path: Path
) -> None:
    path = write_lines(tmp_path, MANY)
    service = Service(tmp_path / "data", tmp_path / "service.log", {})
    try:
        service.start()
        with relayed(service.port) as relay:

            def restart() -> None:
                poll_until(lambda: len(relay.requests) > 10, "a part of the file")
                service.kill9()
                service.start()

            with beside(restart):
                outcome = logboom("import", path, "--url", f"http://127.0.0.1:{relay.port}")
            assert len(set(list_keys(relay))) == 1
        assert outcome.status == 0, outcome.errors
        service.flush()
        answer = service.search("* | stats count() as events, dc(number) as numbers")
        assert answer["rows"] == [{"events": MANY, "numbers": MANY}]
    finally:
        service.close()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retries_have_an_end(
    logboom: Logboom, lines: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(retries, "PAUSES_S", (0.01, 0.02))
    body = b'{"error": {"code": "overloaded", "message": "too much"}}'
    with answering(status, "application/json", body) as url:
        outcome = logboom("import", lines, "--url", url)
    assert (outcome.status, outcome.output) == (1, "")
    assert outcome.errors.splitlines() == [
        "too much, retrying in 0.01 seconds",
        "too much, retrying in 0.02 seconds",
        f"logboom: {lines}: too much",
    ]


def test_what_stays_wrong_is_not_tried_again(logboom: Logboom, lines: Path) -> None:
    body = b'{"error": {"code": "invalid", "message": "no"}}'
    with answering(400, "application/json", body) as url:
        outcome = logboom("import", lines, "--url", url)
    assert outcome.errors == f"logboom: {lines}: no\n"

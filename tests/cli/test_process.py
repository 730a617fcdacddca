"""The command as a process: pipes that close, interruptions, encodings, terminals."""

import os
import pty
import signal
import subprocess

import pytest
from tests.cli.feed import fed
from tests.cli.processes import WITHIN_S, build, make_environment, run, running
from tests.running import RunningService, encode_lines

from logboom import __version__

pytestmark = pytest.mark.process


@pytest.fixture
def where(service: RunningService, env: str) -> list[str]:
    events = ({"message": f"Grüße 世界 {n} " + "x" * 200, "level": "error"} for n in range(2_000))
    service.keep(encode_lines(events), {"env": env})
    return ["--data", str(service.root), "--env", env]


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_reader_that_has_enough_is_no_error(where: list[str], form: str) -> None:
    with running("query", "--limit", "2000", "--format", form, *where) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(WITHIN_S) in (0, 1)


def test_a_reader_that_never_read_is_no_error(where: list[str]) -> None:
    with running("query", "* | stats count", *where) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


def test_a_tail_ends_quietly_when_interrupted(service: RunningService, env: str) -> None:
    with fed(service, env), running("tail", "--data", str(service.root), "--env", env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert " warn " in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(WITHIN_S) == 130
        assert process.stderr.read() == ""


def test_a_tail_ends_when_nobody_reads_it(service: RunningService, env: str) -> None:
    with fed(service, env), running("tail", "--data", str(service.root), "--env", env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert " warn " in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""


def test_a_file_is_utf_8_whatever_the_locale(where: list[str]) -> None:
    outcome = run("query", "--limit", "1", *where, LC_ALL="C", PYTHONIOENCODING="latin-1")
    assert "Grüße 世界" in outcome.stdout.decode()
    assert outcome.stderr == b""


def test_a_file_has_no_escape_codes_and_a_terminal_has(where: list[str]) -> None:
    arguments = ["query", "--limit", "3", *where]
    assert b"\x1b" not in run(*arguments).stdout
    shown = run_in_terminal(arguments)
    assert "\x1b[31m" in shown
    assert "Grüße 世界" in shown


def run_in_terminal(arguments: list[str]) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = make_environment(TERM="xterm", LC_ALL="C.UTF-8")
    with subprocess.Popen(
        build(arguments), stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: read_terminal(ours), b""))
        assert process.wait(WITHIN_S) == 0
    os.close(ours)
    return shown.decode()


def read_terminal(handle: int) -> bytes:
    """Empty at the end, which a terminal tells by an error."""
    try:
        return os.read(handle, 65_536)
    except OSError:
        return b""


def test_the_version_is_printed() -> None:
    assert run("version").stdout.decode() == f"{__version__}\n"
    assert run("--version").stdout.decode() == f"logboom {__version__}\n"

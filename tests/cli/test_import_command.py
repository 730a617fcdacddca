"""`logboom import`: what files become, what is said of them, and what is refused."""

import gzip
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from tests.api.signing_in import make_token
from tests.cli.conftest import Logboom
from tests.cli.processes import WITHIN_S, build, make_environment
from tests.cli.test_remote import NO_SERVER, answering
from tests.running import RunningService

DAY = "2024-05-06"
ROWS = 3
TABLE = "time,level,message\n" + "".join(
    f"{DAY}T07:08:0{number}Z,info,row {number}\n" for number in range(ROWS)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def count(service: RunningService, env: str, query: str = "") -> int:
    service.flush()
    return service.count(query, env=env)


def test_a_file_is_stored_and_summed_up(
    logboom: Logboom, service: RunningService, env: str, server: list[str], table: Path
) -> None:
    outcome = logboom("import", table, "--env", env, "--index", "from-{{level}}", *server)
    assert (outcome.status, outcome.errors) == (0, "")
    header, line = outcome.output.splitlines()
    assert header.split() == ["file", "ingested", "errors", "format", "partitions"]
    assert line.split() == [str(table), "3", "0", "csv", "(100%)", f"from-info/{DAY}"]
    assert count(service, env, "message:'row 2' level:info") == 1


@pytest.mark.parametrize(
    ("suffix", "encode"),
    [(".gz", gzip.compress), (".zst", zstandard.compress), (".log", bytes), (".gz", bytes)],
)
def test_compressed_files_are_known_by_their_content(
    logboom: Logboom,
    env: str,
    server: list[str],
    tmp_path: Path,
    suffix: str,
    encode: Callable[[bytes], bytes],
) -> None:
    path = tmp_path / f"table{suffix}"
    path.write_bytes(encode(TABLE.encode()))
    outcome = logboom("import", path, "--env", env, *server)
    assert outcome.status == 0
    assert outcome.output.splitlines()[1].split()[1:4] == ["3", "0", "csv"]


def test_a_table_in_utf_16_is_read_like_any_other(
    logboom: Logboom, service: RunningService, env: str, server: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(TABLE.replace("\n", "\r\n"), "utf-16")
    outcome = logboom("import", path, "--env", env, *server)
    assert (outcome.status, outcome.errors) == (0, "")
    assert count(service, env, "message:'row 2' level:info") == 1


def test_several_files_are_each_what_they_are(
    logboom: Logboom, service: RunningService, env: str, server: list[str], table: Path
) -> None:
    lines = table.with_name("[red]lines.log")
    lines.write_text("level=warn msg=hello\nlevel=info\n")
    outcome = logboom("import", table, lines, table, "--env", env, "--source", "disk", *server)
    assert outcome.status == 0
    cells = [line.split()[:4] for line in outcome.output.splitlines()[1:]]
    assert cells == [
        [str(table), "3", "0", "csv"],
        [str(lines), "2", "0", "logfmt"],
        [str(table), "3", "0", "csv"],
    ]
    assert count(service, env, "source:disk") == 2 + 2 * ROWS


def test_standard_input_is_read(
    logboom: Logboom,
    service: RunningService,
    env: str,
    server: list[str],
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with table.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        outcome = logboom("import", "-", "--env", env, *server)
        assert not file.closed
    assert outcome.output.splitlines()[1].split()[:4] == ["-", "3", "0", "csv"]
    assert count(service, env) == ROWS


def test_options_say_how_a_file_is_read(
    logboom: Logboom, service: RunningService, env: str, server: list[str], table: Path
) -> None:
    options = ["--format", "grok", "--grok", r"(?P<first>\w+),(?P<second>\w+)", "--env", env]
    outcome = logboom("import", table, *options, "--multiline", "^time", *server)
    assert outcome.output.splitlines()[1].split()[1:4] == ["1", "0", "grok"]
    assert count(service, env, "first:time second:level") == 1


def test_folded_events_have_so_many_lines_at_most(
    logboom: Logboom, service: RunningService, env: str, server: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace.log"
    path.write_text("begin\n one\n two\n three\n")
    options = ["--format", "text", "--multiline", "^begin", "--env", env]
    outcome = logboom("import", path, *options, "--max-lines", "2", *server)
    assert outcome.output.splitlines()[1].split()[1:4] == ["2", "0", "text"]
    outcome = logboom("import", path, "--max-lines", "2", *server)
    assert outcome.errors == "logboom: --max-lines is 2 without --multiline, expected both\n"


def test_lines_that_are_not_of_the_format_are_told_of(
    logboom: Logboom, service: RunningService, env: str, server: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "mixed.log"
    path.write_text("a=1\nno pair\n")
    outcome = logboom("import", path, "--format", "logfmt", "--env", env, *server)
    assert outcome.status == 0
    assert outcome.output.splitlines()[1].split()[1:4] == ["1", "1", "logfmt"]
    assert outcome.errors.startswith("1 lines did not match the format")
    assert count(service, env) == 2


def test_a_token_knows_its_environment(
    logboom: Logboom, service: RunningService, env: str, table: Path
) -> None:
    url = f"http://127.0.0.1:{service.port}"
    assert logboom("import", table, "--url", url, "--token", make_token(service, env)).status == 0
    assert count(service, env) == ROWS
    outcome = logboom("import", table, "--url", url, "--token", "wrong")
    assert (outcome.status, outcome.output) == (1, "")
    assert outcome.errors.startswith(f"logboom: {table}: ")
    assert "--token" in outcome.errors


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_nothing_is_sent_unless_every_file_can_be_read(
    logboom: Logboom,
    service: RunningService,
    env: str,
    server: list[str],
    table: Path,
    name: str,
) -> None:
    bad = table.parent / name
    outcome = logboom("import", table, bad, "--env", env, *server)
    assert (outcome.status, outcome.output) == (1, "")
    assert outcome.errors == f"logboom: cannot read {str(bad)!r}, expected a file\n"
    assert count(service, env) == 0


def test_what_was_stored_before_a_failure_is_told(
    logboom: Logboom, service: RunningService, env: str, server: list[str], table: Path
) -> None:
    torn = table.with_name("torn.gz")
    torn.write_bytes(gzip.compress(TABLE.encode())[:-3])
    outcome = logboom("import", table, torn, table, "--env", env, *server)
    assert outcome.status == 1
    assert [line.split()[0] for line in outcome.output.splitlines()] == ["file", str(table)]
    assert outcome.errors == f"logboom: {torn}: the gzip body is truncated\n"
    assert count(service, env) == ROWS


@pytest.mark.parametrize(
    ("head", "kind"), [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\x00\x00", "xz"), (b"PK\x03\x04..", "zip")]
)
def test_other_archives_are_refused(
    logboom: Logboom, server: list[str], tmp_path: Path, head: bytes, kind: str
) -> None:
    path = tmp_path / "archive"
    path.write_bytes(head)
    outcome = logboom("import", path, *server)
    assert outcome.status == 1
    assert f"compressed with {kind}, expected gzip, zstd or plain text" in outcome.errors


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "xml"], "unknown format 'xml'"),
        (["--multiline", "a(b"], "a(b"),
        (["--env", "nowhere"], "nowhere"),
        (["--index", "_self"], "_self"),
    ],
)
def test_what_the_server_refuses_is_said(
    logboom: Logboom, server: list[str], tmp_path: Path, options: list[str], said: str
) -> None:
    path = tmp_path / "large.log"
    path.write_bytes(b"x" * 5_000_000)
    outcome = logboom("import", path, *options, *server)
    assert (outcome.status, outcome.output) == (1, "")
    assert said in outcome.errors
    assert len(outcome.errors.splitlines()) == 1


def test_no_server_is_said(logboom: Logboom, table: Path) -> None:
    outcome = logboom("import", table, "--url", "http://127.0.0.1:9")
    assert outcome.status == 1
    assert "no answer from http://127.0.0.1:9" in outcome.errors


@pytest.mark.parametrize("body", [b"<p>hello", b"[]", b'{"ingested": 1}'])
def test_another_server_is_told_from_ours(logboom: Logboom, table: Path, body: bytes) -> None:
    with answering(200, "application/json", body) as url:
        outcome = logboom("import", table, "--url", url)
    assert outcome.status == 1
    assert NO_SERVER in outcome.errors


def test_no_file_is_a_wrong_use(logboom: Logboom) -> None:
    assert logboom("import").status == 2


def test_a_terminal_shows_how_far_it_is(env: str, server: list[str], table: Path) -> None:
    ours, theirs = pty.openpty()
    environment = make_environment(TERM="xterm", LC_ALL="C.UTF-8")
    arguments = build(["import", table.name, "--env", env, *server])
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=theirs, env=environment, cwd=table.parent
    ) as process:
        os.close(theirs)
        output, _ = process.communicate(timeout=WITHIN_S)
        shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert process.returncode == 0
    assert b"\x1b" not in output
    assert "table.csv" in shown
    assert "bytes" in shown

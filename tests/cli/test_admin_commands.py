"""`logboom user|token|key|env|source` and `logboom login`, on a server."""

import io
import json
import os
import pty
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Logboom, Outcome, read_token
from tests.cli.processes import WITHIN_S, build, make_environment
from tests.running import CREDENTIALS, RunningService

from logboom.cli.table import GROUPS

PASSWORD = "correct horse battery"
READ_BYTES = 4096

Typed = Callable[[str], None]
Run = Callable[..., Outcome]


@pytest.fixture
def name() -> str:
    """A name that nobody else uses."""
    return f"n{uuid.uuid4().hex[:12]}"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Gives the next commands a standard input."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.fixture
def run(logboom: Logboom, server: list[str]) -> Run:
    """Calls a command on the shared server as its admin."""
    return lambda *arguments: logboom(*arguments, *server)


@pytest.fixture
def url(service: RunningService) -> list[str]:
    return ["--url", f"http://127.0.0.1:{service.port}"]


def read_row(outcome: Outcome) -> dict[str, object]:
    """The one row of a command that printed JSON."""
    assert outcome.status == 0, outcome.errors
    row: dict[str, object] = json.loads(outcome.output)
    return row


def find_row(run: Run, group: str, name: str) -> dict[str, object] | None:
    outcome = run(group, "list", "--format", "json")
    assert outcome.status == 0, outcome.errors
    rows: list[dict[str, object]] = [json.loads(line) for line in outcome.output.splitlines()]
    return next((row for row in rows if name in (row.get("name"), row.get("username"))), None)


def make_user(run: Run, typed: Typed, name: str, *options: str) -> dict[str, object]:
    typed(f"{PASSWORD}\n")
    return read_row(run("user", "create", name, "--password-stdin", "--format", "json", *options))


@pytest.mark.parametrize("group", ["user", "token", "key", "env"])
def test_every_collection_has_the_same_commands(group: str) -> None:
    assert list(GROUPS[group][1]) == ["list", "create", "update", "delete"]


def test_every_command_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    commands = [f"logboom {group} {each}" for group in GROUPS for each in GROUPS[group][1]]
    assert [command for command in commands if f"`{command}`" not in page] == []


def test_a_user_is_made_and_listed(run: Run, typed: Typed, name: str) -> None:
    options = ["--role", "editor", "--env", "a", "--env", "b*", "--saml-identity", f"{name}@x"]
    made = make_user(run, typed, name, *options)
    assert made == {
        "id": made["id"],
        "username": name,
        "role": "editor",
        "envs": ["a", "b*"],
        "indexes": ["*"],
        "enabled": True,
        "saml_identity": f"{name}@x",
        "has_password": True,
    }
    (line,) = [each for each in run("user", "list").output.splitlines() if name in each]
    assert line.split() == [name, "editor", "a,", "b*", "*", "true", made["id"]]


def test_a_new_user_is_a_viewer_who_can_sign_in_and_search(
    logboom: Logboom, run: Run, typed: Typed, url: list[str], name: str
) -> None:
    assert make_user(run, typed, name)["role"] == "viewer"
    typed(f"{PASSWORD}\n")
    login = logboom("login", "--username", name, "--password-stdin", *url)
    assert (login.status, login.errors) == (0, "")
    session = [*url, "--token", login.output.strip()]
    assert logboom("query", "*", *session).status == 0
    refused = logboom("user", "list", *session)
    assert refused.status == 1
    assert refused.output == ""


def test_a_user_is_changed(
    logboom: Logboom, run: Run, typed: Typed, url: list[str], name: str
) -> None:
    made = make_user(run, typed, name)
    typed("another long password\n")
    changed = read_row(
        run("user", "update", name, "--role", "admin", "--password-stdin", "--format", "json")
    )
    assert changed == {**made, "role": "admin"}
    for password, status in ((PASSWORD, 1), ("another long password", 0)):
        typed(password)
        assert logboom("login", "--username", name, "--password-stdin", *url).status == status
    gone = ["--disable", "--rename", f"{name}-gone", "--saml-identity", f"{name}-x"]
    run("user", "update", made["id"], *gone)
    assert find_row(run, "user", f"{name}-gone") == {
        **changed,
        "username": f"{name}-gone",
        "enabled": False,
        "saml_identity": f"{name}-x",
    }


def test_a_user_without_a_password_needs_single_sign_on(run: Run, name: str) -> None:
    outcome = run("user", "create", name, "--no-password")
    assert outcome.status == 1
    assert "expected one while single sign-on is off" in outcome.errors


@pytest.mark.parametrize("group", ["user", "token", "key", "env", "source"])
def test_a_change_needs_an_option(run: Run, group: str) -> None:
    outcome = run(group, "update", "default")
    assert outcome.status == 1
    assert "to change for 'default', expected" in outcome.errors


@pytest.mark.parametrize(("answer", "is_left"), [("y\n", False), ("n\n", True), ("", True)])
def test_deleting_asks(run: Run, typed: Typed, name: str, answer: str, is_left: bool) -> None:
    make_user(run, typed, name)
    typed(answer)
    outcome = run("user", "delete", name)
    assert outcome.status == int(is_left)
    assert f"Delete the user '{name}'?" in outcome.errors
    assert outcome.output.strip() == ""
    assert (find_row(run, "user", name) is not None) == is_left


def test_the_last_admin_stays(
    logboom: Logboom, start_service: Callable[[], RunningService]
) -> None:
    service = start_service()
    address = ["--url", f"http://127.0.0.1:{service.port}", "--token", read_token(service)]
    outcome = logboom("user", "update", CREDENTIALS["username"], "--role", "viewer", *address)
    assert outcome.status == 1
    assert "admin" in outcome.errors


def test_a_wrong_password_is_said_without_a_word_on_tokens(
    logboom: Logboom, typed: Typed, url: list[str], name: str
) -> None:
    typed("not the password\n")
    outcome = logboom("login", "--username", name, "--password-stdin", *url)
    assert (outcome.status, outcome.output) == (1, "")
    assert outcome.errors == "logboom: wrong user name or password\n"


@pytest.mark.parametrize(
    "command", [["user", "create", "x"], ["user", "update", "x", "--password"]]
)
def test_without_a_terminal_a_password_needs_its_option(
    run: Run, typed: Typed, command: list[str]
) -> None:
    typed(f"{PASSWORD}\n{PASSWORD}\n")
    outcome = run(*command)
    assert outcome.status == 1
    assert "expected --password-stdin" in outcome.errors


def test_a_password_is_no_argument(run: Run, name: str) -> None:
    assert run("user", "create", name, "--password", PASSWORD).status == 2


def run_in_terminal(arguments: list[str], *lines: str) -> tuple[int, str, str]:
    """The status and the output of a command, and what its terminal showed, with lines typed there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        build(arguments),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=make_environment(TERM="dumb"),
        start_new_session=True,
        text=True,
    ) as process:
        os.close(theirs)
        try:
            shown = "".join(answer(ours, line) for line in lines)
            output, _ = process.communicate(timeout=WITHIN_S)
            shown += os.read(ours, READ_BYTES).decode()
        finally:
            process.kill()
            os.close(ours)
    return process.returncode, output, shown


def answer(terminal: int, line: str) -> str:
    """Type a line once it is asked for; what was shown until then."""
    shown = b""
    # The blank comes when the echo is off, and what was typed before that is thrown away.
    while not shown.endswith(b": "):
        shown += os.read(terminal, READ_BYTES)
    os.write(terminal, f"{line}\n".encode())
    return shown.decode()


@pytest.mark.process
def test_a_terminal_is_asked_for_the_password_and_does_not_show_it(
    service: RunningService, url: list[str]
) -> None:
    arguments = ["login", "--username", CREDENTIALS["username"], *url]
    status, output, shown = run_in_terminal(arguments, CREDENTIALS["password"])
    assert status == 0
    assert service.control.authenticate(output.strip()).name == CREDENTIALS["username"]
    assert CREDENTIALS["password"] not in shown


@pytest.mark.process
def test_a_new_password_is_asked_twice(server: list[str], name: str) -> None:
    status, output, shown = run_in_terminal(["user", "create", name, *server], PASSWORD, PASSWORD)
    assert status == 0
    assert name in output
    assert PASSWORD not in shown


def test_a_token_is_printed_once_and_alone(
    run: Run, service: RunningService, env: str, name: str
) -> None:
    outcome = run("token", "create", name, "--env", env, "--index", "app-*")
    assert outcome.status == 0
    assert "not shown again" in outcome.errors
    (secret,) = outcome.output.splitlines()
    headers = {"Authorization": f"Bearer {secret}"}
    answer = service.ingest(b'{"message": "x"}', {"index": "app-1"}, headers)
    assert answer.json()["ingested"] == 1
    service.flush()
    assert service.count(env=env) == 1
    listed = find_row(run, "token", name)
    assert listed is not None
    assert (listed["env"], listed["indexes"], listed["enabled"]) == (env, ["app-*"], True)
    assert secret not in run("token", "list", "--format", "json").output


def test_a_disabled_token_does_not_count(run: Run, service: RunningService, name: str) -> None:
    secret = str(read_row(run("token", "create", name, "--format", "json"))["token"])
    run("token", "update", name, "--disable")
    headers = {"Authorization": f"Bearer {secret}"}
    assert service.ingest(b"{}", headers=headers).status_code == 401
    run("token", "update", name, "--enable")
    assert service.ingest(b"{}", headers=headers).status_code == 200
    assert run("token", "delete", name, "--yes").status == 0
    assert find_row(run, "token", name) is None


def test_a_key_has_the_scopes_it_was_given(
    logboom: Logboom, run: Run, url: list[str], name: str
) -> None:
    made = read_row(run("key", "create", name, "--scope", "search", "--format", "json"))
    key = [*url, "--token", str(made["key"])]
    assert logboom("query", "*", *key).status == 0
    assert logboom("key", "list", *key).status == 1
    run("key", "update", name, "--scope", "search", "--scope", "admin")
    assert logboom("key", "list", *key).status == 0
    changed = read_row(run("key", "update", name, "--env", "a*", "--format", "json"))
    assert (sorted(made["scopes"]), changed["envs"]) == (["search"], ["a*"])  # type: ignore[call-overload]
    assert run("key", "delete", name, "--yes").status == 0
    assert logboom("query", "*", *key).status == 1


def test_names_that_several_have_need_an_id(run: Run, name: str) -> None:
    first, _ = (
        read_row(run("key", "create", name, "--scope", "search", "--format", "json"))
        for _ in range(2)
    )
    outcome = run("key", "delete", name, "--yes")
    assert outcome.status == 1
    assert outcome.errors == f"logboom: 2 keys are named '{name}', expected an id\n"
    assert run("key", "delete", first["id"], "--yes").status == 0
    assert run("key", "delete", name, "--yes").status == 0


@pytest.mark.parametrize("group", ["user", "token", "key", "env", "source"])
def test_what_is_not_there_cannot_be_deleted(run: Run, name: str, group: str) -> None:
    outcome = run(group, "delete", name)
    assert outcome.status == 1
    assert f" '{name}', expected a listed name or id" in outcome.errors


def test_an_environment_is_made_and_changed(run: Run, name: str) -> None:
    made = run("env", "create", name, "--retention-days", "30")
    assert made.output.splitlines()[-1].split() == [name, "30"]
    changed = run("env", "update", name, "--retention-days", "7", "--format", "json")
    assert read_row(changed)["retention_days"] == 7
    changed = run("env", "update", name, "--retention-bytes", "5000", "--format", "json")
    assert (read_row(changed)["retention_days"], read_row(changed)["retention_bytes"]) == (7, 5000)
    changed = run("env", "update", name, "--general-retention", "--format", "json")
    assert (read_row(changed)["retention_days"], read_row(changed)["retention_bytes"]) == (
        None,
        None,
    )


def test_an_environment_is_deleted_by_typing_its_name(
    run: Run, typed: Typed, service: RunningService, env: str
) -> None:
    service.keep(b'{"message": "x"}', {"env": env})
    typed("something else\n")
    outcome = run("env", "delete", env)
    assert outcome.status == 1
    assert f"'something else' is not the environment's name, expected '{env}'" in outcome.errors
    assert find_row(run, "env", env) is not None
    typed(f"{env}\n")
    assert run("env", "delete", env).status == 0
    assert find_row(run, "env", env) is None


def test_an_environment_is_deleted_without_a_question(run: Run, env: str) -> None:
    assert run("env", "delete", env, "--confirm", "other").status == 1
    assert run("env", "delete", env, "--confirm", env).status == 0
    assert find_row(run, "env", env) is None


@pytest.mark.parametrize("group", ["user", "token", "key", "env"])
def test_without_a_token_the_way_to_give_one_is_said(
    logboom: Logboom, url: list[str], group: str
) -> None:
    outcome = logboom(group, "list", *url)
    assert (outcome.status, outcome.output) == (1, "")
    assert "give a token with --token or LOGBOOM_TOKEN" in outcome.errors


def test_a_source_is_made_read_shown_and_read_again(
    run: Run, service: RunningService, env: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / "app.log").write_text("first\nsecond\n")
    options = ("--env", env, "--index", "app", "--read-as", "text", "--disable", "--format", "json")
    made = read_row(run("source", "create", name, f"{tmp_path}/*.log", *options))
    assert (made["environment"], made["index"], made["enabled"]) == (env, "app", False)
    outcome = run("source", "run", name)
    assert outcome.status == 0, outcome.errors
    header, row = (line.split() for line in outcome.output.splitlines())
    assert header == [
        "name",
        "path",
        "enabled",
        *("last_run", "last_status", "total_ingested", "id"),
    ]
    assert row[:3] + row[4:] == [name, f"{tmp_path}/*.log", "false", "ok", "2", made["id"]]
    shown = run("source", "show", name).output.splitlines()
    assert ["index", "app"] in [line.split() for line in shown]
    assert shown[-1].split()[:2] == [str(tmp_path / "app.log"), "13"]
    run("source", "reset", name)
    run("source", "run", name)
    service.flush()
    assert service.count(env=env) == 4
    assert run("source", "delete", name, "--yes").status == 0
    assert find_row(run, "source", name) is None


def test_a_source_is_changed(run: Run, name: str, tmp_path: Path) -> None:
    fold = ("--multiline", "^x", "--max-lines", "9")
    made = read_row(run("source", "create", name, tmp_path / "*", *fold, "--format", "json"))
    assert made["multiline"] == {"pattern": "^x", "max_lines": 9}
    options = ("--exclude", "*.gz", "--exclude", "*.zst", "--interval", "60", "--multiline", "")
    changed = read_row(run("source", "update", name, *options, "--format", "json"))
    assert changed == made | {
        "exclude": ["*.gz", "*.zst"],
        "poll_interval_secs": 60,
        "multiline": None,
    }
    assert (
        "without --multiline, expected both"
        in run("source", "update", name, "--max-lines", "3").errors
    )
    assert "unknown format 'xml'" in run("source", "update", name, "--read-as", "xml").errors
    assert run("source", "delete", name, "--yes").status == 0

"""`logboom query`, on a server and on its data directory."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Logboom
from tests.ports import choose_port
from tests.running import RunningService, encode_lines

from logboom.cli.remote import server as remote

EVENTS = [
    {"timestamp": 1_700_000_000, "level": "info", "service": "shop", "message": "order placed"},
    {"timestamp": 1_700_000_060, "level": "error", "service": "pay", "message": "card declined"},
    {"timestamp": 1_700_000_120, "level": "error", "service": "pay", "message": "time out", "n": 1},
]


@pytest.fixture
def where(service: RunningService, env: str, place: list[str]) -> list[str]:
    """Options that find exactly EVENTS."""
    service.keep(encode_lines(EVENTS), {"env": env})
    return [*place, "--env", env]


def test_events_are_shown_newest_first(logboom: Logboom, where: list[str]) -> None:
    assert logboom("query", "level:error", *where).output.splitlines() == [
        "_time                 level  service  message        fields",
        "2023-11-14T22:15:20Z  error  pay      time out       n=1",
        "2023-11-14T22:14:20Z  error  pay      card declined",
    ]


def test_tables_have_the_columns_of_the_query(logboom: Logboom, where: list[str]) -> None:
    assert logboom("query", "* | stats count by service", *where) == (
        0,
        "service  count\npay      2\nshop     1\n",
        "",
    )


def test_json_is_one_row_a_line(logboom: Logboom, where: list[str]) -> None:
    outcome = logboom("query", "n:1 | fields _time, n, level", "--format", "json", *where)
    assert [json.loads(line) for line in outcome.output.splitlines()] == [
        {"_time": "2023-11-14T22:15:20Z", "n": 1, "level": "error"}
    ]


def test_csv_has_every_column(logboom: Logboom, where: list[str]) -> None:
    outcome = logboom("query", "", "--format", "csv", *where)
    rows = list(csv.DictReader(io.StringIO(outcome.output)))
    assert [row["message"] for row in rows] == ["time out", "card declined", "order placed"]
    assert [row["n"] for row in rows] == ["1", "", ""]
    assert all(row["_id"] for row in rows)


def test_times_bound_the_search(logboom: Logboom, where: list[str]) -> None:
    bounds = ["--from", "2023-11-14T22:14:20Z", "--to", "1700000120"]
    outcome = logboom("query", "* | fields message", *bounds, *where)
    assert outcome.output == "message\ncard declined\n"
    relative = logboom("query", "", "--from", "-1h", *where)
    assert relative.output == ""
    assert "3 events match outside the time range" in relative.errors


def test_index_and_limit_choose(
    logboom: Logboom, service: RunningService, where: list[str], env: str
) -> None:
    service.keep(encode_lines([{"message": "elsewhere"}]), {"env": env, "index": "Other-1"})
    outcome = logboom("query", "* | fields message", "--index", "OTHER-*", *where)
    assert outcome.output == "message\nelsewhere\n"
    assert logboom("query", "--limit", "2", "--format", "json", *where).output.count("\n") == 2


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_nothing_found_is_said_beside_the_output(
    logboom: Logboom, where: list[str], form: str
) -> None:
    outcome = logboom("query", "sevice:pay", "--format", form, *where)
    assert (outcome.status, outcome.output) == (0, "")
    assert outcome.errors.splitlines() == [
        "unknown_field: no event has a field sevice, did you mean service?",
        "nothing found",
    ]


def test_warnings_go_to_standard_error(logboom: Logboom, where: list[str]) -> None:
    outcome = logboom("query", "* | stats sum(message)", *where)
    assert outcome.status == 0
    assert "not_numeric: 3 values of message are not numbers" in outcome.errors
    assert "not_numeric" not in outcome.output


def test_a_bad_query_is_corrected(logboom: Logboom, where: list[str]) -> None:
    outcome = logboom("query", "level:error | stast count", *where)
    assert (outcome.status, outcome.output) == (1, "")
    first, second = outcome.errors.splitlines()
    assert first.startswith("logboom: col 15: ")
    assert second == "try: level:error | stats count"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--from", "soon"], "soon"),
        (["--timezone", "Mars/Base"], "Mars/Base"),
        (["--index", " , "], "index"),
    ],
)
def test_a_bad_option_is_named(
    logboom: Logboom, where: list[str], options: list[str], named: str
) -> None:
    outcome = logboom("query", "", *options, *where)
    assert outcome.status == 1
    assert named in outcome.errors
    assert "Traceback" not in outcome.errors


def test_an_environment_without_events_is_said(logboom: Logboom, service: RunningService) -> None:
    outcome = logboom("query", "--env", "nowhere", "--data", service.root)
    assert "there are no events yet in the environment" in outcome.errors


def test_more_events_than_a_page_are_all_shown(
    logboom: Logboom,
    service: RunningService,
    env: str,
    place: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "PAGE_ROWS", 4_000)
    numbers = range(10_500)
    service.keep(
        encode_lines({"timestamp": 1_700_000_000 + n, "n": n} for n in numbers), {"env": env}
    )
    options = ["--limit", "10200", "--format", "json", "--env", env, *place]
    outcome = logboom("query", "* | fields n", *options)
    found = [json.loads(line)["n"] for line in outcome.output.splitlines()]
    assert found == list(reversed(numbers))[:10_200]


def test_sorted_events_of_a_directory_are_not_cut_below_the_limit(
    logboom: Logboom, service: RunningService, env: str
) -> None:
    service.keep(encode_lines({"n": n} for n in range(10_500)), {"env": env})
    options = ["--limit", "10200", "--format", "json", "--env", env, "--data", service.root]
    outcome = logboom("query", "* | sort n | fields n", *options)
    assert [json.loads(line)["n"] for line in outcome.output.splitlines()] == list(range(10_200))


def test_server_and_token_come_from_the_environment(
    logboom: Logboom,
    service: RunningService,
    env: str,
    server: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service.keep(encode_lines(EVENTS), {"env": env})
    monkeypatch.setenv("LOGBOOM_URL", server[1] + "/")
    monkeypatch.setenv("LOGBOOM_TOKEN", server[3])
    assert logboom("query", "* | stats count", "--env", env).output == "count\n3\n"


@pytest.mark.parametrize("token", ["", "wrong"])
@pytest.mark.parametrize("command", ["query", "tail"])
def test_a_wrong_token_is_said(
    logboom: Logboom, server: list[str], command: str, token: str
) -> None:
    outcome = logboom(command, *server[:2], "--token", token)
    assert outcome.status == 1
    assert "; give a token with --token or LOGBOOM_TOKEN" in outcome.errors


@pytest.mark.parametrize("command", ["query", "tail"])
def test_a_server_that_is_not_there_is_said(logboom: Logboom, command: str) -> None:
    url = f"http://127.0.0.1:{choose_port()}"
    outcome = logboom(command, "--url", url)
    assert outcome.status == 1
    assert outcome.errors.startswith(f"logboom: no answer from {url}: ")


@pytest.mark.parametrize(
    "url", ["127.0.0.1:7300", "ftp://127.0.0.1", "http://", "http://host:port", ""]
)
def test_an_address_that_is_none_is_said(logboom: Logboom, url: str) -> None:
    outcome = logboom("query", "--url", url)
    assert outcome.status == 1
    assert outcome.errors.endswith("expected an address such as http://127.0.0.1:7300\n")


def test_a_token_that_can_be_none_is_not_shown(logboom: Logboom, server: list[str]) -> None:
    outcome = logboom("query", *server[:2], "--token", "se\ncret\u00e9")
    assert outcome.status == 1
    assert "the token contains invalid characters" in outcome.errors
    assert "cret" not in outcome.errors


@pytest.mark.parametrize("command", ["query", "tail"])
def test_what_is_no_store_is_said(logboom: Logboom, tmp_path: Path, command: str) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for path in (tmp_path, file, tmp_path / "missing", file / "below"):
        outcome = logboom(command, "--data", path)
        assert outcome.status == 1
        assert outcome.errors == f"logboom: no store at {path}\n"
    assert sorted(tmp_path.iterdir()) == [file]

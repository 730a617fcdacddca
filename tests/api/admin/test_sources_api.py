"""Pull sources over HTTP: made, seen, changed, run, reset and deleted; and looking around on the node."""

import gzip
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, open_session
from tests.logged import list_said_by
from tests.running import RunningService

from logboom.api.admin.sources import MOST_FILES, describe_status
from logboom.control.access.users import Role
from logboom.control.saved.sources import FileStatus, SourceStatus
from logboom.formats import FORMATS
from logboom.formats.grok.presets import PRESETS

MakeService = Callable[..., RunningService]

PATH = "/api/sources"
IDLE: dict[str, Any] = {
    "last_run": None,
    "last_status": None,
    "last_error": None,
    "total_ingested": 0,
    "current_file": None,
    "files": [],
    "files_total": 0,
}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A directory of files to read."""
    directory = tmp_path / "logs"
    directory.mkdir()
    return directory


def make(service: RunningService, logs: Path, **members: Any) -> dict[str, Any]:
    body = {"name": "web", "path": f"{logs}/*.log", **members}
    answer = service.client.post(PATH, json=body)
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content


def act(service: RunningService, source: dict[str, Any], action: str) -> dict[str, Any]:
    answer = service.client.post(f"{PATH}/{source['id']}/{action}")
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_what_a_source_may_be_read_as_is_told(service: RunningService) -> None:
    told = service.client.get(f"{PATH}/formats").json()
    assert told == {"formats": list(FORMATS), "grok_presets": list(PRESETS)}


def read_messages(service: RunningService, env: str) -> list[str]:
    service.flush()
    return sorted(row["message"] for row in service.search(env=env, limit=1000)["rows"])


def test_a_source_is_made_seen_changed_and_deleted(
    service: RunningService, env: str, logs: Path
) -> None:
    made = make(service, logs)
    assert made == {
        "id": made["id"],
        "name": "web",
        "environment": "default",
        "index": "default",
        "path": f"{logs}/*.log",
        "exclude": [],
        "format": "auto",
        "compression": "auto",
        "multiline": None,
        "grok": "",
        "poll_interval_secs": 10,
        "source": "",
        "enabled": True,
        "status": IDLE,
    }
    place = f"{PATH}/{made['id']}"
    assert service.client.get(place).json() == made
    assert made in service.client.get(PATH).json()
    changes = {
        "name": "other",
        "environment": env,
        "index": "app-{{service}}",
        "exclude": ["*.gz"],
        "format": "grok",
        "grok": "%{WORD:verb} %{INT:size:int}",
        "multiline": {"pattern": "^x", "max_lines": 7},
        "compression": "gzip",
        "poll_interval_secs": 5,
        "source": "files",
        "enabled": False,
    }
    changed = service.client.patch(place, json=changes)
    assert changed.json() == made | changes
    assert service.client.patch(place, json={"multiline": None}).json()["multiline"] is None
    deleted = service.client.delete(place)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for gone in (
        service.client.get(place),
        service.client.patch(place, json={}),
        service.client.delete(place),
        service.client.post(f"{place}/run"),
        service.client.post(f"{place}/reset"),
    ):
        assert gone.status_code == 404


UNFIT: dict[str, dict[str, Any]] = {
    "unknown member": {"unknown": 1},
    "another type": {"name": 7},
    "no name": {"name": ""},
    "unknown environment": {"environment": "nowhere"},
    "reserved environment": {"environment": "_system"},
    "reserved index": {"index": "_self"},
    "unknown format": {"format": "xml"},
    "grok without pattern": {"format": "grok"},
    "unknown preset": {"format": "grok", "grok": "nginxx"},
    "fold of rows": {"format": "csv", "multiline": {"pattern": "x"}},
    "empty fold": {"multiline": {"pattern": ""}},
    "no lines": {"multiline": {"pattern": "x", "max_lines": 0}},
    "unknown compression": {"compression": "lzma"},
    "short interval": {"poll_interval_secs": 4},
    "relative path": {"path": "logs/*.log"},
    "path upwards": {"path": "/var/../etc/*"},
    "bad glob": {"path": "/var/log/[z-a].log"},
    "bad exclude": {"exclude": ["[z-a]"]},
    "generation": {"generation": 1},
    "status": {"status": {}},
}


@pytest.mark.parametrize("bad", UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_a_400_and_changes_nothing(
    service: RunningService, logs: Path, bad: dict[str, Any]
) -> None:
    made = make(service, logs)
    before = service.client.get(PATH).json()
    body = {"name": "web", "path": f"{logs}/*.log", **bad}
    assert service.client.post(PATH, json=body).status_code == 400
    assert service.client.patch(f"{PATH}/{made['id']}", json=bad).status_code == 400
    assert service.client.get(PATH).json() == before


RESERVED: dict[str, dict[str, str]] = {
    "bucket": {"type": "s3"},
    "watch": {"mode": "watch"},
    "event": {"mode": "event"},
    "address": {"path": "s3://bucket/logs/*.log"},
}


@pytest.mark.parametrize("reserved", RESERVED.values(), ids=RESERVED)
def test_what_is_reserved_for_later_says_so(
    service: RunningService, logs: Path, reserved: dict[str, str]
) -> None:
    body = {"name": "web", "path": f"{logs}/*.log", **reserved}
    made = make(service, logs, type="file", mode="poll")
    for answer in (
        service.client.post(PATH, json=body),
        service.client.patch(f"{PATH}/{made['id']}", json=reserved),
    ):
        assert answer.status_code == 400
        assert "not available yet" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("members", "position"),
    [
        ({"multiline": {"pattern": "ab(c"}}, 2),
        ({"multiline": {"pattern": r"^\d+ [z-a]"}}, 6),
        ({"format": "grok", "grok": "%{IP:client} %{NOPE:x}"}, 13),
    ],
)
def test_a_bad_pattern_is_a_400_with_its_position(
    service: RunningService, logs: Path, members: dict[str, Any], position: int
) -> None:
    body = {"name": "web", "path": f"{logs}/*.log", **members}
    answer = service.client.post(PATH, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["position"] == position


def test_the_services_own_files_are_no_source(service: RunningService, logs: Path) -> None:
    made = make(service, logs)
    (logs / "way").symlink_to(service.root)
    for path in (f"{service.root}/**", f"{logs}/way/*", "/proc/self/environ", "/dev/*"):
        answers = (
            service.client.post(PATH, json={"name": "web", "path": path}),
            service.client.patch(f"{PATH}/{made['id']}", json={"path": path}),
        )
        assert [answer.status_code for answer in answers] == [403, 403]


def test_a_run_reads_what_is_there_before_it_answers(
    service: RunningService, env: str, logs: Path
) -> None:
    (logs / "one.log").write_text("first\nsecond\n")
    (logs / "two.log").write_bytes(gzip.compress(b"third\n"))
    (logs / "other.txt").write_text("not meant\n")
    source = make(service, logs, environment=env, format="text", enabled=False)
    status = act(service, source, "run")["status"]
    assert status["last_run"] is not None
    assert (status["last_status"], status["last_error"]) == ("ok", None)
    assert (status["total_ingested"], status["current_file"], status["files_total"]) == (3, None, 2)
    assert {(each["path"], each["bytes"]) for each in status["files"]} == {
        (str(logs / "one.log"), 13),
        (str(logs / "two.log"), 6),
    }
    assert read_messages(service, env) == ["first", "second", "third"]
    with (logs / "one.log").open("a") as file:
        file.write("fourth\n")
    assert act(service, source, "run")["status"]["total_ingested"] == 4
    assert read_messages(service, env) == ["first", "fourth", "second", "third"]


def test_names_that_are_no_text_are_shown_with_escapes(
    service: RunningService, env: str, logs: Path
) -> None:
    (logs / os.fsdecode(b"caf\xe9.log")).write_text("first\n")
    source = make(service, logs, environment=env, format="text")
    (shown,) = act(service, source, "run")["status"]["files"]
    assert shown["path"] == f"{logs}/caf\\xe9.log"
    assert read_messages(service, env) == ["first"]


def test_after_a_reset_the_next_run_takes_all_in_again(
    service: RunningService, env: str, logs: Path
) -> None:
    (logs / "one.log").write_text("first\n")
    source = make(service, logs, environment=env, format="text")
    act(service, source, "run")
    act(service, source, "run")
    assert read_messages(service, env) == ["first"]
    act(service, source, "reset")
    assert read_messages(service, env) == ["first"]
    act(service, source, "run")
    assert read_messages(service, env) == ["first", "first"]


def test_a_run_that_fails_says_why_in_its_status(
    service: RunningService, env: str, logs: Path
) -> None:
    (logs / "one.log").write_text("first\n")
    service.control.environments.create(f"{env}-2")
    source = make(service, logs, environment=f"{env}-2", format="text")
    service.control.environments.delete(f"{env}-2")
    status = act(service, source, "run")["status"]
    assert status["last_status"] == "error"
    assert f"{env}-2" in status["last_error"]
    assert status["total_ingested"] == 0


def test_a_stale_change_is_a_409(service: RunningService, logs: Path) -> None:
    place = f"{PATH}/{make(service, logs)['id']}"
    stale = {"If-Match": service.client.get(place).headers["ETag"]}
    assert service.client.get(PATH).headers["ETag"] == stale["If-Match"]
    changed = service.client.patch(place, json={"name": "other"}, headers=stale)
    assert changed.status_code == 200
    for answer in (
        service.client.patch(place, json={"name": "third"}, headers=stale),
        service.client.post(f"{place}/reset", headers=stale),
        service.client.delete(place, headers=stale),
    ):
        assert answer.status_code == 409
    newest = {"If-Match": changed.headers["ETag"]}
    assert service.client.delete(place, headers=newest).status_code == 204


def test_editors_see_the_sources_of_their_environments(
    service: RunningService, env: str, logs: Path
) -> None:
    theirs, other = make(service, logs, environment=env), make(service, logs)
    headers = open_session(service, Role.EDITOR, envs=(env,))

    def ask(method: str, path: str = "") -> httpx.Response:
        return service.anonymous.request(method, PATH + path, json={}, headers=headers)

    assert [each["id"] for each in ask("GET").json()] == [theirs["id"]]
    assert ask("GET", f"/{theirs['id']}").status_code == 200
    assert ask("GET", f"/{other['id']}").status_code == 403
    for method, path in (
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/run"),
        ("POST", "/reset"),
    ):
        assert ask(method, f"/{theirs['id']}{path}").status_code == 403


def test_every_change_of_a_source_leaves_a_trace(
    start_service: MakeService, logs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = start_service()
    caplog.set_level(logging.INFO, "logboom.audit")
    source = make(service, logs)
    place = f"{PATH}/{source['id']}"
    service.client.patch(place, json={"name": "other"})
    act(service, source, "run")
    act(service, source, "reset")
    service.client.get(place)
    service.client.patch(place, json={"format": "xml"})
    service.client.delete(place)
    records = list_said_by("logboom.audit", caplog)
    assert [(each.action, each.target, each.details["id"]) for each in records] == [
        ("source.create", "web", source["id"]),
        ("source.update", "other", source["id"]),
        ("source.run", "other", source["id"]),
        ("source.reset", "other", source["id"]),
        ("source.delete", "other", source["id"]),
    ]
    assert records[1].details["changed"] == ["name"]


def browse(service: RunningService, path: Path | str) -> httpx.Response:
    return service.client.get(f"{PATH}/browse", params={"path": str(path)})


def test_an_admin_looks_around_on_the_node(service: RunningService, logs: Path) -> None:
    (logs / "nginx").mkdir()
    (logs / "app.log").write_text("line\n")
    for path in (logs / "nginx", logs / "app.log"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    mtime = "2023-11-14T22:13:20Z"
    assert browse(service, logs).json() == {
        "path": str(logs),
        "entries": [
            {"name": "nginx", "type": "dir", "size": None, "mtime": mtime},
            {"name": "app.log", "type": "file", "size": 5, "mtime": mtime},
        ],
        "complete": True,
    }
    top = service.client.get(f"{PATH}/browse").json()
    assert top["path"] == "/"
    assert {"etc", "tmp"} <= {each["name"] for each in top["entries"]}


def test_what_may_not_be_seen_is_403_and_what_is_not_there_404(
    service: RunningService, logs: Path
) -> None:
    (logs / "way").symlink_to(service.root)
    for path in (service.root, logs / "way", service.root / "store", "/proc", "/proc/self"):
        assert browse(service, path).status_code == 403
    assert browse(service, logs).json()["entries"] == []
    assert browse(service, logs / "missing").status_code == 404
    assert browse(service, "relative").status_code == 400
    assert browse(service, "/\0").status_code == 400
    unknown = service.client.get(f"{PATH}/browse", params={"unknown": "1"})
    assert unknown.status_code == 400
    editor = open_session(service, Role.EDITOR)
    assert service.anonymous.get(f"{PATH}/browse", headers=editor).status_code == 403
    wrong = bearer("lbk_nothing")
    assert service.anonymous.get(f"{PATH}/browse", headers=wrong).status_code == 401


def test_of_very_many_files_those_changed_last_are_shown() -> None:
    files = tuple(FileStatus(f"/{at}", at, at) for at in range(MOST_FILES + 5))
    shown = describe_status(SourceStatus(files=files, files_total=2000))
    assert shown.files_total == 2000
    assert len(shown.files) == MOST_FILES
    assert shown.files[0].path == f"/{len(files) - 1}"

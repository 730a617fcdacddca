"""Alerts over HTTP: made, seen and changed by those who may, with how they are; and previews."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_key, make_user
from tests.logged import list_said_by
from tests.running import RunningService, encode_lines
from tests.store.stores import HandClock

from logboom.base.clock import NS_PER_S
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]

PATH = "/api/alerts"
CONDITION: dict[str, Any] = {"query": "level:error", "operator": "above", "threshold": 1}
FULL: dict[str, Any] = {
    "name": "slow",
    "description": "who is slow",
    "query": "duration>5 | stats count by host",
    "filters": ["level:error"],
    "env": "default",
    "index": "web-*",
    "window_secs": 600,
    "every_secs": 30,
    "column": "count",
    "operator": "at_least",
    "threshold": 2.5,
    "enabled": True,
    "severity": "critical",
    "for_secs": 120,
    "no_data": "keep",
    "channels": [],
    "labels": {"team": "shop"},
    "muted_until": "2026-01-02T03:04:05Z",
}
NEW: dict[str, Any] = {
    "status": "new",
    "since": None,
    "checked": None,
    "value": None,
    "groups": [],
    "error": "",
}
EVENTS = encode_lines([{"level": "error", "host": host} for host in "aab"])


class Person:
    """Somebody who is signed in."""

    def __init__(
        self, service: RunningService, role: Role = Role.VIEWER, envs: tuple[str, ...] = ("*",)
    ) -> None:
        self.user = make_user(service, role, envs)
        self._client = service.anonymous
        self._headers = bearer(service.control.sessions.issue(self.user))

    def ask(
        self, method: str, path: str = "", body: object = None, **headers: str
    ) -> httpx.Response:
        place, sent = f"{PATH}{path}", self._headers | headers
        return self._client.request(method, place, json=body, headers=sent)

    def make(self, name: str = "errors", **members: object) -> dict[str, Any]:
        answer = self.ask("POST", body={"name": name, **CONDITION, **members})
        assert answer.status_code == 201, answer.text
        content: dict[str, Any] = answer.json()
        return content

    def read(self, alert: dict[str, Any]) -> dict[str, Any]:
        answer = self.ask("GET", f"/{alert['id']}")
        assert answer.status_code == 200, answer.text
        content: dict[str, Any] = answer.json()
        return content

    def preview(self, **members: object) -> httpx.Response:
        return self.ask("POST", "/preview", {**CONDITION, **members})


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def fresh(start_service: MakeService, clock: HandClock) -> RunningService:
    return start_service(clock=clock)


@pytest.fixture
def ann(service: RunningService) -> Person:
    return Person(service)


@pytest.fixture
def editor(service: RunningService) -> Person:
    return Person(service, Role.EDITOR)


def test_an_alert_is_made_listed_read_changed_and_deleted(ann: Person) -> None:
    made = ann.make(**FULL)
    kept = {"id": made["id"], "owner": ann.user.username, "created": made["created"]}
    assert made == FULL | kept | {"updated": made["created"], "state": NEW}
    assert ann.ask("GET").json() == [made]
    assert ann.read(made) == made
    changes = {"name": "other", "filters": [], "threshold": 3.0, "enabled": False}
    changed = ann.ask("PATCH", f"/{made['id']}", changes).json()
    off = {"updated": changed["updated"], "state": NEW | {"status": "off"}}
    assert changed == made | changes | off
    assert ann.read(made) == changed
    deleted = ann.ask("DELETE", f"/{made['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert ann.ask(method, f"/{made['id']}", body).status_code == 404


def test_a_name_a_query_and_a_condition_are_needed(ann: Person) -> None:
    made = ann.make()
    assert (made["window_secs"], made["every_secs"], made["column"]) == (300, 60, "")
    assert (made["env"], made["index"], made["enabled"]) == ("default", "*", True)
    for missing in ("name", "query", "operator", "threshold"):
        body = {"name": "x", **CONDITION}
        del body[missing]
        answer = ann.ask("POST", body=body)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, missing)


UNFIT: dict[str, tuple[str, dict[str, Any]]] = {
    "no name": ("name", {"name": ""}),
    "unreadable query": ("query", {"query": "a | stat count"}),
    "a plan": ("query", {"query": "a | explain"}),
    "long query": ("query", {"query": "x" * 65_537}),
    "unreadable filter": ("filters", {"filters": ["a", "level:"]}),
    "filter with pipes": ("filters", {"filters": ["a | stats count"]}),
    "unknown environment": ("env", {"env": "nowhere"}),
    "reserved environment": ("env", {"env": "_system"}),
    "no index": ("index", {"index": " , "}),
    "short window": ("window_secs", {"window_secs": 59}),
    "long window": ("window_secs", {"window_secs": 604_801}),
    "part of a second": ("window_secs", {"window_secs": 60.5}),
    "too often": ("every_secs", {"every_secs": 9}),
    "too seldom": ("every_secs", {"every_secs": 86_401}),
    "operator": ("operator", {"operator": "=="}),
    "threshold": ("threshold", {"threshold": "much"}),
    "long column": ("column", {"column": "x" * 2001}),
    "severity": ("severity", {"severity": "page"}),
    "for": ("for_secs", {"for_secs": -1}),
    "no data": ("no_data", {"no_data": "panic"}),
    "channel": ("channels", {"channels": ["nobody"]}),
    "label name": ("labels", {"labels": {"a b": "c"}}),
    "own label": ("labels", {"labels": {"severity": "c"}}),
    "label value": ("labels", {"labels": {"a": "b\nc"}}),
    "muted": ("muted_until", {"muted_until": "soon"}),
    "owner": ("owner", {"owner": "admin"}),
    "state": ("state", {"state": {}}),
    "revision": ("revision", {"revision": 1}),
}


@pytest.mark.parametrize(("field", "bad"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_refused_at_its_field_and_changes_nothing(
    ann: Person, field: str, bad: dict[str, Any]
) -> None:
    made = ann.make()
    for answer in (
        ann.ask("POST", body={"name": "new", **CONDITION, **bad}),
        ann.ask("PATCH", f"/{made['id']}", bad),
    ):
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].get("field") == field
    assert ann.ask("GET").json() == [made]


def test_a_threshold_beyond_numbers_is_refused(ann: Person) -> None:
    body = '{"name": "x", "query": "", "operator": "above", "threshold": 1e999}'
    headers = ann._headers | {"Content-Type": "application/json"}
    assert ann._client.post(PATH, content=body, headers=headers).status_code == 400


def test_an_unreadable_query_is_explained_also_in_a_preview(ann: Person) -> None:
    bad = {"query": "error | stat count by host"}
    for answer in (ann.ask("POST", body={"name": "x", **CONDITION, **bad}), ann.preview(**bad)):
        error = answer.json()["error"]
        assert (answer.status_code, error["field"]) == (400, "query")
        assert (error["start"], error["end"]) == (8, 12)
        assert error["suggestion"] == "error | stats count by host"


def test_a_name_is_there_once_for_each_owner(ann: Person, editor: Person) -> None:
    ann.make("mine")
    editor.make("mine")
    answer = ann.ask("POST", body={"name": "MINE", **CONDITION})
    assert (answer.status_code, answer.json()["error"]["field"]) == (409, "name")


def test_a_stale_change_is_a_409(ann: Person) -> None:
    place = f"/{ann.make()['id']}"
    stale = ann.ask("GET", place).headers["ETag"]
    assert ann.ask("GET").headers["ETag"] == stale
    changed = ann.ask("PATCH", place, {"name": "x"}, **{"If-Match": stale})
    assert changed.status_code == 200
    for refused in (
        ann.ask("PATCH", place, {"name": "y"}, **{"If-Match": stale}),
        ann.ask("DELETE", place, **{"If-Match": stale}),
    ):
        assert refused.status_code == 409
    fitting = {"If-Match": changed.headers["ETag"]}
    assert ann.ask("DELETE", place, **fitting).status_code == 204


def test_others_do_not_see_an_alert_and_editors_do(
    service: RunningService, ann: Person, editor: Person
) -> None:
    made = ann.make("ann's")
    place = f"/{made['id']}"
    bob = Person(service)
    assert made not in bob.ask("GET").json()
    for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
        assert bob.ask(method, place, body).status_code == 404
    for scope, expected in ((Scope.SEARCH, 404), (Scope.ADMIN, 200)):
        headers = make_key(service, scope)
        found = service.anonymous.get(f"{PATH}{place}", headers=headers)
        assert found.status_code == expected
    assert made in editor.ask("GET").json()
    changed = editor.ask("PATCH", place, {"query": "level:fatal"}).json()
    assert (changed["query"], changed["owner"]) == ("level:fatal", ann.user.username)
    assert Person(service, Role.ADMIN).ask("DELETE", place).status_code == 204


def test_how_an_alert_is_comes_with_it(fresh: RunningService, clock: HandClock) -> None:
    ann = Person(fresh)
    made = ann.make(query="level:error | stats count by host")
    fresh.keep(EVENTS)
    clock.time_ns += NS_PER_S
    fresh.check_alerts()
    firing = ann.read(made)["state"]
    assert firing == {
        "status": "firing",
        "since": "2023-11-14T22:13:21Z",
        "checked": "2023-11-14T22:13:21Z",
        "value": 2,
        "groups": [{"by": {"host": "a"}, "value": 2}],
        "error": "",
    }
    fresh.restart()
    assert ann_again(fresh, ann).read(made)["state"] == firing | {"checked": None}


def test_an_alert_is_kept_in_canonical_form(service: RunningService) -> None:
    ann = Person(service)
    made = ann.make(query="grep -i error", filters=["level: error"])
    assert (made["query"], made["filters"]) == ("error", ["level:error"])
    place = f"/{made['id']}"
    changed = ann.ask("PATCH", place, {"query": '{app="shop"}'}).json()
    assert (changed["query"], changed["filters"]) == ("app:=shop", ["level:error"])


def test_another_spelling_of_the_same_question_is_no_other(
    fresh: RunningService, clock: HandClock
) -> None:
    ann = Person(fresh)
    made = ann.make(query="level:error")
    fresh.keep(EVENTS)
    clock.time_ns += NS_PER_S
    fresh.check_alerts()
    changed = ann.ask("PATCH", f"/{made['id']}", {"query": " level: error"}).json()
    assert (changed["query"], changed["state"]["status"]) == ("level:error", "firing")


def test_an_alert_of_an_earlier_release_is_asked_as_it_was_typed(
    fresh: RunningService, clock: HandClock
) -> None:
    ann = Person(fresh)
    typed = {"name": "old", "query": "grep -i disk", "filters": ["level: error"]}
    owner = Principal.of_user(ann.user)
    old = fresh.control.alerts.create(owner, typed, lambda _before, after: after)
    fresh.keep(encode_lines([{"level": "error", "message": "disk full"}]))
    clock.time_ns += NS_PER_S
    fresh.check_alerts()
    place = f"/{old.id}"
    renamed = ann.ask("PATCH", place, {"name": "older", "query": "grep -i disk"}).json()
    assert (renamed["query"], renamed["state"]["value"]) == ("grep -i disk", 1)
    changed = ann.ask("PATCH", place, {"threshold": 2}).json()
    assert (changed["query"], changed["filters"]) == ("disk", ["level:error"])


def ann_again(service: RunningService, ann: Person) -> Person:
    """The same person after a restart."""
    ann._client = service.anonymous
    return ann


def test_without_its_environment_an_alert_says_so_and_can_still_be_renamed(
    fresh: RunningService,
) -> None:
    fresh.control.environments.create("shop")
    ann = Person(fresh)
    made = ann.make(env="shop")
    fresh.control.environments.delete("shop")
    fresh.check_alerts()
    state = ann.read(made)["state"]
    assert (state["status"], "unknown environment 'shop'" in state["error"]) == ("error", True)
    place = f"/{made['id']}"
    assert ann.ask("PATCH", place, {"name": "renamed"}).status_code == 200
    assert ann.ask("PATCH", place, {"query": "x"}).json()["error"]["field"] == "env"
    assert ann.ask("PATCH", place, {"env": "default"}).json()["state"] == NEW


def test_what_an_alert_finds_is_for_those_who_may_read_it(
    fresh: RunningService, clock: HandClock
) -> None:
    fresh.control.environments.create("secret")
    ann, editor = Person(fresh), Person(fresh, Role.EDITOR)
    limited = Person(fresh, Role.EDITOR, envs=("default",))
    made = ann.make(env="secret", query="level:error | stats count by host")
    fresh.keep(EVENTS, {"env": "secret"})
    clock.time_ns += NS_PER_S
    fresh.check_alerts()
    full = ann.read(made)["state"]
    assert full["groups"]
    assert editor.read(made)["state"] == full
    assert limited.read(made)["state"] == full | {"value": None, "groups": []}
    place = f"/{made['id']}"
    for changes in ({"query": "*"}, {"env": "default"}, {"threshold": 0}):
        assert limited.ask("PATCH", place, changes).status_code == 403
    assert limited.ask("PATCH", place, {"enabled": False}).status_code == 403
    fresh.control.users.delete(ann.user.id)
    for person, expected in ((editor, 403), (Person(fresh, Role.ADMIN), 200)):
        assert person.ask("PATCH", place, {"threshold": 0}).status_code == expected


def test_nobody_has_events_sent_that_he_may_not_read(fresh: RunningService) -> None:
    admin, editor = Person(fresh, Role.ADMIN), Person(fresh, Role.EDITOR)
    made = admin.make(env="_system")
    place = f"/{made['id']}"
    for changes in (
        {"channels": ["any"]},
        {"labels": {"a": "b"}},
        {"severity": "info"},
        {"for_secs": 60},
        {"no_data": "firing"},
        {"name": "x", "labels": {"a": "b"}},
    ):
        assert editor.ask("PATCH", place, changes).status_code == 403, changes
    for harmless in ({"enabled": False}, {"name": "y"}, {"muted_until": "2040-01-01T00:00:00Z"}):
        assert editor.ask("PATCH", place, harmless).status_code == 200, harmless


def test_nobody_lets_an_alert_ask_what_he_may_not(fresh: RunningService) -> None:
    fresh.control.environments.create("secret")
    limited = Person(fresh, envs=("default",))
    made = limited.make()
    for answer in (
        limited.ask("POST", body={"name": "x", **CONDITION, "env": "secret"}),
        limited.ask("PATCH", f"/{made['id']}", {"env": "secret"}),
        limited.preview(env="secret"),
    ):
        assert (answer.status_code, answer.json()["error"]["field"]) == (403, "env")
    admin = Person(fresh, Role.ADMIN)
    own = admin.make(env="_system")
    assert (
        Person(fresh, Role.EDITOR).ask("PATCH", f"/{own['id']}", {"query": "*"}).status_code == 403
    )


def test_every_change_leaves_a_trace(ann: Person, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    place = f"/{ann.make('traced')['id']}"
    ann.ask("PATCH", place, {"threshold": 9})
    ann.ask("DELETE", place)
    records = list_said_by("logboom.audit", caplog)
    assert [(each.action, each.actor, each.target) for each in records] == [
        (f"alert.{action}", ann.user.username, "traced")
        for action in ("create", "update", "delete")
    ]
    assert records[1].details["changed"] == ["threshold"]


def test_a_preview_tells_when_it_would_have_fired(fresh: RunningService, clock: HandClock) -> None:
    fresh.keep(EVENTS)
    clock.time_ns += 600 * NS_PER_S
    answer = Person(fresh).preview(window_secs=120, **{"from": "-10m", "to": "now"})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["step_secs"], found["complete"], found["column"]) == (60, True, "count")
    assert [step["value"] for step in found["steps"]] == [3, 3, *[0] * 8]
    assert found["steps"][0] == {"time": "2023-11-14T22:14:20Z", "value": 3, "is_met": True}
    assert found["firings"] == [
        {"from": "2023-11-14T22:14:20Z", "to": "2023-11-14T22:16:20Z", "peak": 3}
    ]
    assert found["seconds_firing"] == 120


def test_a_preview_is_of_every_check_of_the_last_day(ann: Person) -> None:
    found = ann.preview(every_secs=10).json()
    assert (found["step_secs"], len(found["steps"])) == (10, 8640)
    later = ann.preview(every_secs=3600, to="now+1d").json()
    assert len(later["steps"]) == 24


def test_a_preview_is_for_everybody_who_may_search(service: RunningService) -> None:
    body = {**CONDITION, "from": "-5m"}
    statuses = [
        service.anonymous.post(
            f"{PATH}/preview", json=body, headers=make_key(service, scope)
        ).status_code
        for scope in (Scope.SEARCH, Scope.INGEST)
    ]
    assert statuses == [200, 403]


BAD_PREVIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "no moment": ("from", {"from": "whenever"}),
    "no end": ("to", {"to": "-1 fortnight"}),
    "backwards": ("from", {"from": "-1h", "to": "-2h"}),
    "future": ("from", {"from": "now+1h", "to": "now+2h"}),
    "filters": ("filters", {"filters": ["a | head"]}),
    "window": ("window_secs", {"window_secs": 1}),
    "column": ("column", {"column": "x" * 2001}),
    "name": ("name", {"name": "x"}),
}


@pytest.mark.parametrize(("field", "bad"), BAD_PREVIEWS.values(), ids=BAD_PREVIEWS)
def test_a_preview_that_does_not_fit_is_refused_at_its_field(
    ann: Person, field: str, bad: dict[str, Any]
) -> None:
    answer = ann.preview(**bad)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["field"] == field


def test_a_busy_service_refuses_a_preview(start_service: MakeService) -> None:
    busy = start_service(queries=(1, 0, 0.0))
    with busy.gate.enter():
        assert Person(busy).preview().status_code == 429

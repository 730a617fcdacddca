"""Dashboards over HTTP: kept for oneself or for all, changed by those who may, and giving no rights."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_key, make_user, open_session
from tests.logged import list_said_by
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.control.access.principal import UNLIMITED
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role
from logboom.control.saved.builtin import SERVICE_DASHBOARD
from logboom.control.saved.dashboards import MOST_PANELS
from logboom.lang.format import format_query
from logboom.lang.parse import read_canonical
from logboom.samples.dashboard import make_dashboard

MakeService = Callable[..., RunningService]

PATH = "/api/dashboards"
PANEL: dict[str, Any] = {
    "title": "Errors",
    "query": "level:error | timechart count by host",
    "chart": {"kind": "stacked", "unit": "ms", "thresholds": [{"value": 5, "color": "red"}]},
    "x": 12,
    "y": 3,
    "w": 12,
    "h": 8,
}
FULL: dict[str, Any] = {
    "name": "shop",
    "shared": True,
    "variables": [{"name": "service", "field": "service", "default": "cart"}],
    "marks": {"query": "event:deploy", "alerts": True},
    "panels": [PANEL],
    "from": "-15m",
    "to": "now",
    "refresh_secs": 30,
}


class Person:
    """Somebody who is signed in."""

    def __init__(self, service: RunningService, role: Role = Role.VIEWER) -> None:
        self.user = make_user(service, role)
        self._client = service.anonymous
        self.headers = bearer(service.control.sessions.issue(self.user))

    def ask(
        self, method: str, path: str = "", body: object = None, **headers: str
    ) -> httpx.Response:
        place, sent = f"{PATH}{path}", self.headers | headers
        return self._client.request(method, place, json=body, headers=sent)

    def save(self, name: str = "mine", **members: object) -> dict[str, Any]:
        answer = self.ask("POST", body={"name": name, **members})
        assert answer.status_code == 201, answer.text
        content: dict[str, Any] = answer.json()
        return content


@pytest.fixture
def ann(service: RunningService) -> Person:
    return Person(service)


@pytest.fixture
def bob(service: RunningService) -> Person:
    return Person(service)


def test_a_dashboard_is_saved_listed_read_changed_and_deleted(ann: Person) -> None:
    made = ann.save(**FULL)
    panel = PANEL | {"env": "", "index": ""}
    assert made == FULL | {
        "id": made["id"],
        "description": "",
        "env": "default",
        "index": "*",
        "panels": [panel],
        "owner": ann.user.username,
        "created": made["created"],
        "updated": made["created"],
    }
    assert made in ann.ask("GET").json()
    place = f"/{made['id']}"
    assert ann.ask("GET", place).json() == made
    changes = {"name": "other", "panels": [panel | {"x": 0}], "shared": False, "refresh_secs": 0}
    changed = ann.ask("PATCH", place, changes).json()
    assert changed == made | changes | {"updated": changed["updated"]}
    deleted = ann.ask("DELETE", place)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert ann.ask(method, place, body).status_code == 404


def test_a_name_is_all_that_is_needed(ann: Person) -> None:
    made = ann.save()
    assert (made["panels"], made["variables"], made["shared"]) == ([], [], False)
    assert (made["from"], made["to"], made["refresh_secs"]) == ("-1h", "now", 0)
    assert made["marks"] == {"query": "", "alerts": False}
    assert ann.ask("POST", body={}).status_code == 400


def test_what_was_read_can_be_imported_by_another(ann: Person, bob: Person) -> None:
    exported = ann.ask("GET", f"/{ann.save(**FULL)['id']}").json()
    imported = bob.ask("POST", body=exported).json()
    ours = {"id", "owner", "created", "updated"}
    assert imported["owner"] == bob.user.username
    assert {name: imported[name] for name in imported.keys() - ours} == {
        name: exported[name] for name in exported.keys() - ours
    }


def test_queries_are_kept_in_canonical_form(ann: Person) -> None:
    panels = [
        {"query": "error | head 5"},
        {"query": '{app="shop"} |= "failed"'},
        {"query": "level:error $service"},
        {"query": "duration_ms > $least"},
        {"query": " ", "chart": {"kind": "text", "text": "hello"}},
    ]
    variables = [{"name": "service", "field": "service"}, {"name": "least", "field": "duration_ms"}]
    marks = {"query": "deploy $service | head 5"}
    made = ann.save("canonical", panels=panels, variables=variables, marks=marks)
    assert made["marks"] == {"query": 'deploy "$service" | limit 5', "alerts": False}
    assert [panel["query"] for panel in made["panels"]] == [
        "error | limit 5",
        'app:=shop message=~"failed"',
        'level:error "$service"',
        'duration_ms>"$least"',
        "",
    ]
    changed = ann.ask("PATCH", f"/{made['id']}", {"panels": made["panels"]}).json()
    assert changed["panels"] == made["panels"]


def panel(**members: Any) -> dict[str, Any]:
    return {"panels": [PANEL, PANEL | members]}


def variable(*names: str, **members: Any) -> dict[str, Any]:
    return {"variables": [{"name": name, "field": "f"} | members for name in names]}


UNFIT: list[tuple[str, dict[str, Any]]] = [
    ("name", {"name": ""}),
    ("name", {"name": "x" * 201}),
    ("name", {"name": "a\nb"}),
    ("name", {"name": 7}),
    ("panels[1].query", panel(query="a | stat count")),
    ("panels[1].query", panel(query="x" * 65_537)),
    ("panels[1].env", panel(env="nowhere")),
    ("panels[1].env", panel(env="_system")),
    ("panels[1].index", panel(index=" , ")),
    ("panels[1].w", panel(x=13, w=12)),
    ("panels[1].title", panel(title="x" * 2001)),
    ("panels[1].chart", panel(chart={"text": "x" * 40_000})),
    ("panels.x", panel(x=-1)),
    ("panels.x", panel(x=24)),
    ("panels.y", panel(y=-1)),
    ("panels.y", panel(y=10_001)),
    ("panels.w", panel(w=0)),
    ("panels.w", panel(w=25)),
    ("panels.w", panel(w=1.5)),
    ("panels.h", panel(h=0)),
    ("panels.h", panel(h=101)),
    ("panels.chart", panel(chart=[])),
    ("panels.title", panel(title=None)),
    ("panels.colour", panel(colour="red")),
    ("panels", {"panels": [{}] * (MOST_PANELS + 1)}),
    ("panels", {"panels": {}}),
    ("variables.name", variable("")),
    ("variables.name", variable("a b")),
    ("variables.name", variable("1a")),
    ("variables.name", variable("a\n")),
    ("variables.name", variable("x" * 65)),
    ("variables[1].name", variable("a", "a")),
    ("variables[0].field", variable("a", field=" ")),
    ("variables.default", variable("a", default="x" * 2001)),
    ("variables", variable(*(f"v{number}" for number in range(21)))),
    ("marks.query", {"marks": {"query": "a | stat count"}}),
    ("marks.query", {"marks": {"query": "x" * 65_537}}),
    ("marks.query", {"marks": {"query": None}}),
    ("marks.alerts", {"marks": {"alerts": "some"}}),
    ("marks.colour", {"marks": {"colour": "red"}}),
    ("marks", {"marks": []}),
    ("env", {"env": "nowhere"}),
    ("env", {"env": ""}),
    ("index", {"index": " , "}),
    ("from", {"from": "whenever"}),
    ("to", {"to": "-1 fortnight"}),
    ("refresh_secs", {"refresh_secs": -1}),
    ("refresh_secs", {"refresh_secs": 4}),
    ("refresh_secs", {"refresh_secs": 86_401}),
    ("description", {"description": "x" * 2001}),
    ("owner_id", {"owner_id": "x"}),
]


@together(("field", "bad"), UNFIT)
def test_what_does_not_fit_is_refused_at_its_field_and_changes_nothing(
    service: RunningService, field: str, bad: dict[str, Any]
) -> None:
    ann = Person(service)
    made = ann.save()
    for answer in (
        ann.ask("POST", body={"name": "new", **bad}),
        ann.ask("PATCH", f"/{made['id']}", bad),
    ):
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].get("field") == field
    assert [each for each in ann.ask("GET").json() if not each["shared"]] == [made]


def test_an_unreadable_query_is_explained(ann: Person) -> None:
    error = ann.ask("POST", body={"name": "x", **panel(query="a | stat count by b")}).json()[
        "error"
    ]
    assert (error["start"], error["end"]) == (4, 8)
    assert error["suggestion"] == "a | stats count by b"


def test_one_that_is_too_large_is_refused(ann: Person) -> None:
    heavy = [PANEL | {"chart": {"text": "x" * 30_000}} for _ in range(40)]
    answer = ann.ask("POST", body={"name": "heavy", "panels": heavy})
    assert answer.status_code == 413


def test_an_owner_has_room_for_so_many(service: RunningService, ann: Person) -> None:
    owner = UNLIMITED
    for number in range(200):
        service.control.dashboards.create(owner, {"name": f"d{number}"}, lambda _, after: after)
    with pytest.raises(Exception, match="the maximum"):
        service.control.dashboards.create(owner, {"name": "one more"}, lambda _, after: after)
    ann.save("of another owner")
    for each in service.control.dashboards.list():
        if each.owner_id == owner.id:
            service.control.dashboards.delete(each.id)


def test_a_name_is_there_once_for_each_owner(ann: Person, bob: Person) -> None:
    ann.save("mine")
    bob.save("mine")
    answer = ann.ask("POST", body={"name": "MINE"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (409, "name")


def test_what_is_not_shared_is_there_for_its_owner_alone(
    service: RunningService, ann: Person
) -> None:
    place = f"/{ann.save('secret')['id']}"
    for other in (Person(service, Role.EDITOR), Person(service, Role.ADMIN)):
        assert "secret" not in [each["name"] for each in other.ask("GET").json()]
        for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
            assert other.ask(method, place, body).status_code == 404


def test_what_is_shared_is_seen_by_all_and_changed_by_editors(
    service: RunningService, ann: Person, bob: Person
) -> None:
    editor = Person(service, Role.EDITOR)
    made = ann.save("for all", shared=True)
    place = f"/{made['id']}"
    assert bob.ask("GET", place).json() == made
    assert bob.ask("PATCH", place, {"name": "x"}).status_code == 403
    assert bob.ask("DELETE", place).status_code == 403
    changed = editor.ask("PATCH", place, {"panels": [PANEL]}).json()
    assert (len(changed["panels"]), changed["owner"]) == (1, ann.user.username)
    unshared = editor.ask("PATCH", place, {"shared": False})
    assert (unshared.status_code, unshared.json()["error"]["field"]) == (403, "shared")
    assert Person(service, Role.ADMIN).ask("DELETE", place).status_code == 204


def test_keys_read_what_is_shared_and_own_nothing(service: RunningService, ann: Person) -> None:
    shared, private = ann.save("by key", shared=True), ann.save("not by key")
    key = make_key(service, Scope.SEARCH)
    found = service.anonymous.get(PATH, headers=key).json()
    assert shared in found
    assert private not in found
    assert service.anonymous.post(PATH, json={"name": "x"}, headers=key).status_code == 403
    ingest = make_key(service, Scope.INGEST)
    assert service.anonymous.get(PATH, headers=ingest).status_code == 403


def test_whoever_is_limited_keeps_only_what_he_may_ask(
    service: RunningService, env: str, ann: Person
) -> None:
    limited = open_session(service, Role.EDITOR, envs=("default",))
    for bad, field in (({"env": env}, "env"), (panel(env=env), "panels[1].env")):
        refused = service.anonymous.post(PATH, json={"name": "x", **bad}, headers=limited)
        assert (refused.status_code, refused.json()["error"]["field"]) == (403, field)
    made = ann.save("elsewhere", panels=[PANEL | {"env": env}], shared=True)
    place = f"{PATH}/{made['id']}"
    assert service.anonymous.get(place, headers=limited).json() == made
    changed = service.anonymous.patch(place, json={"name": "x"}, headers=limited)
    assert changed.status_code == 403
    assert service.anonymous.delete(place, headers=limited).status_code == 403


def test_a_dashboard_of_an_environment_that_is_gone_can_still_be_renamed(
    service: RunningService, env: str, ann: Person
) -> None:
    place = f"/{ann.save('old', env=env, panels=[PANEL])['id']}"
    service.control.environments.delete(env)
    assert ann.ask("PATCH", place, {"name": "renamed"}).status_code == 200
    assert ann.ask("PATCH", place, {"panels": []}).status_code == 200
    assert ann.ask("PATCH", place, {"env": "default"}).status_code == 200


def test_a_stale_change_is_a_409(ann: Person) -> None:
    place = f"/{ann.save()['id']}"
    stale = ann.ask("GET", place).headers["ETag"]
    assert ann.ask("PATCH", place, {"name": "x"}, **{"If-Match": stale}).status_code == 200
    for refused in (
        ann.ask("PATCH", place, {"name": "y"}, **{"If-Match": stale}),
        ann.ask("DELETE", place, **{"If-Match": stale}),
    ):
        assert refused.status_code == 409


def test_of_many_changes_at_once_none_is_lost(service: RunningService) -> None:
    people = [Person(service) for _ in range(4)]
    names = [f"d{number}" for number in range(5)]

    def save_all(person: Person) -> list[int]:
        return [person.ask("POST", body={"name": name, **panel()}).status_code for name in names]

    with ThreadPoolExecutor(4) as pool:
        assert set(chain.from_iterable(pool.map(save_all, people))) == {201}
    for person in people:
        own = [each for each in person.ask("GET").json() if each["owner"] == person.user.username]
        assert [each["name"] for each in own] == names


def test_of_a_deleted_user_what_was_shared_stays(start_service: MakeService) -> None:
    fresh = start_service()
    ann, bob = Person(fresh), Person(fresh)
    ann.save("private")
    shared = ann.save("shared", shared=True)
    assert fresh.client.delete(f"/api/users/{ann.user.id}").status_code == 204
    assert bob.ask("GET", f"/{shared['id']}").json()["owner"] == ann.user.username
    assert [each.name for each in fresh.control.dashboards.list()] == ["shared"]


def test_every_change_leaves_a_trace(ann: Person, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    place = f"/{ann.save('traced')['id']}"
    ann.ask("PATCH", place, {"from": "-2h", "shared": True})
    ann.ask("DELETE", place)
    records = list_said_by("logboom.audit", caplog)
    assert [(each.action, each.actor, each.target) for each in records] == [
        ("dashboard.create", ann.user.username, "traced"),
        ("dashboard.update", ann.user.username, "traced"),
        ("dashboard.delete", ann.user.username, "traced"),
    ]
    assert records[1].details["changed"] == ["from", "shared"]


HOSTILE = ["<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "../../etc", "\u202e"]


@together("text", HOSTILE)
def test_texts_come_back_as_they_were_given(service: RunningService, text: str) -> None:
    ann = Person(service)
    made = ann.save(
        "hostile",
        description=text,
        panels=[PANEL | {"title": text, "chart": {"kind": text, text: text}}],
        variables=[{"name": "v", "field": text, "default": text}],
    )
    assert made["panels"][0]["title"] == text
    assert made["panels"][0]["chart"] == {"kind": text, text: text}
    assert made["variables"] == [{"name": "v", "field": text, "default": text}]


def test_the_values_of_variables_are_searched_for_as_they_are(
    service: RunningService, env: str
) -> None:
    hostile = 'x" OR service:"*'
    events = [{"service": name, "message": "m"} for name in ("cart", "web", hostile, "a*")]
    service.keep(encode_lines(events), {"env": env})
    for value, expected in (
        ("cart", ["cart"]),
        (hostile, [hostile]),
        ("a*", ["a*"]),
        ("c*", []),
        ("", ["a*", "cart", "web", hostile]),
        ("*", ["a*", "cart", "web", hostile]),
    ):
        body = {"query": "service:$service", "env": env, "variables": {"service": value}}
        rows = service.client.post("/api/search", json=body).json()["rows"]
        assert sorted(row["service"] for row in rows) == expected
    unfit: list[Any] = [
        {"a b": "x"},
        {"a": 7},
        {"a": "x" * 2001},
        [],
        {f"v{i}": "" for i in range(21)},
    ]
    for bad in unfit:
        answer = service.client.post("/api/search", json={"query": "a", "variables": bad})
        assert answer.status_code == 400, answer.text


@together("members", [SERVICE_DASHBOARD, make_dashboard("default", "shop-*", 24)])
def test_the_dashboards_that_are_there_from_the_start_are_canonical(
    members: dict[str, Any],
) -> None:
    for each in members["panels"]:
        if each["query"]:
            assert format_query(read_canonical(each["query"]).query) == each["query"]


def test_the_dashboard_of_the_service_is_for_admins_and_can_be_deleted(
    start_service: MakeService,
) -> None:
    fresh = start_service()
    dashboards = fresh.control.dashboards
    dashboards.create_first("logboom", SERVICE_DASHBOARD)
    [found] = fresh.client.get(PATH).json()
    assert (found["name"], found["env"], found["owner"]) == ("This service", "_system", "logboom")
    assert Person(fresh, Role.EDITOR).ask("GET").json() == []
    assert Person(fresh, Role.EDITOR).ask("GET", f"/{found['id']}").status_code == 404
    for each in found["panels"]:
        body = {"query": each["query"], "env": found["env"], "index": found["index"]}
        assert fresh.client.post("/api/search", json=body).status_code == 200
    assert fresh.client.patch(f"{PATH}/{found['id']}", json={"name": "ours"}).status_code == 200
    assert fresh.client.delete(f"{PATH}/{found['id']}").status_code == 204
    with pytest.raises(Exception, match="expected generation 0"):
        dashboards.create_first("logboom", SERVICE_DASHBOARD)


def test_loading_samples_makes_their_dashboard_once(start_service: MakeService) -> None:
    fresh = start_service()
    for _ in range(2):
        assert fresh.client.post("/api/samples", json={"events": 2000}).status_code == 201
    [found] = fresh.client.get(PATH).json()
    assert (found["name"], found["shared"], found["from"]) == ("Sample shop", True, "-24h")
    for each in found["panels"]:
        body = {
            "query": each["query"],
            "env": found["env"],
            "index": found["index"],
            "variables": {each["name"]: each["default"] for each in found["variables"]},
        }
        answer = fresh.client.post("/api/search", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["rows"]

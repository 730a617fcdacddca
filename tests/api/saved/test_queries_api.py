"""Saved queries over HTTP: kept for oneself or for all, changed by those who may, and giving no rights."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import Headers, bearer, make_key, make_user, open_session
from tests.logged import list_said_by
from tests.running import RunningService, encode_lines

from logboom.base.errors import Conflict
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role
from logboom.control.saved.stars import MOST_OF_A_USER

MakeService = Callable[..., RunningService]

PATH = "/api/queries"
FULL: dict[str, Any] = {
    "name": "slow",
    "query": "duration>5 | stats count by host",
    "description": "who is slow",
    "env": "default",
    "index": "web-*",
    "from": "-15m",
    "to": 1_700_000_000,
    "columns": ["_time", "host"],
    "filters": ["level:error"],
    "is_shared": True,
}


class Person:
    """Somebody who is signed in."""

    def __init__(self, service: RunningService, role: Role = Role.VIEWER) -> None:
        self.user = make_user(service, role)
        self._client = service.anonymous
        self._headers = bearer(service.control.sessions.issue(self.user))

    def ask(
        self, method: str, path: str = "", body: object = None, **headers: str
    ) -> httpx.Response:
        place, sent = f"{PATH}{path}", self._headers | headers
        return self._client.request(method, place, json=body, headers=sent)

    def save(self, name: str = "errors", **members: object) -> dict[str, Any]:
        answer = self.ask("POST", body={"name": name, "query": "level:error", **members})
        assert answer.status_code == 201, answer.text
        content: dict[str, Any] = answer.json()
        return content

    def list_names(self) -> list[str]:
        return [each["name"] for each in self.ask("GET").json()]


@pytest.fixture
def fresh(start_service: MakeService) -> RunningService:
    return start_service()


@pytest.fixture
def ann(service: RunningService) -> Person:
    return Person(service)


@pytest.fixture
def bob(service: RunningService) -> Person:
    return Person(service)


@pytest.fixture
def editor(service: RunningService) -> Person:
    return Person(service, Role.EDITOR)


def test_a_query_is_saved_listed_read_changed_and_deleted(ann: Person) -> None:
    made = ann.save(**FULL)
    kept = {"id": made["id"], "owner": ann.user.username, "created": made["created"]}
    assert made == FULL | kept | {"is_starred": False, "updated": made["created"]}
    assert made in ann.ask("GET").json()
    place = f"/{made['id']}"
    assert ann.ask("GET", place).json() == made
    changes: dict[str, Any] = {
        "name": "other",
        "from": None,
        "to": "now",
        "columns": [],
        "is_shared": False,
    }
    changed = ann.ask("PATCH", place, changes).json()
    assert changed == made | changes | {"updated": changed["updated"]}
    assert changed["updated"] > made["updated"]
    assert ann.ask("GET", place).json() == changed
    deleted = ann.ask("DELETE", place)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert ann.ask(method, place, body).status_code == 404


def test_only_a_name_and_a_query_are_needed(ann: Person) -> None:
    made = ann.save()
    assert (made["env"], made["index"], made["from"], made["to"]) == ("default", "*", None, None)
    assert (made["description"], made["columns"], made["is_shared"]) == ("", [], False)
    for missing in ({"name": "x"}, {"query": "x"}):
        assert ann.ask("POST", body=missing).status_code == 400


def test_a_query_is_kept_in_canonical_form(ann: Person) -> None:
    written = "# what hurts\nerror\n| head 5\n| table host"
    made = ann.save(query=written, filters=["level: error", "NOT (host:=a)", " "])
    assert made["query"] == "error | limit 5 | fields host"
    assert made["filters"] == ["level:error", "NOT host:=a"]
    changed = ann.ask("PATCH", f"/{made['id']}", {"query": "  a   b ", "filters": []}).json()
    assert (changed["query"], changed["filters"]) == ("a b", [])
    assert ann.ask("PATCH", f"/{made['id']}", {"query": " "}).json()["query"] == ""


def test_a_query_of_another_language_is_kept_in_ours(ann: Person) -> None:
    made = ann.save(query='{app="shop"} |= "failed"', filters=["grep -i error"])
    assert (made["query"], made["filters"]) == ('app:=shop message=~"failed"', ["error"])


def test_what_an_earlier_release_kept_becomes_canonical_when_it_asks_something_else(
    service: RunningService, ann: Person
) -> None:
    typed = {"name": "old", "query": "grep -i error", "filters": ["level: a"]}
    owner = Principal.of_user(ann.user)
    old = service.control.queries.create(owner, typed, lambda _before, after: after)
    place = f"/{old.id}"
    assert ann.ask("GET", place).json()["query"] == "grep -i error"
    renamed = ann.ask("PATCH", place, {"name": "older", "query": "grep -i error"}).json()
    assert (renamed["query"], renamed["filters"]) == ("grep -i error", ["level: a"])
    changed = ann.ask("PATCH", place, {"from": "-1h"}).json()
    assert (changed["query"], changed["filters"]) == ("error", ["level:a"])


UNFIT: dict[str, tuple[str, dict[str, Any]]] = {
    "no name": ("name", {"name": ""}),
    "long name": ("name", {"name": "x" * 201}),
    "blanks": ("name", {"name": " x"}),
    "control character": ("name", {"name": "a\nb"}),
    "another type": ("name", {"name": 7}),
    "unreadable query": ("query", {"query": "a | stat count"}),
    "long query": ("query", {"query": "x" * 65_537}),
    "unreadable filter": ("filters", {"filters": ["a", "level:"]}),
    "filter with pipes": ("filters", {"filters": ["a | stats count"]}),
    "many filters": ("filters", {"filters": ["a"] * 101}),
    "long filter": ("filters", {"filters": ["a" * 2001]}),
    "unknown environment": ("env", {"env": "nowhere"}),
    "reserved environment": ("env", {"env": "_system"}),
    "no environment": ("env", {"env": ""}),
    "no index": ("index", {"index": " , "}),
    "bad moment": ("from", {"from": "whenever"}),
    "bad end": ("to", {"to": "-1 fortnight"}),
    "long description": ("description", {"description": "x" * 2001}),
    "many columns": ("columns", {"columns": ["a"] * 201}),
    "long column": ("columns", {"columns": ["a" * 2001]}),
    "no column": ("columns", {"columns": [7]}),
    "owner": ("owner", {"owner": "admin"}),
    "owner's id": ("owner_id", {"owner_id": "x"}),
}


@pytest.mark.parametrize(("field", "bad"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_refused_at_its_field_and_changes_nothing(
    ann: Person, field: str, bad: dict[str, Any]
) -> None:
    made = ann.save()
    for answer in (
        ann.ask("POST", body={"name": "new", "query": "x", **bad}),
        ann.ask("PATCH", f"/{made['id']}", bad),
    ):
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].get("field") == field
    assert [each for each in ann.ask("GET").json() if not each["is_shared"]] == [made]


def test_an_unreadable_query_is_explained(ann: Person) -> None:
    answer = ann.ask("POST", body={"name": "x", "query": "error | stat count by host"})
    error = answer.json()["error"]
    assert (error["start"], error["end"]) == (8, 12)
    assert error["suggestion"] == "error | stats count by host"
    assert error["expected"]


def test_a_name_is_there_once_for_each_owner(ann: Person, bob: Person) -> None:
    ann.save("mine")
    other = ann.save("other")
    bob.save("mine")
    for answer in (
        ann.ask("POST", body={"name": "MINE", "query": "x"}),
        ann.ask("PATCH", f"/{other['id']}", {"name": "mine"}),
    ):
        assert answer.status_code == 409
        assert answer.json()["error"]["field"] == "name"
    assert ann.ask("PATCH", f"/{other['id']}", {"name": "Other"}).status_code == 200


def test_what_is_not_shared_is_there_for_its_owner_alone(
    service: RunningService, ann: Person, editor: Person
) -> None:
    place = f"/{ann.save('secret')['id']}"
    for other in (editor, Person(service, Role.ADMIN)):
        assert "secret" not in other.list_names()
        for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
            assert other.ask(method, place, body).status_code == 404
    assert ann.ask("GET", place).status_code == 200


def test_what_is_shared_is_seen_by_all_and_changed_by_editors(
    service: RunningService, ann: Person, bob: Person, editor: Person
) -> None:
    made = ann.save("for all", is_shared=True)
    place = f"/{made['id']}"
    assert bob.ask("GET", place).json() == made
    assert bob.ask("PATCH", place, {"name": "x"}).status_code == 403
    assert bob.ask("DELETE", place).status_code == 403
    changed = editor.ask("PATCH", place, {"description": "better"}).json()
    assert (changed["description"], changed["owner"]) == ("better", ann.user.username)
    unshared = editor.ask("PATCH", place, {"is_shared": False})
    assert (unshared.status_code, unshared.json()["error"]["field"]) == (403, "is_shared")
    assert Person(service, Role.ADMIN).ask("DELETE", place).status_code == 204


def test_keys_read_what_is_shared_and_own_nothing(service: RunningService, ann: Person) -> None:
    shared, private = ann.save("by key", is_shared=True), ann.save("not by key")
    key: Headers = make_key(service, Scope.SEARCH)
    found = service.anonymous.get(PATH, headers=key).json()
    assert shared in found
    assert private not in found
    assert (
        service.anonymous.get(f"{PATH}/{private['id']}", headers=key).status_code,
        service.anonymous.get(f"{PATH}/{shared['id']}", headers=key).status_code,
    ) == (404, 200)


def test_a_shared_query_gives_nobody_the_right_to_run_it(
    service: RunningService, env: str, ann: Person
) -> None:
    service.keep(encode_lines([{"message": "secret"}]), {"env": env})
    made = ann.save("elsewhere", env=env, query="secret", is_shared=True)
    limited = open_session(service, Role.VIEWER, envs=("default",))
    seen = service.anonymous.get(f"{PATH}/{made['id']}", headers=limited).json()
    body = {"query": seen["query"], "env": seen["env"]}
    answer = service.anonymous.post("/api/search", json=body, headers=limited)
    assert answer.status_code == 403
    saved = service.anonymous.post(PATH, json={"name": "x", **body}, headers=limited)
    assert (saved.status_code, saved.json()["error"]["field"]) == (403, "env")


def test_a_query_of_an_environment_that_is_gone_can_still_be_renamed(
    service: RunningService, env: str, ann: Person
) -> None:
    place = f"/{ann.save(env=env)['id']}"
    service.control.environments.delete(env)
    assert ann.ask("PATCH", place, {"name": "renamed"}).status_code == 200
    assert ann.ask("PATCH", place, {"query": "x"}).json()["error"]["field"] == "env"
    assert ann.ask("PATCH", place, {"query": "x", "env": "default"}).status_code == 200


def test_a_stale_change_is_a_409(ann: Person) -> None:
    place = f"/{ann.save()['id']}"
    answer = ann.ask("GET", place)
    stale = answer.headers["ETag"]
    assert ann.ask("GET").headers["ETag"] == stale
    changed = ann.ask("PATCH", place, {"name": "x"}, **{"If-Match": stale})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != stale
    for refused in (
        ann.ask("PATCH", place, {"name": "y"}, **{"If-Match": stale}),
        ann.ask("DELETE", place, **{"If-Match": stale}),
    ):
        assert refused.status_code == 409


def test_of_a_deleted_user_what_was_shared_stays(fresh: RunningService) -> None:
    ann, bob = Person(fresh), Person(fresh)
    ann.save("private")
    shared = ann.save("shared", is_shared=True)
    bob.save("bob's")
    place = f"/api/users/{ann.user.id}"
    fresh.control.users.update(ann.user.id, {"username": "ann"})
    assert bob.ask("GET", f"/{shared['id']}").json()["owner"] == "ann"
    assert fresh.client.delete(place).status_code == 204
    assert bob.ask("GET", f"/{shared['id']}").json()["owner"] == "ann"
    assert [query.name for query in fresh.control.queries.list()] == ["shared", "bob's"]
    again = fresh.control.users.create("ann", "correct horse battery", Role.VIEWER)
    headers = bearer(fresh.control.sessions.issue(again))
    gone = fresh.anonymous.delete(f"{PATH}/{shared['id']}", headers=headers)
    assert gone.status_code == 403


def test_every_change_leaves_a_trace(
    service: RunningService, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    place = f"/{ann.save('traced')['id']}"
    ann.ask("PATCH", place, {"from": "-1h"})
    ann.ask("DELETE", place)
    records = list_said_by("logboom.audit", caplog)
    assert [(each.action, each.actor, each.target) for each in records] == [
        ("query.create", ann.user.username, "traced"),
        ("query.update", ann.user.username, "traced"),
        ("query.delete", ann.user.username, "traced"),
    ]
    assert records[1].details["changed"] == ["from"]


HOSTILE = [
    "<script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "../../etc",
    "\u202e\ufeff",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_come_back_as_they_were_given_or_not_at_all(ann: Person, text: str) -> None:
    made = ann.save("hostile", description=text, columns=[text])
    assert (made["description"], made["columns"]) == (text, [text])
    named = ann.ask("POST", body={"name": text, "query": "x"})
    assert named.status_code == (201 if text.isprintable() else 400)


@pytest.mark.parametrize(
    "member", ["name", "query", "description", "env", "index", "from", "to", "columns", "filters"]
)
def test_half_a_character_is_no_failure_of_the_service(ann: Person, member: str) -> None:
    value = '["\\ud800"]' if member in ("columns", "filters") else '"\\ud800"'
    members = {"name": '"x"', "query": '"x"', member: value}
    body = ",".join(f'"{name}": {text}' for name, text in members.items())
    answer = ann._client.post(
        PATH, content=f"{{{body}}}", headers=ann._headers | {"Content-Type": "application/json"}
    )
    assert answer.status_code == 400


def test_a_star_is_for_the_one_who_set_it(
    ann: Person, bob: Person, service: RunningService
) -> None:
    made = ann.save("starred", is_shared=True)
    place = f"/{made['id']}"
    assert made["is_starred"] is False
    for _ in range(2):
        answer = bob.ask("PUT", f"{place}/star")
        assert (answer.status_code, answer.content) == (204, b"")
    assert bob.ask("GET", place).json()["is_starred"] is True
    [listed] = [each for each in bob.ask("GET").json() if each["id"] == made["id"]]
    assert listed == made | {"is_starred": True}
    assert ann.ask("GET", place).json() == made
    changed = bob.ask("PATCH", place, {"name": "mine"})
    assert changed.status_code == 403
    for _ in range(2):
        assert bob.ask("DELETE", f"{place}/star").status_code == 204
    assert bob.ask("GET", place).json() == made


def test_only_what_one_sees_can_be_starred(ann: Person, bob: Person) -> None:
    made = ann.save("private")
    for method in ("PUT", "DELETE"):
        assert bob.ask(method, f"/{made['id']}/star").status_code == 404


def test_stars_go_with_their_query_and_with_their_user(
    ann: Person, bob: Person, service: RunningService
) -> None:
    gone, kept = ann.save("gone", is_shared=True), ann.save("kept", is_shared=True)
    stars = service.control.stars
    bob.ask("PUT", f"/{gone['id']}/star")
    ann.ask("DELETE", f"/{gone['id']}")
    bob.ask("PUT", f"/{kept['id']}/star")
    assert stars.list_of(bob.user.id) == {kept["id"]}
    service.client.delete(f"/api/users/{bob.user.id}").raise_for_status()
    assert stars.find(bob.user.id) is None


def test_stars_are_limited(ann: Person, service: RunningService) -> None:
    for number in range(MOST_OF_A_USER):
        service.control.stars.set(
            ann.user.id, str(number), True, {str(each) for each in range(MOST_OF_A_USER)}
        )
    with pytest.raises(Conflict, match="200 queries are starred"):
        service.control.stars.set(
            ann.user.id, "x", True, {"x", *(str(each) for each in range(MOST_OF_A_USER))}
        )
    made = ann.save()
    assert ann.ask("PUT", f"/{made['id']}/star").status_code == 204

"""Short links over HTTP: made by people, followed by whoever may search, giving no rights."""

import logging

import pytest
from tests.api.signing_in import bearer, make_key, make_user, open_session
from tests.logged import list_said_by
from tests.running import RunningService
from tests.together import together

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

PATH = "/api/links"
ADDRESS = "/explore?q=level%3Aerror&env=secret"


def test_a_link_is_made_and_followed_by_others(service: RunningService) -> None:
    ann = open_session(service, Role.VIEWER)
    made = service.anonymous.post(PATH, json={"address": ADDRESS}, headers=ann)
    assert made.status_code == 201
    link = made.json()
    assert link == {"id": link["id"], "address": ADDRESS}
    assert len(link["id"]) == 10
    for headers in (open_session(service, Role.VIEWER), make_key(service, Scope.SEARCH)):
        answer = service.anonymous.get(f"{PATH}/{link['id']}", headers=headers)
        assert (answer.status_code, answer.json()) == (200, link)


def test_a_link_shows_nobody_what_he_may_not_see(service: RunningService, env: str) -> None:
    bounded = open_session(service, Role.VIEWER, envs=("elsewhere",))
    address = f"/explore?env={env}"
    link = service.client.post(PATH, json={"address": address}).json()
    answer = service.anonymous.get(f"{PATH}/{link['id']}", headers=bounded)
    assert answer.json() == link
    asked = service.anonymous.post("/api/search", json={"query": "", "env": env}, headers=bounded)
    assert asked.status_code == 403


ADDRESSES = {
    "another form": ("/explore?q=level%3A+error&env=a", "/explore?q=level%3Aerror&env=a"),
    "another language": (
        "/explore?env=a&q=%7Bapp%3D%22shop%22%7D&col=x",
        "/explore?env=a&q=app%3A%3Dshop&col=x",
    ),
    "unreadable": ("/explore?q=level%3A", "/explore?q=level%3A"),
    "empty": ("/explore?q=&tab=chart", "/explore?q=&tab=chart"),
    "no query": ("/explore", "/explore"),
    "another page": ("/sources?q=level%3A+error", "/sources?q=level%3A+error"),
}


@together(("given", "kept"), ADDRESSES.values())
def test_the_query_in_a_link_is_kept_in_canonical_form(
    service: RunningService, given: str, kept: str
) -> None:
    made = service.client.post(PATH, json={"address": given}).json()
    assert made["address"] == kept
    assert service.client.get(f"{PATH}/{made['id']}").json() == made


BAD = ["https://elsewhere.example/", "//elsewhere.example", "explore", "/explore?q=a b"]


@pytest.mark.parametrize("address", BAD)
def test_what_leads_elsewhere_is_refused(service: RunningService, address: str) -> None:
    answer = service.client.post(PATH, json={"address": address})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "address")


@pytest.mark.parametrize("link_id", ["0000000000", "x", "A" * 10, "0" * 11])
def test_an_unknown_link_is_not_found(service: RunningService, link_id: str) -> None:
    answer = service.client.get(f"{PATH}/{link_id}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_the_audit_log_says_who_made_it(
    service: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    ann = make_user(service, Role.VIEWER)
    session = bearer(service.control.sessions.issue(ann))
    with caplog.at_level(logging.INFO, logger="logboom.audit"):
        made = service.anonymous.post(PATH, json={"address": ADDRESS}, headers=session).json()
    said = list_said_by("logboom.audit", caplog)
    (record,) = [each for each in said if each.action == "link.create"]
    assert record.__dict__["target"] == made["id"]
    assert record.__dict__["actor"] == ann.username
    assert ADDRESS not in str(record.__dict__)

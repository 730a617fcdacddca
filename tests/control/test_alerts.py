"""Alerts as records: whose they are, how many there may be, and which state belongs to which."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, Invalid, NotFound, TooLarge
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.access.reach import covers
from logboom.control.access.scopes import EVERYTHING_BUT_MCP, Scope
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.saved import alerts as alerts_module
from logboom.control.saved.alert_states import AlertState, AlertStates, Group, differs
from logboom.control.saved.alerts import Alert, Alerts

ANN = Principal("user", "a", "ann", frozenset({Scope.SEARCH}))
BOB = Principal("user", "b", "bob", frozenset({Scope.SEARCH}))
EVE = Principal("user", "e", "eve", frozenset({Scope.SEARCH, Scope.EDIT}))


def accept(_before: Alert | None, after: Alert) -> Alert:
    """Any alert will do."""
    return after


def open_documents(root: Path) -> Documents:
    return Documents(LocalObjects(root), PlainCipher())


@pytest.fixture
def alerts(tmp_path: Path) -> Alerts:
    return Alerts(open_documents(tmp_path), lambda: 7 * NS_PER_S)


def make_state(**members: Any) -> AlertState:
    given = {"id": "x", "name": "n", "revision": 1, "status": "ok", "since_ns": 5}
    return AlertState(**{**given, **members})


def test_others_see_an_alert_only_as_editors(alerts: Alerts) -> None:
    made = alerts.create(ANN, {"name": "x"}, accept)
    assert alerts.list_for(BOB) == ()
    assert alerts.list_for(ANN) == alerts.list_for(EVE) == (made,)
    with pytest.raises(NotFound):
        alerts.get_for(BOB, made.id)
    with pytest.raises(NotFound):
        alerts.update(BOB, made.id, {"name": "y"}, accept)
    with pytest.raises(NotFound):
        alerts.delete_by(BOB, made.id)
    changed = alerts.update(EVE, made.id, {"name": "y"}, accept)
    assert (changed.owner_id, changed.name) == (ANN.id, "y")
    assert alerts.delete_by(EVE, made.id) == changed


def test_a_name_is_there_once_for_each_owner_in_any_case(alerts: Alerts) -> None:
    alerts.create(ANN, {"name": "Mine"}, accept)
    alerts.create(BOB, {"name": "mine"}, accept)
    with pytest.raises(Conflict, match="alert 'mINE' exists already"):
        alerts.create(ANN, {"name": "mINE"}, accept)


def test_of_an_owner_who_is_gone_they_stay_under_his_last_name(alerts: Alerts) -> None:
    alerts.create(ANN, {"name": "x"}, accept)
    alerts.create(BOB, {"name": "x"}, accept)
    alerts.detach_owner(ANN.id, "anna")
    assert {alert.owner for alert in alerts.list()} == {"anna", "bob"}
    generation = alerts.generation
    alerts.detach_owner(EVE.id, EVE.name)
    assert alerts.generation == generation


def test_what_is_refused_is_not_kept(alerts: Alerts) -> None:
    def refuse(_before: Alert | None, after: Alert) -> Alert:
        raise Invalid(f"not {after.query}")

    with pytest.raises(Invalid, match="not this"):
        alerts.create(ANN, {"name": "x", "query": "this"}, refuse)
    made = alerts.create(ANN, {"name": "x"}, accept)
    with pytest.raises(Invalid):
        alerts.update(ANN, made.id, {"query": "this"}, refuse)
    assert alerts.list() == (made,)


def test_what_is_kept_is_what_was_settled(alerts: Alerts) -> None:
    def shout(_before: Alert | None, after: Alert) -> Alert:
        return msgspec.structs.replace(after, query=after.query.upper(), is_canonical=True)

    made = alerts.create(ANN, {"name": "x", "query": "a"}, shout)
    same = alerts.update(ANN, made.id, {"query": "a"}, shout)
    assert alerts.list() == (same,)
    assert (same.query, same.is_canonical, same.revision) == ("A", True, made.revision)

    def lengthen(_before: Alert | None, after: Alert) -> Alert:
        return msgspec.structs.replace(after, query="x" * 65_537)

    with pytest.raises(Invalid, match="the query has 65537 bytes"):
        alerts.update(ANN, made.id, {"query": "b"}, lengthen)


UNFIT: dict[str, dict[str, object]] = {
    "threshold": {"threshold": float("inf")},
    "window_secs": {"window_secs": 59},
    "every_secs": {"every_secs": 86_401},
    "operator": {"operator": "near"},
    "column": {"column": "x" * 2001},
    "revision": {"revision": 7},
    "owner_id": {"owner_id": "b"},
}


@pytest.mark.parametrize("field", UNFIT)
def test_what_does_not_fit_is_refused_at_its_field(alerts: Alerts, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        alerts.create(ANN, {"name": "x", **UNFIT[field]}, accept)
    assert caught.value.data["field"] == field


def test_another_rule_or_being_switched_makes_another_revision(alerts: Alerts) -> None:
    made = alerts.create(ANN, {"name": "x", "query": "a"}, accept)

    def change(**members: object) -> int:
        return alerts.update(ANN, made.id, members, accept).revision - made.revision

    assert [
        change(name="y", every_secs=10, description="z"),
        change(query="a", enabled=True, threshold=0),
        change(query="b"),
        change(enabled=False),
        change(enabled=True),
        change(threshold=1, column="c"),
    ] == [0, 0, 1, 2, 3, 4]


def test_there_is_a_number_of_them(alerts: Alerts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts_module, "MOST_OF_AN_OWNER", 2)
    monkeypatch.setattr(alerts_module, "MOST_ALERTS", 3)
    for name in ("x", "y"):
        alerts.create(ANN, {"name": name}, accept)
    with pytest.raises(Conflict, match="you have 2 alerts"):
        alerts.create(ANN, {"name": "z"}, accept)
    alerts.create(BOB, {"name": "x"}, accept)
    with pytest.raises(Conflict, match="there are 3 alerts"):
        alerts.create(BOB, {"name": "y"}, accept)


def test_they_take_a_bounded_room(alerts: Alerts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts_module, "MOST_BYTES_OF_AN_OWNER", 1000)
    alerts.create(ANN, {"name": "x", "query": "y" * 900}, accept)
    with pytest.raises(
        TooLarge, match="your alerts are too large together, expected at most 1000 bytes"
    ):
        alerts.create(ANN, {"name": "z", "query": "y" * 90}, accept)


def put(states: AlertStates, state: AlertState) -> AlertState | None:
    """Replace the alert; return the one that was replaced."""
    replaced, _ = states.change(state.id, lambda _: state)
    return replaced


def test_a_state_is_that_of_one_revision(alerts: Alerts, tmp_path: Path) -> None:
    states = AlertStates(open_documents(tmp_path))
    made = alerts.create(ANN, {"name": "x", "query": "a"}, accept)
    state = make_state(id=made.id, revision=made.revision)
    assert put(states, state) is None
    assert states.find_of(made) == state
    changed = alerts.update(ANN, made.id, {"query": "b"}, accept)
    assert states.find_of(changed) is None


def test_a_state_is_ended_once(tmp_path: Path) -> None:
    here, there = AlertStates(open_documents(tmp_path)), AlertStates(open_documents(tmp_path))
    old, new = make_state(), make_state(revision=2)
    put(here, old)
    there.refresh()
    assert put(here, new) == old
    with pytest.raises(Conflict):
        there.end(old)
    here.end(new)
    with pytest.raises(NotFound):
        there.end(new)


SAME: list[dict[str, Any]] = [{"value": 7}, {"since_ns": 9}, {"groups": (Group({"host": "a"}, 9),)}]
OTHER: list[dict[str, Any]] = [
    {"status": "firing"},
    {"error": "x"},
    {"revision": 2},
    {"groups": (Group({"host": "b"}, 1),)},
    {"groups": ()},
]


def test_another_value_alone_is_nothing_new() -> None:
    before = make_state(groups=(Group({"host": "a"}, 1),), value=1)
    groups = {"groups": before.groups}
    assert not any(differs(before, make_state(**{**groups, **members})) for members in SAME)
    assert all(differs(before, make_state(**{**groups, **members})) for members in OTHER)
    assert differs(None, before)


def bound(
    envs: tuple[str, ...], indexes: tuple[str, ...] = ("*",), *, admin: bool = False
) -> Principal:
    scopes = EVERYTHING_BUT_MCP if admin else frozenset({Scope.SEARCH})
    return Principal("user", "u", "user", scopes, envs, indexes)


@together(
    ("reader", "other", "expected"),
    [
        (bound(("*",)), bound(("*",)), True),
        (bound(("*",)), bound(("a", "b*")), True),
        (bound(("a",)), bound(("a", "b")), False),
        (bound(("a", "b")), bound(("b",)), True),
        (bound(("a*",)), bound(("ab",)), True),
        (bound(("ab*",)), bound(("a*",)), False),
        (bound(("*",), ("web",)), bound(("*",)), False),
        (bound(("*",)), bound(("a",), admin=True), False),
        (bound(("*",), admin=True), bound(("a",)), True),
        (bound(("a",), admin=True), bound(("*",)), False),
    ],
)
def test_who_certainly_reads_all_that_another_does(
    reader: Principal, other: Principal, expected: bool
) -> None:
    assert covers(reader, other) is expected

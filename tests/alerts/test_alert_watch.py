"""Alerts over time: they fire and end, once, on one node, whatever happens to their owners and their records."""

import logging

import pytest
from prometheus_client import REGISTRY
from tests.alerts.guarding import LEASE_S, Cluster, Node, list_said
from tests.store.stores import NOW_NS

from logboom.base.clock import NS_PER_S
from logboom.control.access.principal import Principal
from logboom.control.access.users import User
from logboom.control.saved.alert_states import Group

ERROR = {"level": "error", "host": "a"}
CAP = "many errors"


@pytest.fixture(autouse=True)
def heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "logboom.alerts.watch")


def test_it_fires_when_events_come_and_ends_when_they_age_out(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    alert = node.make_alert(ann)
    history = []
    for minute in range(8):
        if minute == 2:
            node.keep(ERROR, ERROR, ERROR)
            cluster.wait(1)
        node.follow()
        state = node.find_state(alert)
        assert state
        history.append((state.status, state.value))
        cluster.wait(60)
    quiet = ("ok", 0)
    firing = ("firing", 3)
    assert history == [quiet, quiet, *[firing] * 5, quiet]
    assert list_said(caplog) == [("alert fires", CAP), ("alert ends", CAP)]


def test_since_is_when_the_status_began_and_checked_is_when_it_was_asked_last(
    cluster: Cluster, node: Node, ann: User
) -> None:
    alert = node.make_alert(ann)
    node.follow()
    cluster.wait(60)
    node.follow()
    seen = node.watcher.find_last_check(alert)
    assert seen
    assert (seen.state.since_ns, seen.checked_ns) == (NOW_NS, NOW_NS + 60 * NS_PER_S)


def test_it_is_asked_when_it_is_due(cluster: Cluster, node: Node, ann: User) -> None:
    alert = node.make_alert(ann, every_secs=3600)
    node.follow()
    cluster.wait(3599)
    node.follow()
    seen = node.watcher.find_last_check(alert)
    assert seen
    assert seen.checked_ns == NOW_NS
    cluster.wait(1)
    node.follow()
    seen = node.watcher.find_last_check(alert)
    assert seen
    assert seen.checked_ns == NOW_NS + 3600 * NS_PER_S


def test_only_what_is_new_is_written(cluster: Cluster, node: Node, ann: User) -> None:
    alert = node.make_alert(ann, query="* | stats count by host", threshold=0)
    generations = []
    for hosts in ("a", "aa", "b", ""):
        node.keep(*({"host": host} for host in hosts), {"host": "z"})
        cluster.wait(60)
        node.follow()
        generations.append(node.control.alert_states.generation)
    state = node.find_state(alert)
    assert state
    assert state.groups == (
        *(Group({"host": "z"}, 4), Group({"host": "a"}, 3), Group({"host": "b"}, 1)),
    )
    assert generations == [1, 1, 2, 2]


def test_a_row_that_meets_the_condition_is_told_with_its_columns(
    cluster: Cluster, node: Node, ann: User
) -> None:
    alert = node.make_alert(ann, query="* | stats count by host, level", threshold=1)
    node.keep(ERROR, ERROR, {"host": "b"})
    cluster.wait(1)
    node.follow()
    state = node.find_state(alert)
    assert state
    assert (state.status, state.value) == ("firing", 2)
    assert state.groups == (Group({"host": "a", "level": "error"}, 2),)


def test_after_a_restart_it_still_fires_and_says_nothing_again(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    node.follow()
    before = node.find_state(alert)
    cluster.stop()
    cluster.wait(60)
    again = cluster.start()
    assert again.find_state(alert) == before
    assert again.watcher.find_last_check(alert) is None
    again.follow()
    assert again.find_state(alert) == before
    cluster.wait(300)
    again.follow()
    assert again.find_status(alert) == "ok"
    assert list_said(caplog) == [("alert fires", CAP), ("alert ends", CAP)]


def test_one_of_two_nodes_checks(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    two = cluster.start("two")
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    for _ in range(5):
        node.follow()
        two.follow()
        cluster.wait(30)
    assert node.watcher.find_last_check(alert)
    assert two.watcher.find_last_check(alert) is None
    two.control.refresh()
    assert two.find_status(alert) == "firing"
    assert list_said(caplog) == [("alert fires", CAP)]


def test_another_node_goes_on_when_one_stops_or_dies(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    node.follow()
    two = cluster.start("two")
    two.follow()
    assert two.watcher.find_last_check(alert) is None
    cluster.wait(LEASE_S)
    two.follow()
    assert two.watcher.find_last_check(alert)
    node.follow()
    assert node.watcher.find_last_check(alert) is None
    cluster.stop("two")
    cluster.wait(300)
    node.follow()
    assert node.find_status(alert) == "ok"
    assert list_said(caplog) == [("alert fires", CAP), ("alert ends", CAP)]


def test_it_reads_what_its_owner_may_read_now(
    cluster: Cluster, node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    node.control.environments.create("shop")
    bob = node.make_user("bob")
    alert = node.make_alert(bob, env="shop", threshold=0)
    node.keep(ERROR, env="shop")
    cluster.wait(1)
    node.follow()
    assert node.find_status(alert) == "firing"
    errors = []
    for changes in ({"envs": ("default",)}, {"enabled": False, "envs": ("*",)}):
        node.control.users.update(bob.id, changes)
        cluster.wait(60)
        node.follow()
        state = node.find_state(alert)
        assert state
        assert (state.status, state.value, state.groups) == ("error", None, ())
        errors.append(state.error)
    assert "may not use the environment 'shop'" in errors[0]
    assert "'bob' is disabled" in errors[1]
    node.control.users.update(bob.id, {"enabled": True})
    cluster.wait(60)
    node.follow()
    assert node.find_status(alert) == "firing"
    node.control.users.delete(bob.id)
    cluster.wait(60)
    node.follow()
    state = node.find_state(alert)
    assert state
    assert (state.status, "'bob' is gone" in state.error) == ("error", True)
    failed = [("alert ends", CAP), ("alert cannot be asked", CAP)]
    assert list_said(caplog) == [("alert fires", CAP), *failed, ("alert fires", CAP), *failed]


def test_what_cannot_be_asked_is_said_once(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    alert = node.make_alert(ann, query="* | stats count by host", column="nothing")
    node.keep(ERROR)
    for _ in range(3):
        cluster.wait(60)
        node.follow()
    state = node.find_state(alert)
    assert state
    assert (state.status, state.error) == (
        "error",
        "no column 'nothing', expected one of host, count",
    )
    assert list_said(caplog) == [("alert cannot be asked", CAP)]


CHANGES: dict[str, dict[str, object]] = {
    "query": {"query": "level:fatal"},
    "filters": {"filters": ("host:b",)},
    "threshold": {"threshold": 7.0},
    "operator": {"operator": "below"},
    "window": {"window_secs": 600},
    "off": {"enabled": False},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_with_another_question_or_condition_it_begins_anew(
    cluster: Cluster,
    node: Node,
    ann: User,
    caplog: pytest.LogCaptureFixture,
    changes: dict[str, object],
) -> None:
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    node.follow()
    node.change(alert, **changes)
    assert node.find_status(alert) == "new"
    assert list_said(caplog) == [("alert fires", CAP)]
    node.follow()
    assert list_said(caplog)[:2] == [("alert fires", CAP), ("alert ends", CAP)]
    if changes == {"enabled": False}:
        assert node.find_status(alert) == "new"
        node.change(alert, enabled=True)
        node.follow()
        assert node.find_status(alert) == "firing"


@pytest.mark.parametrize("changes", [{"name": "other"}, {"every_secs": 10}, {"description": "x"}])
def test_another_name_or_pace_changes_nothing(
    cluster: Cluster, node: Node, ann: User, changes: dict[str, object]
) -> None:
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    node.follow()
    before = node.find_state(alert)
    node.change(alert, **changes)
    node.follow()
    assert node.find_state(alert) == before


def test_of_a_deleted_alert_nothing_is_left(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    two = cluster.start("two")
    alert = node.make_alert(ann)
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(1)
    node.follow()
    two.follow()
    assert REGISTRY.get_sample_value("logboom_alerts_firing") == 1
    node.control.alerts.delete_by(Principal.of_user(ann), alert.id)
    node.follow()
    two.follow()
    assert node.control.alert_states.list() == ()
    assert two.control.alert_states.list() == ()
    assert list_said(caplog) == [("alert fires", CAP), ("alert ends", CAP)]
    assert REGISTRY.get_sample_value("logboom_alerts_firing") == 0


def test_a_node_that_has_not_heard_of_an_alert_leaves_its_state_alone(
    cluster: Cluster, node: Node, ann: User
) -> None:
    two = cluster.start("two")
    alert = node.make_alert(ann)
    node.follow()
    two.control.alert_states.refresh()
    two._runner.run(two._follow())
    node.control.refresh()
    assert node.find_status(alert) == "ok"


def test_a_busy_service_puts_checks_off(
    cluster: Cluster, node: Node, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    alert = node.make_alert(ann, every_secs=3600)
    with node.gate.enter(), node.gate.enter():
        node.follow()
    assert node.find_status(alert) == "new"
    cluster.wait(5)
    node.follow()
    assert node.find_status(alert) == "ok"
    assert list_said(caplog) == []

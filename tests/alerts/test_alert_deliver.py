"""Deliveries: written down first, sent once for each change by one node, tried again until they are taken or too old."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from prometheus_client import REGISTRY
from tests.alerts.guarding import BASE_URL, LEASE_S, Cluster, Node
from tests.alerts.receivers import HttpReceiver, receiving

from logboom.alerts.changes import MOST_EPISODES
from logboom.alerts.deliver import GIVE_UP_S
from logboom.alerts.sending import http
from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Unavailable
from logboom.control.access.users import User
from logboom.control.saved.alert_states import AlertState, AlertStates
from logboom.control.saved.alerts import Alert

ERROR = {"level": "error", "host": "a", "message": "it <b>broke</b>"}
HOSTILE = "</script><!channel> \"'&|${7*7}\u202e"


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with receiving() as started:
        yield started


@pytest.fixture
def alert(node: Node, ann: User, receiver: HttpReceiver) -> Alert:
    return node.make_alert(
        ann,
        channels=[node.make_channel(receiver.url)],
        severity="critical",
        labels={"team": "shop"},
        filters=["host:a"],
    )


def fire(cluster: Cluster, node: Node) -> None:
    node.keep(ERROR, ERROR, ERROR)
    cluster.wait(60)
    node.follow()


def calm(cluster: Cluster, node: Node) -> None:
    cluster.wait(400)
    node.follow()


def test_a_change_is_written_down_then_sent_once_and_noted(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    fire(cluster, node)
    assert node.list_sends(alert) == [("firing", "pending")]
    assert receiver.requests == []
    fired_ns = node.clock()
    for _ in range(3):
        node.deliver()
        cluster.wait(60)
        node.follow()
    assert node.list_sends(alert) == [("firing", "sent")]
    calm(cluster, node)
    node.deliver()
    node.deliver()
    assert node.list_sends(alert) == [("firing", "sent"), ("resolved", "sent")]
    firing, resolved = (each.read() for each in receiver.requests)
    began = format_time(fired_ns - 300 * NS_PER_S)
    assert {key: firing[key] for key in firing if key not in ("link", "sample")} == {
        "alert": "many errors",
        "state": "firing",
        "severity": "critical",
        "value": 3,
        "threshold": 2.0,
        "from": began,
        "to": format_time(fired_ns),
        "query": "level:error",
        "labels": {"team": "shop"},
    }
    assert [row["message"] for row in firing["sample"]] == ["it <b>broke</b>"] * 3
    assert firing["link"].startswith(f"{BASE_URL}/#/explore?q=level%3Aerror&env=default&index=")
    assert "f=%2Bhost%3Aa" in firing["link"]
    assert (resolved["state"], resolved["value"], resolved["sample"]) == ("resolved", 0, [])
    assert resolved["to"] == format_time(node.clock())
    keys = [each.key for each in receiver.requests]
    assert keys == [
        f"{alert.id}-{fired_ns}-firing",
        f"{alert.id}-{fired_ns}-resolved",
    ]


def test_what_fails_is_tried_again_later_and_later(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    receiver.plan += [500, "drop", 404, 429]
    fire(cluster, node)
    tries = []
    for second in range(20):
        before = len(receiver.requests)
        node.deliver()
        if len(receiver.requests) > before:
            tries.append(second)
        cluster.wait(1)
    assert tries == [0, 1, 3, 7, 15]
    assert len({each.key for each in receiver.requests}) == 1
    assert len({each.body for each in receiver.requests}) == 1
    assert node.list_sends(alert) == [("firing", "sent")]


def test_while_it_waits_the_reason_is_known(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    receiver.plan += [503]
    fire(cluster, node)
    node.deliver()
    state = node.control.alert_states.get(alert.id)
    (send,) = state.episodes[-1].sends
    assert (send.status, send.error) == ("pending", "answered 503: status 503")


def test_an_end_is_never_told_before_its_beginning(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    receiver.plan += [500, 500]
    fire(cluster, node)
    node.deliver()
    calm(cluster, node)
    for _ in range(6):
        node.deliver()
        cluster.wait(5)
    assert receiver.states == ["firing", "firing", "firing", "resolved"]


def test_what_is_too_old_is_given_up_and_said(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    receiver.plan += [500] * 10
    fire(cluster, node)
    node.deliver()
    cluster.wait(GIVE_UP_S)
    node.deliver()
    (send,) = node.control.alert_states.get(alert.id).episodes[-1].sends
    assert send.status == "failed"
    assert send.error == "given up after a day; answered 500: status 500"
    cluster.wait(1_000)
    node.deliver()
    assert len(receiver.requests) == 2


def test_of_an_alert_that_flaps_only_the_newest_changes_wait(
    cluster: Cluster, node: Node, alert: Alert
) -> None:
    for _ in range(25):
        fire(cluster, node)
        calm(cluster, node)
    state = node.control.alert_states.get(alert.id)
    assert len(state.episodes) == 20
    assert [bool(each.pending) for each in state.episodes] == [False] * 15 + [True] * 5
    assert all(each.facts is None for each in state.episodes[:15])
    assert "newer changes are waiting" in state.episodes[0].sends[0].error


def test_one_of_two_nodes_sends(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    two = cluster.start("two")
    fire(cluster, node)
    for _ in range(3):
        two.deliver()
        node.deliver()
        cluster.wait(30)
    calm(cluster, node)
    for _ in range(3):
        node.deliver()
        two.deliver()
        cluster.wait(30)
    assert receiver.states == ["firing", "resolved"]


def test_another_node_sends_what_a_dead_one_left(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    receiver.plan += [500]
    fire(cluster, node)
    node.deliver()
    two = cluster.start("two")
    two.deliver()
    assert len(receiver.requests) == 1
    cluster.wait(LEASE_S)
    two.deliver()
    assert receiver.states == ["firing", "firing"]
    node.deliver()
    assert len(receiver.requests) == 2


def test_what_was_sent_but_not_noted_is_noted_later_and_not_sent_again(
    cluster: Cluster,
    node: Node,
    alert: Alert,
    receiver: HttpReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fire(cluster, node)

    def fail(*_: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(AlertStates, "note", fail)
        node.deliver()
    cluster.wait(5)
    node.deliver()
    assert node.list_sends(alert) == [("firing", "sent")]
    assert len(receiver.requests) == 1


def test_after_a_restart_between_sending_and_noting_the_key_is_the_same(
    cluster: Cluster,
    node: Node,
    alert: Alert,
    receiver: HttpReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fire(cluster, node)

    def die(*_: object) -> None:
        raise Unavailable("the process ends here")

    with monkeypatch.context() as patched:
        patched.setattr(AlertStates, "note", die)
        node.deliver()
        cluster.stop()
    again = cluster.start()
    again.deliver()
    assert again.list_sends(alert) == [("firing", "sent")]
    first, second = receiver.requests
    assert (first.key, first.body) == (second.key, second.body)


def test_a_receiver_that_hangs_holds_up_neither_checks_nor_others(
    cluster: Cluster,
    node: Node,
    ann: User,
    receiver: HttpReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "DEADLINE_S", 0.5)
    with receiving() as slow:
        slow.plan += ["hang"] * 100
        channels = [node.make_channel(slow.url, "slow"), node.make_channel(receiver.url)]
        alerts = [node.make_alert(ann, name=f"a{i}", channels=channels) for i in range(5)]
        fire(cluster, node)
        node.deliver()
        assert len(slow.requests) == 2
        for _ in range(3):
            node.deliver()
        assert len(receiver.requests) == 5
        calm(cluster, node)
        assert {node.find_status(each) for each in alerts} == {"ok"}


def test_a_channel_that_is_gone_is_given_up(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    fire(cluster, node)
    node.control.channels.delete(alert.channels[0])
    node.deliver()
    (send,) = node.control.alert_states.get(alert.id).episodes[-1].sends
    assert (send.status, send.error) == ("failed", "the channel was deleted")


def test_while_muted_nobody_is_told_and_afterwards_what_still_fires(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    node.change(alert, muted_until_ns=node.clock() + 120 * NS_PER_S)
    fire(cluster, node)
    node.deliver()
    assert node.list_sends(alert) == [("firing", "muted")]
    cluster.wait(120)
    node.follow()
    node.deliver()
    assert node.list_sends(alert) == [("firing", "sent")]
    node.change(alert, muted_until_ns=node.clock() + 10_000 * NS_PER_S)
    calm(cluster, node)
    node.deliver()
    assert receiver.states == ["firing", "resolved"]
    fire(cluster, node)
    calm(cluster, node)
    node.deliver()
    assert node.list_sends(alert)[2:] == [("firing", "muted")]
    assert len(receiver.requests) == 2


def test_a_condition_must_be_met_for_a_while(cluster: Cluster, node: Node, alert: Alert) -> None:
    node.change(alert, for_secs=120)
    fire(cluster, node)
    state = node.find_state(alert)
    assert state
    assert (state.status, state.met_since_ns) == ("ok", node.clock())
    cluster.stop()
    cluster.wait(60)
    again = cluster.start()
    again.follow()
    assert again.find_status(alert) == "ok"
    cluster.wait(60)
    again.follow()
    assert again.find_status(alert) == "firing"
    calm(cluster, again)
    again.keep(ERROR, ERROR, ERROR)
    cluster.wait(60)
    again.follow()
    assert again.find_status(alert) == "ok"


@pytest.mark.parametrize(
    ("no_data", "expected"),
    [
        ("ok", ["ok", "firing", "ok"]),
        ("firing", ["firing"] * 3),
        ("keep", ["ok", "firing", "firing"]),
    ],
)
def test_without_data_it_is_as_it_says(
    cluster: Cluster, node: Node, ann: User, no_data: str, expected: list[str]
) -> None:
    alert = node.make_alert(ann, query="* | stats avg(ms)", threshold=5, no_data=no_data)
    node.follow()
    found = [node.find_status(alert)]
    node.keep({"ms": 10})
    cluster.wait(60)
    node.follow()
    found.append(node.find_status(alert))
    calm(cluster, node)
    found.append(node.find_status(alert))
    assert found == expected


def test_a_pending_alert_that_keeps_its_status_does_not_fire_without_data(
    cluster: Cluster, node: Node, ann: User
) -> None:
    query = "* | stats avg(ms)"
    alert = node.make_alert(ann, query=query, threshold=5, no_data="keep", for_secs=600)
    node.follow()
    node.keep({"ms": 10})
    cluster.wait(60)
    node.follow()
    began_ns = node.clock()
    for _ in range(15):
        cluster.wait(60)
        node.follow()
    state = node.find_state(alert)
    assert state is not None
    assert (state.status, state.value, state.is_pending) == ("ok", None, True)
    assert state.since_ns == began_ns
    node.keep({"ms": 10})
    cluster.wait(60)
    node.follow()
    assert node.find_status(alert) == "firing"


def test_every_firing_has_a_sample_however_many_came_before(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    for _ in range(MOST_EPISODES + 2):
        fire(cluster, node)
        node.deliver()
        calm(cluster, node)
        node.deliver()
    firings = [each.read() for each in receiver.requests if each.read()["state"] == "firing"]
    assert [len(each["sample"]) for each in firings] == [3] * (MOST_EPISODES + 2)


def test_after_a_mute_the_notification_has_what_is_found_then(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    alert = node.change(alert, muted_until_ns=node.clock() + 150 * NS_PER_S)
    fire(cluster, node)
    fire(cluster, node)
    node.deliver()
    assert receiver.requests == []
    fire(cluster, node)
    node.deliver()
    (request,) = receiver.requests
    told = request.read()
    assert (told["value"], len(told["sample"])) == (9, 5)
    assert told["to"] == format_time(node.clock())


def test_a_channel_that_is_added_while_it_fires_gets_a_sample(
    cluster: Cluster, node: Node, ann: User, receiver: HttpReceiver
) -> None:
    alert = node.make_alert(ann)
    fire(cluster, node)
    node.change(alert, channels=(node.make_channel(receiver.url),))
    cluster.wait(60)
    node.follow()
    node.deliver()
    (request,) = receiver.requests
    assert len(request.read()["sample"]) == 3


@pytest.mark.parametrize("change", ["delete", "disable", "threshold"])
def test_whoever_was_told_is_told_when_an_alert_is_changed_or_gone(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver, change: str
) -> None:
    fire(cluster, node)
    node.deliver()
    if change == "delete":
        node.control.alerts.delete(alert.id)
    elif change == "disable":
        node.change(alert, enabled=False)
    else:
        node.change(alert, threshold=100.0)
    cluster.wait(60)
    node.follow()
    node.deliver()
    node.follow()
    assert receiver.states == ["firing", "resolved"]
    is_kept = node.control.alert_states.find(alert.id) is not None
    assert is_kept == (change != "delete")


def test_an_error_does_not_end_a_firing(
    cluster: Cluster, node: Node, ann: User, alert: Alert, receiver: HttpReceiver
) -> None:
    fire(cluster, node)
    node.deliver()
    node.control.users.update(ann.id, {"enabled": False})
    cluster.wait(60)
    node.follow()
    assert node.find_status(alert) == "error"
    node.control.users.update(ann.id, {"enabled": True})
    cluster.wait(60)
    node.follow()
    node.deliver()
    assert node.find_status(alert) == "firing"
    assert receiver.states == ["firing"]


def test_the_highest_value_is_kept(cluster: Cluster, node: Node, alert: Alert) -> None:
    fire(cluster, node)
    node.keep(*[ERROR] * 7)
    cluster.wait(60)
    node.follow()
    cluster.wait(250)
    node.follow()
    calm(cluster, node)
    (episode,) = node.control.alert_states.get(alert.id).episodes
    assert episode.highest == 10


def test_hostile_words_reach_every_kind_as_words(
    cluster: Cluster, node: Node, ann: User, receiver: HttpReceiver
) -> None:
    base = receiver.url
    create = node.control.channels.create
    ids = [
        create("webhook", {"name": "w", "url": base}).id,
        create("slack", {"name": "s", "url": base}).id,
        create("alertmanager", {"name": "a", "url": base}).id,
        create("pagerduty", {"name": "p", "url": base, "routing_key": "k"}).id,
    ]
    name = HOSTILE.replace("\u202e", "")
    node.make_alert(ann, name=name, description=HOSTILE, labels={"a": name}, channels=ids)
    fire(cluster, node)
    for _ in range(4):
        node.deliver()
    bodies: list[Any] = [each.read() for each in receiver.requests]
    slack = next(each["text"] for each in bodies if "text" in each)
    assert "<!channel>" not in slack
    assert "&lt;!channel&gt;" in slack
    (manager,) = next(each for each in bodies if isinstance(each, list))
    assert manager["labels"] | {"alert_id": ""} == {
        "a": name,
        "alertname": name,
        "severity": "warning",
        "alert_id": "",
    }
    pager = next(each for each in bodies if "routing_key" in each)
    assert pager["dedup_key"] == manager["labels"]["alert_id"]


def test_deliveries_are_counted(
    cluster: Cluster, node: Node, alert: Alert, receiver: HttpReceiver
) -> None:
    def read(outcome: str) -> float:
        labels = {"kind": "webhook", "outcome": outcome}
        return REGISTRY.get_sample_value("logboom_alert_deliveries_total", labels) or 0.0

    before = read("sent"), read("failed")
    receiver.plan += [500]
    fire(cluster, node)
    node.deliver()
    assert REGISTRY.get_sample_value("logboom_alert_deliveries_pending") == 1
    cluster.wait(1)
    node.deliver()
    node.deliver()
    assert REGISTRY.get_sample_value("logboom_alert_deliveries_pending") == 0
    assert (read("sent") - before[0], read("failed") - before[1]) == (1, 1)


def test_an_alert_that_fired_under_an_earlier_release_goes_on(
    cluster: Cluster, node: Node, ann: User
) -> None:
    """Its state was written before there was anything to send."""
    alert = node.make_alert(ann)
    old = {"id": alert.id, "name": "x", "revision": 0, "status": "firing", "since_ns": 7}
    before = msgspec.convert(old, AlertState)
    node.control.alert_states.change(alert.id, lambda _: before)
    fire(cluster, node)
    state = node.find_state(alert)
    assert state
    assert (state.status, state.since_ns, len(state.episodes)) == ("firing", 7, 1)

"""One check: what is asked, what is compared, and what meets the condition."""

from typing import Any

import pytest
from tests.alerts.guarding import ASKER, Cluster, Node, make_rule

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Forbidden, Invalid
from logboom.control.access.principal import Principal
from logboom.control.saved.alert_states import Group
from logboom.lang.errors import InvalidQuery

EVENTS = [
    {"level": "error", "host": "a", "ms": 10},
    {"level": "error", "host": "a", "ms": 30},
    {"level": "error", "host": "b", "ms": 20},
    {"level": "info", "host": "c", "ms": 5},
]

Expected = tuple[int | float | None, bool, list[Group], str]


@pytest.fixture
def filled(cluster: Cluster, node: Node) -> Node:
    node.keep(*EVENTS)
    cluster.wait(1)
    return node


BY_HOST = "level:error | stats count by host"
CASES: dict[str, tuple[dict[str, Any], Expected]] = {
    "events are counted": ({"query": "level:error", "threshold": 2}, (3, True, [], "count")),
    "above is more": ({"query": "level:error", "threshold": 3}, (3, False, [], "count")),
    "at least": (
        {"query": "level:error", "operator": "at_least", "threshold": 3},
        (3, True, [], "count"),
    ),
    "no event is below": (
        {"query": "nothing", "operator": "below", "threshold": 1},
        (0, True, [], "count"),
    ),
    "at most": (
        {"query": "level:error", "operator": "at_most", "threshold": 2},
        (3, False, [], "count"),
    ),
    "filters stand beside the query": (
        {"query": "level:error OR level:info", "filters": ("host:a", "ms>10")},
        (1, True, [], "count"),
    ),
    "pipes that keep events": ({"query": "* | where ms > 5 | head 2"}, (2, True, [], "count")),
    "sorted events": ({"query": "level:error | sort ms | eval x = ms"}, (3, True, [], "count")),
    "every group is compared": (
        {"query": BY_HOST, "threshold": 1},
        (2, True, [Group({"host": "a"}, 2)], "count"),
    ),
    "groups that meet it, the most extreme first": (
        {"query": BY_HOST, "operator": "below", "threshold": 5},
        (1, True, [Group({"host": "b"}, 1), Group({"host": "a"}, 2)], "count"),
    ),
    "no group": ({"query": "nothing | stats count by host"}, (None, False, [], "")),
    "no group is not below either": (
        {"query": "nothing | stats count by host", "operator": "below", "threshold": 9},
        (None, False, [], ""),
    ),
    "the last column with numbers": (
        {"query": "level:error | stats count, max(ms) as top", "threshold": 25},
        (30, True, [Group({"count": 3}, 30)], "top"),
    ),
    "a named column": (
        {
            "query": "level:error | stats count, max(ms) as top",
            "column": "COUNT",
            "threshold": 25,
        },
        (3, False, [], "count"),
    ),
    "a column without values": ({"query": "nothing | stats avg(ms)"}, (None, False, [], "avg(ms)")),
    "no other column is compared for lack of values": (
        {"query": "level:error | stats count, avg(zz) as lat", "threshold": 2},
        (None, False, [], "lat"),
    ),
    "nor for one that is computed of none": (
        {
            "query": "nothing | stats count as total, sum(ok) as ok | eval rate = ok / total",
            "operator": "below",
            "threshold": 0.9,
        },
        (None, False, [], "rate"),
    ),
    "a text without values is not the column": (
        {
            "query": "nothing | stats count, latest(host), max(_time)",
            "operator": "below",
            "threshold": 1,
        },
        (0, True, [Group({"latest(host)": None, "max(_time)": None}, 0)], "count"),
    ),
    "texts are no numbers": (
        {"query": "level:error | stats count by host | table host"},
        (None, False, [], ""),
    ),
}


@pytest.mark.parametrize(("rule", "expected"), CASES.values(), ids=CASES)
def test_an_answer_is_compared(filled: Node, rule: dict[str, Any], expected: Expected) -> None:
    outcome = filled.ask(make_rule(**rule), ASKER, filled.clock())
    found = (outcome.value, outcome.is_met, list(outcome.groups), outcome.column)
    assert found == expected
    assert outcome.error == ""


def test_a_check_asks_of_the_window_before_it_the_end_excluded(node: Node) -> None:
    now_ns = node.clock()
    node.keep({"message": "x"})
    rule = make_rule(window_secs=60)
    for seconds, expected in ((0, 0), (1, 1), (60, 1), (61, 0)):
        assert node.ask(rule, ASKER, now_ns + seconds * NS_PER_S).value == expected


def test_events_are_counted_without_reading_them(filled: Node) -> None:
    (path,) = (info.path for info in filled.store.snapshot().list_blocks())
    filled.store.objects.delete(path)
    assert filled.ask(make_rule(), ASKER, filled.clock()).value == len(EVENTS)


def test_a_column_that_is_not_there_is_an_error_that_names_the_others(filled: Node) -> None:
    with pytest.raises(Invalid, match="no column 'ms', expected one of host, count"):
        filled.ask(make_rule(query=BY_HOST, column="ms"), ASKER, filled.clock())


def test_too_many_rows_are_an_error(node: Node) -> None:
    node.keep(*({"id": str(number)} for number in range(1_001)))
    with pytest.raises(Invalid, match="1001 rows, expected at most 1000"):
        node.ask(make_rule(query="* | stats count by id"), ASKER, node.clock() + 1)


def test_twenty_groups_are_told_and_long_texts_are_cut(node: Node) -> None:
    node.keep(*({"id": f"{number:03d}" + "x" * 500} for number in range(30)))
    outcome = node.ask(make_rule(query="* | stats count by id"), ASKER, node.clock() + 1)
    assert len(outcome.groups) == 20
    assert {len(str(group.by["id"])) for group in outcome.groups} == {100}


def test_a_question_is_refused_at_its_part(node: Node) -> None:
    unfit: list[tuple[str, dict[str, Any], type[Exception]]] = [
        ("query", {"query": "a | stat count"}, InvalidQuery),
        ("query", {"query": "a | stats count | explain"}, Invalid),
        ("filters", {"filters": ("level:",)}, InvalidQuery),
        ("filters", {"filters": ("a | head 1",)}, InvalidQuery),
        ("env", {"env": "nowhere"}, Invalid),
        ("env", {"env": "_system"}, Invalid),
        ("index", {"index": " , "}, Invalid),
    ]
    for field, members, kind in unfit:
        with pytest.raises(kind) as caught:
            node.ask(make_rule(**members), ASKER, node.clock())
        assert caught.value.data["field"] == field  # type: ignore[attr-defined]


def test_nobody_asks_beyond_his_bounds(cluster: Cluster, node: Node) -> None:
    node.control.environments.create("secret")
    bob = Principal.of_user(node.make_user("bob", envs=("default",), indexes=("web*",)))
    node.keep({"host": "a"}, env="secret")
    node.keep({"host": "b"}, index="db")
    node.keep({"host": "c"}, index="web-1")
    cluster.wait(1)
    with pytest.raises(Forbidden):
        node.ask(make_rule(env="secret"), bob, node.clock())
    assert node.ask(make_rule(), bob, node.clock()).value == 1
    assert node.ask(make_rule(query="_env:secret"), bob, node.clock()).value == 0

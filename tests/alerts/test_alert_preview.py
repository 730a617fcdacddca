"""Previews: step by step what live checks would have found, within bounds."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.alerts.guarding import ASKER, Cluster, Node, make_rule
from tests.properties import examples
from tests.store.stores import NOW_NS

from logboom.alerts.preview import FEW_STEPS, MOST_STEPS, list_levels, list_times
from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Invalid
from logboom.base.process.deadline import Deadline
from logboom.control.access.users import User
from logboom.engine.terms.limits import Limits

RULES: dict[str, dict[str, Any]] = {
    "count": {"threshold": 1},
    "groups": {"query": "* | stats count by host", "threshold": 1},
    "average": {"query": "* | stats avg(ms)", "threshold": 10},
    "below": {"query": "host:a", "operator": "below", "threshold": 1},
    "missing column": {"query": "* | stats count by host", "column": "x"},
    "the time it is": {"query": "* | eval age = now() - _time | stats max(age)"},
    "distinct": {"query": "* | stats count_uniq(host)", "threshold": 1},
    "percentile": {"query": "host:* | stats p90(ms), median(ms) by host", "threshold": 10},
    "share": {
        "query": "* | stats count as n, count() if (host:a) as a | eval share = a / n",
        "threshold": 0.4,
    },
    "rate": {"query": "* | stats rate()", "threshold": 0.02},
    "the first of several": {"query": "* | stats sum(ms) as ms by host | sort -ms | head 1"},
    "the last value": {"query": "* | stats last(ms)", "threshold": 10},
    "events that are left": {"query": "* | dedup host | where ms > 10"},
    "no slot": {"query": "* | rename ms as slot | stats sum(slot) as slot_", "threshold": 10},
    "of another range": {"query": "host:in(* | top 1 host | fields host)"},
}


@pytest.mark.parametrize("members", RULES.values(), ids=RULES)
def test_each_step_is_what_the_live_check_would_have_found(
    cluster: Cluster, node: Node, ann: User, members: dict[str, Any]
) -> None:
    alert = node.make_alert(ann, **{"window_secs": 120, "threshold": 0.0, "query": "", **members})
    lived = []
    for minute, hosts in enumerate(("", "a", "ab", "", "", "aabb", "b", "", "", "")):
        node.keep(*({"host": host, "ms": minute * 5} for host in hosts), {"unrelated": 1})
        cluster.wait(60)
        node.follow()
        state = node.find_state(alert)
        assert state
        lived.append((format_time(node.clock()), state.value, state.status == "firing"))
    found = node.preview(alert.rule, ASKER, since_s=600)
    assert [(step.time, step.value, step.is_met) for step in found.steps] == lived
    assert found.step_secs == 60
    assert found.complete


SLIDING = (
    "stats count by host",
    "stats sum(ms), avg(ms), max(ms) by host | where host != null",
    "stats stdev(ms), count_uniq(ms), rate_sum(ms)",
    "stats count_uniq(ms), min(ms) by host | sort host | head 1",
)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(st.tuples(st.integers(1, 900), st.integers(0, 5)), max_size=20),
    window_secs=st.integers(60, 400),
    every_secs=st.integers(10, 200),
    pipes=st.sampled_from(SLIDING),
)
def test_windows_found_by_one_look_are_those_of_single_checks(
    cluster: Cluster,
    node: Node,
    events: list[tuple[int, int]],
    window_secs: int,
    every_secs: int,
    pipes: str,
) -> None:
    cluster.wait(10_000)
    now_s = node.clock() // NS_PER_S
    node.keep(
        *(
            {"timestamp": now_s - age, "mine": now_s, "host": "abc"[ms % 3], "ms": ms}
            for age, ms in events
        ),
        {"other": 1},
    )
    rule = make_rule(query=f"mine:={now_s} | {pipes}", window_secs=window_secs)
    found = node.preview(rule, ASKER, since_s=600, every_secs=every_secs)
    times_ns = [(now_s - age) * NS_PER_S for age in range(0, 600, every_secs)][::-1]
    values = [node.ask(rule, ASKER, time_ns).value for time_ns in times_ns]
    assert [step.value for step in found.steps] == pytest.approx(values)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ages_s=st.lists(st.integers(1, 900), max_size=20),
    window_secs=st.integers(60, 400),
    every_secs=st.integers(10, 200),
    threshold=st.integers(0, 4),
)
def test_a_preview_counts_as_one_would_by_hand(
    cluster: Cluster,
    node: Node,
    ages_s: list[int],
    window_secs: int,
    every_secs: int,
    threshold: int,
) -> None:
    cluster.wait(10_000)
    now_s = node.clock() // NS_PER_S
    node.keep(*({"timestamp": now_s - age, "mine": now_s} for age in ages_s), {"other": 1})
    rule = make_rule(query=f"mine:={now_s}", window_secs=window_secs, threshold=threshold)
    found = node.preview(rule, ASKER, since_s=600, every_secs=every_secs)
    times_s = range(now_s, now_s - 600, -every_secs)[::-1]
    counts = [
        sum(time_s - window_secs <= now_s - age < time_s for age in ages_s) for time_s in times_s
    ]
    assert [step.value for step in found.steps] == counts
    assert [step.is_met for step in found.steps] == [count > threshold for count in counts]


def test_firings_are_spans_of_checks_that_meet_the_condition(cluster: Cluster, node: Node) -> None:
    start_ns = node.clock()
    for amount in (0, 2, 3, 0, 0, 1):
        node.keep(*({"host": "a"} for _ in range(amount)), {"unrelated": 1})
        cluster.wait(60)
    found = node.preview(make_rule(query="host:a", window_secs=60), ASKER, since_s=360)

    def tell(minutes: int) -> str:
        return format_time(start_ns + minutes * 60 * NS_PER_S)

    assert [step.value for step in found.steps] == [0, 2, 3, 0, 0, 1]
    assert [(each.from_, each.to, each.peak) for each in found.firings] == [
        (tell(2), tell(4), 3),
        (tell(6), tell(6), 1),
    ]
    assert found.seconds_firing == 120
    assert found.column == "count"


def test_the_peak_below_a_threshold_is_the_least(cluster: Cluster, node: Node) -> None:
    node.keep({"host": "a"})
    cluster.wait(240)
    rule = make_rule(query="host:a", window_secs=120, operator="at_most", threshold=1)
    found = node.preview(rule, ASKER, since_s=240)
    assert [step.value for step in found.steps] == [1, 1, 0, 0]
    assert [each.peak for each in found.firings] == [0]


def test_a_step_that_cannot_be_asked_says_why(node: Node) -> None:
    node.keep({"host": "a"})
    rule = make_rule(query="* | stats count by host", column="x")
    (step,) = node.preview(rule, ASKER, since_s=60).steps
    assert (step.value, step.is_met) == (None, False)
    assert step.error == "no column 'x', expected one of host, count"


@given(range_ns=st.integers(1, 10**18), every_secs=st.integers(10, 86_400))
def test_there_are_at_most_so_many_steps_and_the_last_is_at_the_end(
    range_ns: int, every_secs: int
) -> None:
    times = list_times(NOW_NS - range_ns, NOW_NS, every_secs)
    assert 1 <= len(times.times_ns) <= MOST_STEPS
    assert times.times_ns[-1] == NOW_NS
    assert times.times_ns[0] > NOW_NS - range_ns
    assert times.step_secs % every_secs == 0
    gaps = {
        later - earlier for earlier, later in zip(times.times_ns, times.times_ns[1:], strict=False)
    }
    assert gaps <= {times.step_secs * NS_PER_S}
    is_least = times.step_secs == every_secs
    assert is_least or range_ns > (times.step_secs - every_secs) * NS_PER_S * MOST_STEPS


def test_a_day_of_checks_is_looked_at_check_by_check(node: Node) -> None:
    node.keep({"host": "a"})
    found = node.preview(make_rule(query="host:a"), ASKER, since_s=86_400, every_secs=60)
    assert (found.step_secs, len(found.steps), found.complete) == (60, 1440, True)


@given(range_secs=st.integers(1, 10**7), every_secs=st.integers(10, 1000))
def test_levels_are_of_the_whole_range_and_end_with_every_check(
    range_secs: int, every_secs: int
) -> None:
    times = list_times(NOW_NS - range_secs * NS_PER_S, NOW_NS, every_secs)
    levels = list(list_levels(times))
    assert levels[-1] == times
    assert len(levels[0].times_ns) <= FEW_STEPS
    for level in levels:
        assert level.times_ns[-1] == NOW_NS
        assert set(level.times_ns) <= set(times.times_ns)
        assert level.times_ns[0] - level.step_secs * NS_PER_S <= times.times_ns[0]


def test_a_range_without_time_is_refused() -> None:
    with pytest.raises(Invalid, match="is not before"):
        list_times(NOW_NS, NOW_NS, 60)


def test_when_time_runs_out_the_steps_so_far_are_answered(cluster: Cluster) -> None:
    hasty = cluster.start("hasty", Limits(timeout_s=0.0))
    found = hasty.preview(make_rule(), ASKER, since_s=600)
    assert (found.complete, found.steps, found.firings) == (False, [], [])


class Patience(Deadline):
    """Is over after it was asked for so often."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self._left = left

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("patience", [1, 3, 8])
def test_the_steps_so_far_are_those_of_the_whole(
    cluster: Cluster, node: Node, patience: int
) -> None:
    node.keep({"host": "a"})
    cluster.wait(60)
    rule = make_rule(query="host:a")
    found = node.preview(rule, ASKER, since_s=600, cancelled=Patience(patience))
    whole = node.preview(rule, ASKER, since_s=600)
    assert (found.complete, whole.complete) == (False, True)
    assert len(found.steps) < len(whole.steps)
    assert found.steps == whole.steps[: len(found.steps)]

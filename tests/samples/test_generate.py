"""The sample data: as many events as ordered, in their time, with the incident and its traces inside."""

import json
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.samples.generate import BOUNDS, Order, check_bounds, list_events, write_lines
from logboom.samples.incident import NS_PER_MS, Incident
from logboom.samples.topology import INDEXES, SERVICES
from logboom.samples.traffic import NS_PER_HOUR, weigh

NOW_NS = 1_772_445_600 * NS_PER_S
DAY = Order(20_000, 24, NOW_NS, 7)

Events = list[dict[str, Any]]

orders = st.builds(
    Order,
    events=st.integers(1_000, 3_000),
    hours=st.integers(*BOUNDS["hours"]),
    to_ns=st.integers(NOW_NS, NOW_NS + 7 * 24 * NS_PER_HOUR),
    seed=st.integers(*BOUNDS["seed"]),
)


@cache
def list_day() -> Events:
    return list(list_events(DAY))


@cache
def group_traces() -> list[Events]:
    traces: dict[str, Events] = defaultdict(list)
    for event in list_day():
        if "trace_id" in event:
            traces[event["trace_id"]].append(event)
    return list(traces.values())


@settings(max_examples=examples(30))
@given(order=orders)
def test_there_are_as_many_events_as_ordered_and_all_of_them_in_their_time(order: Order) -> None:
    times = [event["timestamp"] for event in list_events(order)]
    assert len(times) == order.events
    assert order.period.from_ns <= min(times)
    assert order.to_ns - 2 * NS_PER_S <= max(times) <= order.to_ns


@settings(max_examples=examples(30))
@given(order=orders)
def test_only_the_release_fails_and_only_while_it_runs(order: Order) -> None:
    window = Incident.within(order.period).window
    events = [event for event in list_events(order) if event["service"] == "payments"]
    failed = [event for event in events if event["level"] == "error"]
    assert {(event["version"], event["region"]) for event in failed} <= {("2.4.1", "eu-west-1")}
    released = [event for event in events if event["version"] == "2.4.1"]
    slowest_ns = 15 * NS_PER_S
    assert all(
        window.from_ns <= event["timestamp"] < window.to_ns + slowest_ns for event in released
    )


@settings(max_examples=examples(10))
@given(order=orders)
def test_the_same_order_gets_the_same_events(order: Order) -> None:
    assert list(write_lines(order)) == list(write_lines(order))


def test_another_seed_gets_other_events() -> None:
    assert list(write_lines(DAY)) != list(write_lines(DAY._replace(seed=8)))


def test_pieces_are_whole_lines_of_json_with_a_time_each() -> None:
    pieces = list(write_lines(DAY))
    assert len(pieces) > 1
    events = [json.loads(line) for piece in pieces for line in piece.splitlines()]
    assert len(events) == DAY.events
    assert all(event["timestamp"].endswith("Z") for event in events)
    assert all(event["message"] for event in events)


def test_every_service_speaks_and_goes_to_its_index() -> None:
    spoken = {event["service"]: event["tier"] for event in list_day()}
    assert spoken == {name: service.tier for name, service in SERVICES.items()}
    assert {f"shop-{tier}" for tier in spoken.values()} == set(INDEXES)


def test_the_traffic_is_a_wave_over_the_day() -> None:
    window = Incident.within(DAY.period).window
    hours = Counter(
        event["timestamp"] % (24 * NS_PER_HOUR) // NS_PER_HOUR
        for event in list_day()
        if not window.from_ns <= event["timestamp"] < window.to_ns + NS_PER_HOUR
    )
    assert hours[19] > 3 * hours[4]
    assert hours[12] > 2 * hours[4]


def test_there_is_more_traffic_at_the_weekend() -> None:
    friday_noon_ns = 1_772_193_600 * NS_PER_S
    assert weigh(friday_noon_ns + 24 * NS_PER_HOUR) > weigh(friday_noon_ns)
    assert weigh(friday_noon_ns + 72 * NS_PER_HOUR) == pytest.approx(weigh(friday_noon_ns))


def test_spans_lie_inside_of_their_parents() -> None:
    checked = 0
    for trace in group_traces():
        spans = {event["span_id"]: event for event in trace}
        for event in trace:
            parent = spans.get(event.get("parent_span_id", ""))
            if parent is None:
                continue
            checked += 1
            assert event["timestamp"] <= parent["timestamp"]
            assert begin(event) >= begin(parent) - NS_PER_MS
    assert checked > 1_000


def begin(event: dict[str, Any]) -> int:
    return int(event["timestamp"] - event["duration_ms"] * NS_PER_MS)


def test_traces_join_services() -> None:
    joined = Counter(len({event["service"] for event in trace}) for trace in group_traces())
    assert sum(count for services, count in joined.items() if services >= 3) > 1_000
    assert joined[7] > 50
    assert all(len({event["region"] for event in trace}) == 1 for trace in group_traces())


def test_a_failure_goes_up_from_payments_to_the_edge() -> None:
    failing = [
        trace
        for trace in group_traces()
        if any(event["service"] == "payments" and event["level"] == "error" for event in trace)
    ]
    assert len(failing) > 50
    for trace in failing:
        levels = {event["service"]: event["level"] for event in trace}
        assert {levels[name] for name in ("payments", "checkout", "web", "edge")} == {"error"}
        assert "worker" not in levels


def test_other_pods_of_the_region_do_well_during_the_incident() -> None:
    window = Incident.within(DAY.period).window
    versions = {
        event["version"]
        for event in list_day()
        if event["service"] == "payments"
        and event["region"] == "eu-west-1"
        and window.from_ns <= event["timestamp"] < window.to_ns
    }
    assert versions == {"2.4.0", "2.4.1"}


def test_waiting_grows_until_the_rollback() -> None:
    window = Incident.within(DAY.period).window
    middle_ns = window.find(0.5)
    waiting = [
        (event["timestamp"] > middle_ns, event["pool"]["waiting"])
        for event in list_day()
        if event.get("pool", {}).get("waiting")
    ]
    early, late = ([count for is_late, count in waiting if is_late == half] for half in (0, 1))
    assert sum(late) / len(late) > 1.5 * sum(early) / len(early)


@together(
    "text",
    [
        "\x1b[32m",
        "Traceback (most recent call last):\n",
        "\n\tat shop.payments.audit.RefundAudit.open",
        "Caused by: java.util.concurrent.TimeoutException",
        'level=info msg="cart saved"',
        '{"op":"search"',
        "contact form:",
        "deployed payments 2.4.1 to eu-west-1",
        "rolled back payments 2.4.1",
    ],
)
def test_there_is_something_of_every_kind(text: str) -> None:
    assert any(text in event["message"] for event in list_day())


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_kept_and_named(name: str) -> None:
    least, most = BOUNDS[name]
    check_bounds(**{name: least})
    check_bounds(**{name: most})
    for value in (least - 1, most + 1):
        with pytest.raises(Invalid) as caught:
            check_bounds(**{name: value})
        assert caught.value.data == {"field": name}

"""Sign-ins that were turned away are in the audit trail, and cannot fill it."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.logged import list_said_by

from logboom.base.clock import NS_PER_S
from logboom.control.access.audit import Audit
from logboom.control.access.signin.throttled_logins import MOST_PLACES, PAUSE_NS, ThrottledLogins

START_NS = 1_700_000_000 * NS_PER_S

Event = tuple[str, str, int]


class World:
    """The counter, a clock that stands where it is put, and what was written."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.clear()
        caplog.set_level(logging.INFO, "logboom.audit")
        self._caplog = caplog
        self.now_ns = START_NS
        self.throttled_logins = ThrottledLogins(Audit(), lambda: self.now_ns)

    def take_events(self) -> list[Event]:
        records = list_said_by("logboom.audit", self._caplog)
        self._caplog.clear()
        assert {(each.action, each.outcome) for each in records} <= {("login_throttled", "refused")}
        return [(each.target, each.address, each.details["tries"]) for each in records]


def test_the_first_is_told_at_once_and_the_others_together(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(caplog)
    world.throttled_logins.note("ann", "10.0.0.1")
    assert world.take_events() == [("ann", "10.0.0.1", 1)]
    for account in ("ann", "bob", "ann"):
        world.throttled_logins.note(account, "10.0.0.1")
    world.now_ns += PAUSE_NS - 1
    world.throttled_logins.flush()
    assert world.take_events() == []
    world.now_ns += 1
    world.throttled_logins.flush()
    assert world.take_events() == [("ann", "10.0.0.1", 2), ("bob", "10.0.0.1", 1)]
    world.now_ns += PAUSE_NS
    world.throttled_logins.flush()
    assert world.take_events() == []


def test_a_flood_from_everywhere_is_a_few_events(caplog: pytest.LogCaptureFixture) -> None:
    world = World(caplog)
    for number in range(1001):
        world.throttled_logins.note("ann", f"10.0.{number >> 8}.{number & 255}")
    assert world.take_events() == [("ann", "10.0.0.0", 1)]
    world.now_ns += PAUSE_NS
    world.throttled_logins.flush()
    events = world.take_events()
    assert len(events) == MOST_PLACES + 1
    assert events[-1] == ("", "", 1000 - MOST_PLACES)


def test_a_clock_that_is_set_back_keeps_nothing_secret(caplog: pytest.LogCaptureFixture) -> None:
    world = World(caplog)
    world.throttled_logins.note("ann", "10.0.0.1")
    world.now_ns -= 3600 * NS_PER_S
    world.throttled_logins.note("ann", "10.0.0.1")
    assert world.take_events() == [("ann", "10.0.0.1", 1)] * 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 30)), max_size=60))
def test_every_one_is_counted_once_and_events_are_bounded(
    caplog: pytest.LogCaptureFixture, steps: list[tuple[int, int]]
) -> None:
    world = World(caplog)
    for pause_s, account in steps:
        world.now_ns += pause_s * NS_PER_S
        world.throttled_logins.note(f"user{account}", "10.0.0.1")
    minutes = (world.now_ns - START_NS) // PAUSE_NS + 1
    world.now_ns += PAUSE_NS
    world.throttled_logins.flush()
    events = world.take_events()
    assert sum(tries for _, _, tries in events) == len(steps)
    assert len(events) <= (minutes + 1) * (MOST_PLACES + 1)

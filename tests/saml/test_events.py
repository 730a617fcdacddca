"""Refused sign-ins become events, and a flood of them only a few."""

import pytest
from tests.logged import list_said_by

from logboom.base.clock import NS_PER_S
from logboom.saml.events import MOST_EVENTS, RefusalLog
from logboom.saml.reasons import REASONS, Refused


def test_each_refusal_is_an_event_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    reference = RefusalLog(lambda: NS_PER_S).note(Refused("saml_expired", "70 s ago"), "::1", "ann")
    (record,) = list_said_by("logboom.saml", caplog)
    assert (record.message, record.event, record.reference) == (
        "saml_expired",
        "saml_expired",
        reference,
    )
    assert (record.reason, record.detail) == (REASONS["saml_expired"], "70 s ago")
    assert (record.address, record.identity) == ("::1", "ann")


def test_a_flood_is_counted_and_written_a_minute_later(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [1000]
    refusals = RefusalLog(lambda: now_s[0] * NS_PER_S)
    for _ in range(MOST_EVENTS + 20):
        refusals.note(Refused("saml_malformed"), "::1")
    refusals.note(Refused("saml_expired"), "::1")
    assert len(list_said_by("logboom.saml", caplog)) == MOST_EVENTS
    refusals.flush()
    assert len(list_said_by("logboom.saml", caplog)) == MOST_EVENTS
    now_s[0] += 60
    refusals.flush()
    counted = list_said_by("logboom.saml", caplog)[MOST_EVENTS:]
    assert {each.event: each.more for each in counted} == {"saml_malformed": 20, "saml_expired": 1}
    refusals.note(Refused("saml_expired"), "::1")
    assert len(list_said_by("logboom.saml", caplog)) == MOST_EVENTS + 3

"""Builds a notification from a stored episode."""

from urllib.parse import urlencode

from logboom.alerts.sending.notification import Notification
from logboom.base.clock import format_time
from logboom.control.saved.alert_states import Change, Episode, Facts

EXPLORE = "/#/explore"


def make_notification(
    alert_id: str, episode: Episode, change: Change, base_url: str
) -> Notification:
    """Return the notification, the same for every attempt; the facts must be present."""
    facts = episode.facts
    assert facts is not None
    is_over = change == "resolved" and episode.to_ns is not None
    to_ns = episode.to_ns if is_over else facts.to_ns
    to_ns = episode.from_ns if to_ns is None else to_ns
    return Notification(
        key=f"{alert_id}-{episode.from_ns}-{change}",
        alert_id=alert_id,
        alert=facts.alert,
        description=facts.description,
        state=change,
        severity=facts.severity,
        operator=facts.operator,
        value=facts.last_value if is_over else facts.value,
        threshold=facts.threshold,
        since_ns=episode.from_ns,
        from_ns=facts.window_from_ns,
        to_ns=to_ns,
        query=facts.query,
        link=make_link(base_url, facts, to_ns),
        labels=facts.labels,
        sample=() if is_over else facts.sample,
    )


def make_link(base_url: str, facts: Facts, to_ns: int) -> str:
    """Return the address of the Explore page with the query and the range."""
    parameters = [
        ("q", facts.query),
        ("env", facts.env),
        ("index", facts.index),
        ("from", format_time(facts.window_from_ns)),
        ("to", format_time(to_ns)),
        *(("f", f"+{each}") for each in facts.filters),
    ]
    return f"{base_url}{EXPLORE}?{urlencode(parameters)}"

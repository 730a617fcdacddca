"""How a check changes the state of an alert: whether it fires, and which notifications follow. Pure functions."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import field

from logboom.alerts.check import FROM_ABOVE, Outcome
from logboom.base.clock import NS_PER_S
from logboom.base.structs import InternalStruct
from logboom.control.saved.alert_states import (
    AlertState,
    Episode,
    Facts,
    Number,
    Send,
    Status,
    forget_facts,
)
from logboom.control.saved.alerts import Alert, Operator

MOST_EPISODES = 20
MOST_WAITING = 5
"""At most this many episodes keep pending notifications; those of older ones are given up."""

replace = msgspec.structs.replace


class CheckResult(InternalStruct, frozen=True):
    """The result of a check, and when.

    `names` are the channel names by id; `highest` is the most extreme value of the current firing, as far as this
    node knows.
    """

    outcome: Outcome
    time_ns: int
    names: Mapping[str, str] = field(default_factory=dict)
    highest: Number | None = None
    sample: tuple[dict[str, object], ...] = ()


def advance(alert: Alert, found: CheckResult, before: AlertState | None) -> AlertState:
    """Return the state after a check; `before` may be of an earlier revision, or over."""
    current = find_current(alert, before)
    met_since_ns = find_met_since(alert, found, current)
    status = choose_status(alert, found, current, met_since_ns)
    episodes = before.episodes if before else ()
    if before and not current:
        episodes = close_last(episodes, None, found.time_ns)
    state = AlertState(
        id=alert.id,
        name=alert.name,
        revision=alert.revision,
        status=status,
        since_ns=found.time_ns,
        value=found.outcome.value,
        groups=found.outcome.groups,
        error=found.outcome.error,
        met_since_ns=met_since_ns,
        episodes=bound(follow(alert, found, status, met_since_ns, episodes), found.time_ns),
    )
    is_same = current and (current.status, current.is_pending) == (status, state.is_pending)
    return replace(state, since_ns=current.since_ns) if current and is_same else state


def find_current(alert: Alert, before: AlertState | None) -> AlertState | None:
    is_current = before and before.revision == alert.revision and not before.is_over
    return before if is_current else None


def find_met_since(alert: Alert, found: CheckResult, current: AlertState | None) -> int | None:
    """Return since when the condition is met, or None while it is not met, or unknown."""
    before_ns = current.met_since_ns if current else None
    outcome = found.outcome
    is_met = outcome.is_met
    if not is_met and not outcome.error and outcome.value is None:
        if alert.no_data == "keep":
            return before_ns
        is_met = alert.no_data == "firing"
    if not is_met:
        return None
    return found.time_ns if before_ns is None else before_ns


def choose_status(
    alert: Alert, found: CheckResult, current: AlertState | None, met_since_ns: int | None
) -> Status:
    if met_since_ns is not None:
        is_open = current is not None and (
            current.status == "firing" or find_open(current.episodes) is not None
        )
        is_long = found.time_ns - met_since_ns >= alert.for_secs * NS_PER_S
        # What was kept for lack of data does not make it fire.
        is_known = found.outcome.is_met or alert.no_data == "firing"
        return "firing" if is_open or (is_long and is_known) else "ok"
    return "error" if found.outcome.error else "ok"


def find_open(episodes: Sequence[Episode]) -> Episode | None:
    """Return the current episode; only the last can be current."""
    return episodes[-1] if episodes and episodes[-1].to_ns is None else None


def follow(
    alert: Alert,
    found: CheckResult,
    status: Status,
    met_since_ns: int | None,
    episodes: tuple[Episode, ...],
) -> tuple[Episode, ...]:
    """Return the episodes after a check. While the query fails, an episode continues, because its end is unknown."""
    episode = find_open(episodes)
    if episode and status != "firing":
        highest = choose_extreme(alert.operator, (episode.highest, found.highest))
        episodes = (*episodes[:-1], replace(episode, highest=highest))
    if status == "ok":
        return close_last(episodes, found.outcome.value, found.time_ns)
    if status == "error":
        return episodes
    if episode is None:
        assert met_since_ns is not None
        facts = gather_facts(alert, found, met_since_ns)
        episode = Episode(from_ns=found.time_ns, facts=facts)
        episodes = (*episodes, episode)
    values = (episode.highest, found.highest, found.outcome.value)
    sends = plan_firing(episode.sends, alert, found)
    changed = replace(episode, highest=choose_extreme(alert.operator, values), sends=sends)
    return (*episodes[:-1], update_facts(changed, episode, found))


def update_facts(changed: Episode, episode: Episode, found: CheckResult) -> Episode:
    """Return the change with new facts if it is reported later, such as after a mute: those that the check found."""
    facts = episode.facts
    if facts is None or changed.from_ns == found.time_ns or not adds_pending(episode, changed):
        return changed
    later = replace(facts, to_ns=found.time_ns, value=found.outcome.value, sample=found.sample)
    return replace(changed, facts=later)


def adds_pending(before: Episode | None, after: Episode | None) -> bool:
    """Return whether somebody is to be notified who was not before."""
    known = before.pending if before else ()
    return after is not None and any(send not in known for send in after.pending)


def gather_facts(alert: Alert, found: CheckResult, met_since_ns: int) -> Facts:
    return Facts(
        alert=alert.name,
        description=alert.description,
        severity=alert.severity,
        operator=alert.operator,
        threshold=alert.threshold,
        query=alert.query,
        filters=alert.filters,
        env=alert.env,
        index=alert.index,
        labels=alert.labels,
        window_from_ns=met_since_ns - alert.window_secs * NS_PER_S,
        value=found.outcome.value,
        sample=found.sample,
    )


def choose_extreme(operator: Operator, values: Sequence[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    extreme = max if operator in FROM_ABOVE else min
    return extreme(known) if known else None


def plan_firing(sends: tuple[Send, ...], alert: Alert, found: CheckResult) -> tuple[Send, ...]:
    """Return the notifications of a firing: one for each channel, and none while the alert is muted."""
    planned = {send.channel: send for send in sends}
    is_muted = alert.is_muted(found.time_ns)
    for channel in alert.channels:
        present = planned.get(channel)
        if present is None or (present.status == "muted" and not is_muted):
            planned[channel] = Send(
                channel=channel,
                name=found.names.get(channel, ""),
                change="firing",
                status="muted" if is_muted else "pending",
                at_ns=found.time_ns,
            )
    return tuple(planned.values())


def close_last(
    episodes: tuple[Episode, ...], value: Number | None, time_ns: int
) -> tuple[Episode, ...]:
    """End the last episode if it is open; channels that were told it fires are told, muted or not."""
    episode = find_open(episodes)
    if episode is None:
        return episodes
    told = [
        replace(send, change="resolved", status="pending", at_ns=time_ns, error="")
        for send in episode.sends
        if send.status != "muted"
    ]
    facts = replace(episode.facts, last_value=value) if episode.facts else None
    closed = replace(episode, to_ns=time_ns, sends=(*episode.sends, *told), facts=facts)
    return (*episodes[:-1], forget_facts(closed))


def bound(episodes: tuple[Episode, ...], time_ns: int) -> tuple[Episode, ...]:
    """Return the newest episodes; pending notifications of too old ones are given up."""
    waiting = [episode.from_ns for episode in episodes if episode.pending]
    given_up = set(waiting[:-MOST_WAITING])
    kept = episodes[-MOST_EPISODES:]
    return tuple(give_up(each, time_ns) if each.from_ns in given_up else each for each in kept)


def give_up(episode: Episode, time_ns: int) -> Episode:
    error = "given up, because newer changes are waiting to be sent"
    sends = tuple(
        replace(
            send,
            status="failed",
            at_ns=time_ns,
            error=f"{error}; {send.error}" if send.error else error,
        )
        if send.status == "pending"
        else send
        for send in episode.sends
    )
    return forget_facts(replace(episode, sends=sends))


def end(state: AlertState, time_ns: int) -> AlertState:
    """Return what is left of the state of an alert that was changed, disabled or deleted."""
    return replace(
        state,
        is_over=True,
        met_since_ns=None,
        groups=(),
        error="",
        episodes=close_last(state.episodes, None, time_ns),
    )

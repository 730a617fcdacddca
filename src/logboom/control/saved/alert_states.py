"""The states of alerts: results of the last checks, past firings, pending and sent notifications."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal, NamedTuple

import msgspec

from logboom.base.errors import Conflict, NotFound
from logboom.control.documents.records import Record, Records
from logboom.control.documents.store import Documents
from logboom.control.saved.alerts import Alert, Operator, Severity

Number = int | float
Status = Literal["ok", "firing", "error"]
Change = Literal["firing", "resolved"]
SendStatus = Literal["pending", "sent", "failed", "muted"]


class Group(msgspec.Struct, frozen=True):
    """A row of the answer that meets the condition: its value, and the other columns."""

    by: dict[str, object]
    value: Number


class Send(msgspec.Struct, frozen=True, kw_only=True):
    """A notification to one channel; `at_ns` is when it was planned, then when it was sent or given up."""

    channel: str
    name: str
    change: Change
    status: SendStatus
    at_ns: int
    error: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a notification: the alert at that time, and what the check found."""

    alert: str
    description: str
    severity: Severity
    operator: Operator
    threshold: float
    query: str
    filters: tuple[str, ...]
    env: str
    index: str
    labels: dict[str, str]
    window_from_ns: int
    to_ns: int | None = None
    """The check whose result it is; None for that which began the episode."""
    value: Number | None
    last_value: Number | None = None
    sample: tuple[dict[str, object], ...] = ()


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """A firing and its notifications. `highest` is the most extreme value; the facts are dropped once all are sent."""

    from_ns: int
    to_ns: int | None = None
    highest: Number | None = None
    sends: tuple[Send, ...] = ()
    facts: Facts | None = None

    @property
    def pending(self) -> tuple[Send, ...]:
        return tuple(send for send in self.sends if send.status == "pending")


class AlertState(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of an alert of this id and revision, and since when; `value` is from the check that wrote it.

    `met_since_ns` is since when the condition is met. Pending notifications are part of the state, so that both are
    saved at once. A state that `is_over` says nothing about the present: it keeps the episodes, oldest first.
    """

    name: str
    revision: int
    status: Status
    since_ns: int
    value: Number | None = None
    groups: tuple[Group, ...] = ()
    error: str = ""
    met_since_ns: int | None = None
    episodes: tuple[Episode, ...] = ()
    is_over: bool = False

    @property
    def is_pending(self) -> bool:
        """Whether the condition is met, but not yet for long enough."""
        return self.status == "ok" and self.met_since_ns is not None

    @property
    def has_pending(self) -> bool:
        return any(episode.pending for episode in self.episodes)


class SendId(NamedTuple):
    """Identifies a notification: alert, change and channel."""

    alert_id: str
    from_ns: int
    channel: str
    change: Change


Make = Callable[[AlertState | None], AlertState]
"""Computes a new state from the newest one; may be called more than once."""


class AlertStates(Records[AlertState]):
    """The states of alerts by their ids; only the holder of an alert's lease changes its check results."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents, "alert-states", AlertState, noun="state of alert")

    def find_of(self, alert: Alert) -> AlertState | None:
        """Return the state of an alert, or None if there is none of its revision, or that is over."""
        state = self.find(alert.id)
        return state if state and state.revision == alert.revision and not state.is_over else None

    def change(self, alert_id: str, make: Make) -> tuple[AlertState | None, AlertState]:
        """Replace the newest state by the result of `make`; return both."""
        replaced: AlertState | None = None

        def replace(states: dict[str, AlertState]) -> dict[str, AlertState]:
            nonlocal replaced
            replaced = states.get(alert_id)
            return {**states, alert_id: make(replaced)}

        after = self._edit(replace)[alert_id]
        return replaced, after

    def end(self, state: AlertState, left: AlertState | None = None) -> None:
        """Replace a state by what is left of it.

        Raise NotFound if it is gone, Conflict if it was replaced by another.
        """

        def check(newest: AlertState) -> AlertState:
            if newest != state:
                raise Conflict(f"state of alert {state.name!r} changed in the meantime")
            return left or newest

        if left:
            self._replace(state.id, check)
        else:
            self.delete(state.id, allow=check)

    def note(self, send_id: SendId, status: SendStatus, at_ns: int, error: str = "") -> None:
        """Record the result of a notification; ignored if it is not known."""

        def change(state: AlertState) -> AlertState:
            return replace_episodes(state, (note_send(each) for each in state.episodes))

        def note_send(episode: Episode) -> Episode:
            if episode.from_ns != send_id.from_ns:
                return episode
            sends = tuple(
                msgspec.structs.replace(send, status=status, at_ns=at_ns, error=error)
                if (send.channel, send.change) == (send_id.channel, send_id.change)
                else send
                for send in episode.sends
            )
            return forget_facts(msgspec.structs.replace(episode, sends=sends))

        with suppress(NotFound):
            self._replace(send_id.alert_id, change)


def replace_episodes(state: AlertState, episodes: Iterable[Episode]) -> AlertState:
    return msgspec.structs.replace(state, episodes=tuple(episodes))


def forget_facts(episode: Episode) -> Episode:
    """Return the episode without facts that are no longer needed."""
    if episode.to_ns is None or episode.pending:
        return episode
    return msgspec.structs.replace(episode, facts=None)


def differs(before: AlertState | None, after: AlertState) -> bool:
    """Return whether it differs in more than the values, which change with every check."""
    return before is None or outline(before) != outline(after)


def outline(state: AlertState) -> tuple[object, ...]:
    groups = [group.by for group in state.groups]
    episodes = [(each.from_ns, each.to_ns, each.sends) for each in state.episodes]
    found = (state.status, state.error, sorted(map(repr, groups)), state.met_since_ns)
    return state.revision, state.is_over, found, episodes

"""What the last checks of alerts have found, as far as it differs from what was found before."""

from typing import Literal

import msgspec

from logboom.base.errors import Conflict
from logboom.control.documents.records import Record, Records
from logboom.control.documents.store import Documents
from logboom.control.kept.alerts import Alert

Number = int | float
Status = Literal["ok", "firing", "error"]


class Group(msgspec.Struct, frozen=True):
    """A row of the answer that meets the condition: its value, and the other columns."""

    by: dict[str, object]
    value: Number


class AlertState(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an alert of that id and revision is, and since when; `value` is that of the check which wrote it."""

    name: str
    revision: int
    status: Status
    since_ns: int
    value: Number | None = None
    groups: tuple[Group, ...] = ()
    error: str = ""


class AlertStates(Records[AlertState]):
    """The states of alerts by their ids; only whoever holds the lease of an alert puts one."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents, "alert-states", AlertState, noun="state of alert")

    def find_of(self, alert: Alert) -> AlertState | None:
        """None also when it is that of an earlier revision."""
        state = self.find(alert.id)
        return state if state and state.revision == alert.revision else None

    def put(self, state: AlertState) -> AlertState | None:
        """Returns that whose place it has taken."""
        replaced: AlertState | None = None

        def replace(states: dict[str, AlertState]) -> dict[str, AlertState]:
            nonlocal replaced
            replaced = states.get(state.id)
            return {**states, state.id: state}

        self._edit(replace)
        return replaced

    def end(self, state: AlertState) -> None:
        """Remove it; NotFound when it is gone already, Conflict when another took its place."""

        def check(newest: AlertState) -> None:
            if newest != state:
                raise Conflict(f"state of alert {state.name!r} changed meanwhile")

        self.delete(state.id, allow=check)


def differs(before: AlertState | None, after: AlertState) -> bool:
    """Whether there is something new in it beside the values, which differ with every check."""
    return before is None or outline(before) != outline(after)


def outline(state: AlertState) -> tuple[object, ...]:
    groups = [group.by for group in state.groups]
    return state.revision, state.status, state.error, sorted(map(repr, groups))

"""Alerts: questions that are asked again and again, each with a condition on the answer."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Invalid
from logboom.base.ids import make_ulid
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.documents.records import Allow, Records, allow_all, apply_changes
from logboom.control.documents.store import Documents
from logboom.control.kept.questions import (
    KeptQuestion,
    Room,
    Settle,
    check_length,
    check_question,
    check_room,
)

MOST_ALERTS = 1_000
MOST_OF_AN_OWNER = 100
MOST_BYTES_OF_AN_OWNER = 1 << 20
MOST_BYTES = 8 << 20
SHORTEST_WINDOW_SECS, LONGEST_WINDOW_SECS = 60, 7 * 86_400
SHORTEST_EVERY_SECS, LONGEST_EVERY_SECS = 10, 86_400

Operator = Literal["above", "at_least", "below", "at_most"]
WindowSecs = Annotated[
    int,
    msgspec.Meta(
        ge=SHORTEST_WINDOW_SECS,
        le=LONGEST_WINDOW_SECS,
        description="Each check asks of so many seconds before it.",
    ),
]
EverySecs = Annotated[
    int,
    msgspec.Meta(
        ge=SHORTEST_EVERY_SECS,
        le=LONGEST_EVERY_SECS,
        description="Seconds from one check to the next.",
    ),
]
Column = Annotated[
    str, msgspec.Meta(description="The column to compare; empty: the last one that has numbers.")
]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """All that a check depends on, beside the time and whoever asks."""

    query: str
    filters: tuple[str, ...]
    env: str
    index: str
    window_secs: int
    column: str
    operator: Operator
    threshold: float
    is_canonical: bool = False


class Alert(KeptQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """With another rule, or switched off and on, it has another revision: what was found before no longer counts."""

    window_secs: WindowSecs = 300
    every_secs: EverySecs = 60
    column: Column = ""
    operator: Operator = "above"
    threshold: float = 0.0
    enabled: bool = True
    revision: int = 0

    @property
    def rule(self) -> Rule:
        return msgspec.convert(self, Rule, from_attributes=True)


CHANGEABLE = frozenset(Alert.__struct_fields__) - {
    *("id", "owner_id", "owner", "created_ns", "updated_ns", "revision", "is_canonical"),
}


class Alerts(Records[Alert]):
    """Every alert. Whether its question can be asked is for whoever makes or changes one to find out."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "alerts", Alert, check_alerts)
        self._clock = clock

    def list_for(self, reader: Principal) -> tuple[Alert, ...]:
        """Those that somebody may see, oldest first."""
        return tuple(alert for alert in self.list() if is_visible(alert, reader))

    def get_for(self, reader: Principal, alert_id: str) -> Alert:
        """NotFound also when it is somebody else's."""
        alert = self.find(alert_id)
        return self.check_found(alert if alert and is_visible(alert, reader) else None, alert_id)

    def create(
        self, owner: Principal, members: Mapping[str, object], settle: Settle[Alert]
    ) -> Alert:
        """A new alert of the owner's; Conflict when another of his has the name."""
        now_ns = self._clock()
        blank = Alert(
            id=make_ulid(now_ns),
            owner_id=owner.id,
            owner=owner.name,
            created_ns=now_ns,
            updated_ns=now_ns,
        )
        requested = change_alert(blank, members)
        alert = check_alert(settle(None, requested))
        self._add(alert)
        return alert

    def update(
        self,
        writer: Principal,
        alert_id: str,
        changes: Mapping[str, object],
        settle: Settle[Alert],
        expected_generation: int | None = None,
    ) -> Alert:
        """Replace the members named in `changes`."""

        def change(alert: Alert) -> Alert:
            self._check_writable(alert, writer)
            changed = check_alert(settle(alert, change_alert(alert, changes)))
            is_same = (changed.rule, changed.enabled) == (alert.rule, alert.enabled)
            return msgspec.structs.replace(
                changed, updated_ns=self._clock(), revision=alert.revision + (not is_same)
            )

        return self._replace(alert_id, change, expected_generation)

    def delete_by(
        self,
        writer: Principal,
        alert_id: str,
        expected_generation: int | None = None,
        allow: Allow[Alert] = allow_all,
    ) -> Alert:
        """Returns what was there."""

        def check(alert: Alert) -> None:
            self._check_writable(alert, writer)
            allow(alert)

        return self.delete(alert_id, expected_generation, check)

    def part_with(self, owner_id: str, owner: str) -> None:
        """Keep what an owner had who is gone, under the name he had last."""
        self.refresh()
        if not any(alert.owner_id == owner_id for alert in self.list()):
            return
        self._replace_all(
            lambda alert: (
                msgspec.structs.replace(alert, owner=owner) if alert.owner_id == owner_id else alert
            )
        )

    def _check_writable(self, alert: Alert, writer: Principal) -> None:
        self.check_found(alert if is_visible(alert, writer) else None, alert.id)


def is_visible(alert: Alert, reader: Principal) -> bool:
    """Also to be changed: one's own, and to editors everybody's."""
    return alert.owner_id == reader.id or reader.may(Scope.EDIT)


def change_alert(alert: Alert, changes: Mapping[str, object]) -> Alert:
    return check_alert(apply_changes(alert, changes, CHANGEABLE))


def check_alert(alert: Alert) -> Alert:
    """The alert; Invalid when a part of it is too long or cannot be compared."""
    check_question("alert", alert)
    check_condition(alert.column, alert.threshold)
    return alert


def check_condition(column: str, threshold: float) -> None:
    check_length("column", column)
    if not math.isfinite(threshold):
        raise Invalid(f"threshold {threshold}, expected a finite number", field="threshold")


def check_alerts(alerts: Mapping[str, Alert]) -> None:
    if len(alerts) > MOST_ALERTS:
        raise Conflict(f"there are {MOST_ALERTS} alerts, expected no more")
    room = Room("alert", "alerts", MOST_OF_AN_OWNER, MOST_BYTES_OF_AN_OWNER, MOST_BYTES)
    check_room(alerts, room)

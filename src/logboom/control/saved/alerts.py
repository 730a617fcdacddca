"""Alerts: queries that run periodically, each with a condition on its answer."""

import math
import re
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
from logboom.control.saved.questions import (
    Quota,
    SavedQuestion,
    Settle,
    check_length,
    check_question,
    check_quota,
    measure_texts,
)

MOST_ALERTS = 1_000
MOST_OF_AN_OWNER = 100
MOST_BYTES_OF_AN_OWNER = 1 << 20
MOST_BYTES = 8 << 20
SHORTEST_WINDOW_SECS, LONGEST_WINDOW_SECS = 60, 7 * 86_400
SHORTEST_EVERY_SECS, LONGEST_EVERY_SECS = 10, 86_400
LONGEST_FOR_SECS = 7 * 86_400
MOST_CHANNELS = 10
MOST_LABELS = 20
LONGEST_LABEL = 200
LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
OWN_LABELS = frozenset({"alertname", "severity", "alert_id"})
"""Labels that every notification has beside those of the alert."""

Operator = Literal["above", "at_least", "below", "at_most"]
Severity = Literal["info", "warning", "critical"]
NoData = Annotated[
    Literal["ok", "firing", "keep"],
    msgspec.Meta(
        description="How to treat a check without a value: as not met, as met, or like the previous check."
    ),
]
ForSecs = Annotated[
    int,
    msgspec.Meta(
        ge=0,
        le=LONGEST_FOR_SECS,
        description="How long the condition must be met before the alert fires.",
    ),
]
Labels = Annotated[
    dict[str, str],
    msgspec.Meta(description="Names and values that receivers get, for routing."),
]
WindowSecs = Annotated[
    int,
    msgspec.Meta(
        ge=SHORTEST_WINDOW_SECS,
        le=LONGEST_WINDOW_SECS,
        description="Each check covers this many seconds before it.",
    ),
]
EverySecs = Annotated[
    int,
    msgspec.Meta(
        ge=SHORTEST_EVERY_SECS,
        le=LONGEST_EVERY_SECS,
        description="Seconds between two checks.",
    ),
]
Column = Annotated[
    str, msgspec.Meta(description="The column to compare; empty: the last numeric one.")
]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a check depends on, except the time and the owner."""

    query: str
    filters: tuple[str, ...]
    env: str
    index: str
    window_secs: int
    column: str
    operator: Operator
    threshold: float
    is_canonical: bool = False


class Alert(SavedQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An alert and its owner.

    A new rule, or disabling and enabling it, gives it a new revision, and earlier results no longer apply.
    """

    window_secs: WindowSecs = 300
    every_secs: EverySecs = 60
    column: Column = ""
    operator: Operator = "above"
    threshold: float = 0.0
    enabled: bool = True
    revision: int = 0
    severity: Severity = "warning"
    for_secs: ForSecs = 0
    no_data: NoData = "ok"
    channels: tuple[str, ...] = ()
    """Ids of the channels that are notified."""
    labels: Labels = msgspec.field(default_factory=dict)
    muted_until_ns: int | None = None

    @property
    def size_bytes(self) -> int:
        texts = (*self.labels, *self.labels.values(), *self.channels)
        return super().size_bytes + measure_texts(texts)

    def is_muted(self, time_ns: int) -> bool:
        return self.muted_until_ns is not None and time_ns < self.muted_until_ns

    @property
    def rule(self) -> Rule:
        return msgspec.convert(self, Rule, from_attributes=True)


CHANGEABLE = frozenset(Alert.__struct_fields__) - {
    *("id", "owner_id", "owner", "created_ns", "updated_ns", "revision", "is_canonical"),
}


class Alerts(Records[Alert]):
    """All alerts. Callers must check that the query can be run."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "alerts", Alert, check_alerts)
        self._clock = clock

    def list_for(self, reader: Principal) -> tuple[Alert, ...]:
        """Return the alerts that a principal may see, oldest first."""
        return tuple(alert for alert in self.list() if is_visible(alert, reader))

    def get_for(self, reader: Principal, alert_id: str) -> Alert:
        """Return an alert; raise NotFound also for an alert of another user."""
        alert = self.find(alert_id)
        return self.check_found(alert if alert and is_visible(alert, reader) else None, alert_id)

    def create(
        self, owner: Principal, members: Mapping[str, object], settle: Settle[Alert]
    ) -> Alert:
        """Create an alert; raise Conflict if the owner has another of that name."""
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
        """Delete an alert and return it."""

        def check(alert: Alert) -> None:
            self._check_writable(alert, writer)
            allow(alert)

        return self.delete(alert_id, expected_generation, check)

    def detach_owner(self, owner_id: str, owner: str) -> None:
        """Keep the alerts of a deleted user, under the user's last name."""
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
    """Return whether a principal may see and change it: its owner, and every editor."""
    return alert.owner_id == reader.id or reader.may(Scope.EDIT)


def change_alert(alert: Alert, changes: Mapping[str, object]) -> Alert:
    return check_alert(apply_changes(alert, changes, CHANGEABLE))


def check_alert(alert: Alert) -> Alert:
    """Return the alert; raise Invalid if a part of it is too long or cannot be compared."""
    check_question("alert", alert)
    check_condition(alert.column, alert.threshold)
    check_labels(alert.labels)
    if len(alert.channels) > MOST_CHANNELS or len(set(alert.channels)) < len(alert.channels):
        raise Invalid(
            f"there are {len(alert.channels)} channels, expected at most {MOST_CHANNELS}, each once",
            field="channels",
        )
    return alert


def check_labels(labels: Mapping[str, str]) -> None:
    if len(labels) > MOST_LABELS:
        raise Invalid(
            f"there are {len(labels)} labels, expected at most {MOST_LABELS}", field="labels"
        )
    for name, value in labels.items():
        if not LABEL_NAME.fullmatch(name) or name in OWN_LABELS:
            raise Invalid(
                f"label {name[:80]!r}, expected letters, digits and underscores, and none of {sorted(OWN_LABELS)}",
                field="labels",
            )
        if len(value) > LONGEST_LABEL or not value.isprintable():
            raise Invalid(
                f"the value of label {name!r}, expected at most {LONGEST_LABEL} printable characters",
                field="labels",
            )


def check_condition(column: str, threshold: float) -> None:
    check_length("column", column)
    if not math.isfinite(threshold):
        raise Invalid(f"threshold {threshold}, expected a finite number", field="threshold")


def check_alerts(alerts: Mapping[str, Alert]) -> None:
    if len(alerts) > MOST_ALERTS:
        raise Conflict(f"there are {MOST_ALERTS} alerts, the maximum")
    quota = Quota("alert", "alerts", MOST_OF_AN_OWNER, MOST_BYTES_OF_AN_OWNER, MOST_BYTES)
    check_quota(alerts, quota)

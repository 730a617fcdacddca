"""The content of a notification, independent of the receiver."""

import msgspec

from logboom.base.clock import format_time
from logboom.control.saved.alert_states import Change, Number
from logboom.control.saved.alerts import Operator, Severity

WORDS: dict[Operator, str] = {
    "above": "above",
    "at_least": "at least",
    "below": "below",
    "at_most": "at most",
}


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """A change of state. `key` identifies it, so that receivers can recognise duplicates.

    `from_ns` and `to_ns` are the range to look at: from the start of the window of the first check that met the
    condition up to the check that reports this. `since_ns` is when the alert began to fire.
    """

    key: str
    alert_id: str
    alert: str
    description: str
    state: Change
    severity: Severity
    operator: Operator
    value: Number | None
    threshold: float
    since_ns: int
    from_ns: int
    to_ns: int
    query: str
    link: str
    labels: dict[str, str]
    sample: tuple[dict[str, object], ...] = ()
    is_test: bool = False

    @property
    def title(self) -> str:
        return f"[{self.state.upper()}] {self.alert}"

    @property
    def condition(self) -> str:
        """The value and the condition in words."""
        value = "no data" if self.value is None else f"value {format_number(self.value)}"
        return f"{value}, fires when {WORDS[self.operator]} {format_number(self.threshold)}"

    @property
    def lines(self) -> list[str]:
        """All of it as lines of plain text, without the title and the link."""
        labels = ", ".join(f"{name}={value}" for name, value in self.labels.items())
        parts = {
            "": self.description,
            "Severity": self.severity,
            "Condition": self.condition,
            "Query": self.query or "*",
            "Range": f"{format_time(self.from_ns)} to {format_time(self.to_ns)}",
            "Labels": labels,
        }
        return [f"{name}: {text}" if name else text for name, text in parts.items() if text]


def format_number(value: Number) -> str:
    return f"{value:.15g}"

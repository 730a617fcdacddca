"""What both OTLP encodings share: a log record as plain values, and the event made from it."""

import base64
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from logboom.model.mapping import ALIASES, Role
from logboom.model.names import fold_name

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
MAX_PLANS = 1024
TIME = Role.TIME.value
MAX_REMARKS = 3
TEXT_MEMBERS = ("message", "msg", "body")
"""The members of an object body that may be its message; the first that is a text wins."""
SEVERITIES = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
SEVERITY_NAMES = {number: SEVERITIES[(number - 1) // 4] for number in range(1, 25)}
NO_ATTRIBUTES: "Attributes" = {}

Value = str | int | float | bytes | msgspec.Raw | list["Value"] | dict[str, "Value"] | None
"""What JSON text is made from; bytes become base64, `Raw` is JSON text already. Every float is finite."""
Attributes = Mapping[str, Value]

encode = msgspec.json.Encoder().encode


class OtlpRecord(msgspec.Struct, gc=False):
    """A log record; 0, empty and None mean absent. Ids are text."""

    time_ns: int = 0
    observed_ns: int = 0
    severity_number: int = 0
    severity_text: str = ""
    body: Value = None
    attributes: Attributes = NO_ATTRIBUTES
    flags: int = 0
    trace_id: str = ""
    span_id: str = ""
    event_name: str = ""


class Report:
    """What to report about the records of a request: how many were rejected, and why."""

    def __init__(self) -> None:
        self.rejected = 0
        self._remarks: list[str] = []
        self._untold = 0

    def reject(self, number: int, reason: str) -> None:
        """Report records that were not stored, before anything else."""
        self.rejected += number
        self._remarks.insert(0, reason)

    def remark(self, text: str, *, rejected: int = 0) -> None:
        """Add a remark; only the first ones are reported, the others are counted."""
        self.rejected += rejected
        if len(self._remarks) < MAX_REMARKS:
            self._remarks.append(text)
        else:
            self._untold += 1

    @property
    def text(self) -> str:
        rest = [f"and {self._untold} more"] if self._untold else []
        return "; ".join([*self._remarks, *rest])


class Plan(NamedTuple):
    """The attributes that another field of the same name hides: the record's, and the resource's."""

    record: frozenset[str]
    resource: frozenset[str]


class Origin:
    """A scope of a resource: makes the events of its records."""

    def __init__(self, resource: Attributes, scope: Attributes) -> None:
        self._resource = resource
        self._scope = scope
        self._tail = encode_tail(resource)
        self._plans: dict[tuple[tuple[str, ...], tuple[str, ...]], Plan] = {}

    def render(self, record: OtlpRecord) -> bytes:
        """Return the event as one line of JSON.

        The record's own fields hide attributes of the same name, and its attributes hide those of the resource. Its
        time is not a field: the first `timestamp` of a line is the time, another one is an ordinary field.
        """
        event = list_content(record)
        event.update(self._scope)
        put_rest(event, record)
        attributes, tail = record.attributes, self._tail
        names = tuple(event), tuple(attributes)
        plan = self._plans.get(names) or self._make_plan(*names)
        if plan.record:
            attributes = leave_out(attributes, plan.record)
        if plan.resource:
            tail = encode_tail(leave_out(self._resource, plan.resource))
        if TIME in event and TIME in attributes:
            return encode(event)[:-1] + b"," + encode(attributes)[1:-1] + tail
        event.update(attributes)
        return encode(event)[:-1] + tail if event else b"{" + tail.removeprefix(b",")

    def _make_plan(self, own: tuple[str, ...], attributes: tuple[str, ...]) -> Plan:
        taken = set(map(fold_name, own)) - {TIME}
        hidden = frozenset(name for name in attributes if fold_name(name) in taken)
        taken.update(map(fold_name, attributes))
        if not taken.isdisjoint(ALIASES[Role.SOURCE]):
            taken.add(Role.SOURCE)
        plan = Plan(hidden, frozenset(name for name in self._resource if fold_name(name) in taken))
        if len(self._plans) >= MAX_PLANS:
            self._plans.clear()
        self._plans[own, attributes] = plan
        return plan


def name_scope(name: str, version: str, attributes: Attributes) -> Attributes:
    """Return the fields that a scope adds."""
    own = {"scope.name": name, "scope.version": version}
    fields: dict[str, Value] = {field: text for field, text in own.items() if text}
    taken = set(fields)
    fields.update(
        (f"scope.{key}", value)
        for key, value in attributes.items()
        if fold_name(f"scope.{key}") not in taken
    )
    return fields


def list_content(record: OtlpRecord) -> dict[str, Value]:
    """Return the time, message, severity and trace of a record."""
    event: dict[str, Value] = {}
    time_ns = record.time_ns or record.observed_ns
    if time_ns:
        event["timestamp"] = time_ns
    if record.body is not None:
        put_body(event, record.body)
    number = record.severity_number
    severity = record.severity_text or SEVERITY_NAMES.get(number)
    if severity:
        event["severity"] = severity
    if number:
        event["severityNumber"] = number
    if record.trace_id.strip("0"):
        event["traceId"] = record.trace_id
    if record.span_id.strip("0"):
        event["spanId"] = record.span_id
    return event


def put_body(event: dict[str, Value], body: Value) -> None:
    if isinstance(body, str):
        event["message"] = body
        return
    event["message"] = write_message(body)
    if isinstance(body, dict):
        event["body"] = body


def put_rest(event: dict[str, Value], record: OtlpRecord) -> None:
    """Add the fields that few records have."""
    if record.flags:
        event["flags"] = record.flags
    if record.event_name:
        event["eventName"] = record.event_name
    observed_ns = record.observed_ns
    if observed_ns and observed_ns != record.time_ns and record.time_ns:
        event["observedTimestamp"] = observed_ns


def write_message(body: Value) -> str:
    """Return the text of a body that is not text itself; bytes become base64, as in JSON."""
    if isinstance(body, bytes):
        return base64.b64encode(body).decode()
    if isinstance(body, dict):
        for name in TEXT_MEMBERS:
            text = body.get(name)
            if isinstance(text, str | bytes):
                return text if isinstance(text, str) else write_message(text)
    return encode(body).decode()


def leave_out(attributes: Attributes, names: Iterable[str]) -> Attributes:
    return {name: value for name, value in attributes.items() if name not in names}


def encode_tail(attributes: Attributes) -> bytes:
    """Return the end of an object: these members and the closing brace."""
    return b"," + encode(attributes)[1:] if attributes else b"}"

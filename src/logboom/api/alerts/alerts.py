"""`/api/alerts`: queries that the service runs periodically, for everybody with an account."""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.alerts.check import make_question
from logboom.alerts.owners import find_owner, reads_as_owner
from logboom.api.access import Change, make_etag
from logboom.api.alerts.preview import RuleBody
from logboom.api.bodies import QUESTION_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.events.requests import Env, Filters, Index
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import Forbidden, Invalid, about
from logboom.control.access.authorise import check_reach
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.control.saved.alert_states import AlertState, Group, Number
from logboom.control.saved.alerts import (
    Alert,
    Column,
    EverySecs,
    ForSecs,
    Labels,
    NoData,
    Operator,
    Severity,
    WindowSecs,
)
from logboom.control.saved.questions import Settle
from logboom.lang.times import parse_moment
from logboom.search.question import Moment

MutedUntil = Annotated[
    Moment,
    msgspec.Meta(description="No notifications until this time; null: not muted."),
]
Channels = Annotated[
    tuple[str, ...], msgspec.Meta(description="Ids of the channels that are notified.")
]


CHANGED_BY_OTHERS = frozenset(
    {"name", "description", "enabled", "muted_until_ns", "updated_ns", "revision"}
)
"""What somebody may change who may not read all that the owner of an alert may."""


class NewAlert(RuleBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for an alert."""

    name: str
    description: str = ""
    enabled: bool = True
    severity: Severity = "warning"
    for_secs: ForSecs = 0
    no_data: NoData = "ok"
    channels: Channels = ()
    labels: Labels = msgspec.field(default_factory=dict)
    muted_until: MutedUntil = None


class AlertChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The members to change; all others keep their values."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    query: str | msgspec.UnsetType = msgspec.UNSET
    filters: Filters | msgspec.UnsetType = msgspec.UNSET
    env: Env | msgspec.UnsetType = msgspec.UNSET
    index: Index | msgspec.UnsetType = msgspec.UNSET
    window_secs: WindowSecs | msgspec.UnsetType = msgspec.UNSET
    every_secs: EverySecs | msgspec.UnsetType = msgspec.UNSET
    column: Column | msgspec.UnsetType = msgspec.UNSET
    operator: Operator | msgspec.UnsetType = msgspec.UNSET
    threshold: float | msgspec.UnsetType = msgspec.UNSET
    enabled: bool | msgspec.UnsetType = msgspec.UNSET
    severity: Severity | msgspec.UnsetType = msgspec.UNSET
    for_secs: ForSecs | msgspec.UnsetType = msgspec.UNSET
    no_data: NoData | msgspec.UnsetType = msgspec.UNSET
    channels: Channels | msgspec.UnsetType = msgspec.UNSET
    labels: Labels | msgspec.UnsetType = msgspec.UNSET
    muted_until: MutedUntil | msgspec.UnsetType = msgspec.UNSET


class StateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an alert and since when; only the node that checks the alert knows `checked`."""

    status: Literal["new", "ok", "pending", "firing", "error", "off"]
    since: str | None = None
    checked: str | None = None
    value: Number | None = None
    groups: tuple[Group, ...] = ()
    error: str = ""


class AlertAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An alert and its state; `owner` is the user who created it and on whose behalf its query runs."""

    id: str
    name: str
    description: str
    query: str
    filters: tuple[str, ...]
    env: str
    index: str
    window_secs: int
    every_secs: int
    column: str
    operator: Operator
    threshold: float
    enabled: bool
    severity: Severity
    for_secs: int
    no_data: NoData
    channels: tuple[str, ...]
    labels: dict[str, str]
    muted_until: str | None
    owner: str
    created: str
    updated: str
    state: StateAnswer


def describe_alert(services: Services, alert: Alert, reader: Principal) -> AlertAnswer:
    owner = services.control.users.find(alert.owner_id)
    return AlertAnswer(
        id=alert.id,
        name=alert.name,
        description=alert.description,
        query=alert.query,
        filters=alert.filters,
        env=alert.env,
        index=alert.index,
        window_secs=alert.window_secs,
        every_secs=alert.every_secs,
        column=alert.column,
        operator=alert.operator,
        threshold=alert.threshold,
        enabled=alert.enabled,
        severity=alert.severity,
        for_secs=alert.for_secs,
        no_data=alert.no_data,
        channels=alert.channels,
        labels=alert.labels,
        muted_until=None if alert.muted_until_ns is None else format_time(alert.muted_until_ns),
        owner=owner.username if owner else alert.owner,
        created=format_time(alert.created_ns),
        updated=format_time(alert.updated_ns),
        state=describe_state(services, alert, reader),
    )


def describe_state(services: Services, alert: Alert, reader: Principal) -> StateAnswer:
    """Return an alert's state; values and groups only for users who may read everything that the owner may read."""
    kept = services.control.alert_states.find_of(alert)
    if not alert.enabled or kept is None:
        return StateAnswer(status="new" if alert.enabled else "off")
    last = services.alerts.find_last_check(alert)
    state = last.state if last else kept
    answer = StateAnswer(
        status=name_status(state),
        since=format_time(state.since_ns),
        checked=format_time(last.checked_ns) if last else None,
    )
    if not reads_as_owner(services.control, alert, reader):
        return answer
    return msgspec.structs.replace(
        answer, value=state.value, groups=state.groups, error=state.error
    )


def name_status(state: AlertState) -> Literal["ok", "pending", "firing", "error"]:
    """Return the status; it is `pending` while the condition is met, but not yet for `for_secs`."""
    return "pending" if state.is_pending else state.status


def check_owner(control: Control, alert: Alert, writer: Principal) -> None:
    """Raise Forbidden if the owner of the alert may use environments or indexes that the caller may not."""
    if alert.owner_id != writer.id:
        check_reach(writer, find_owner(control, alert).reach._replace(scopes=frozenset()))


def list_members(services: Services, body: NewAlert | AlertChanges) -> dict[str, Any]:
    """Return the given members, as they are stored."""
    members = list_given(body)
    if "muted_until" in members:
        until = members.pop("muted_until")
        with about("muted_until"):
            members["muted_until_ns"] = (
                None if until is None else parse_moment(until, services.clock())
            )
    return members


def check_channels(control: Control, before: Alert | None, after: Alert) -> None:
    """Raise Invalid for a newly added channel that does not exist."""
    for channel_id in after.channels:
        is_kept = before is not None and channel_id in before.channels
        if not is_kept and control.channels.find(channel_id) is None:
            raise Invalid(f"no channel {channel_id[:80]!r}, expected its id", field="channels")


def check_changes(control: Control, before: Alert, after: Alert, writer: Principal) -> None:
    """Raise Forbidden if somebody changes what is read or who learns of it, but may not read all that the owner may."""
    changed = [
        name
        for name in Alert.__struct_fields__
        if name not in CHANGED_BY_OTHERS and getattr(before, name) != getattr(after, name)
    ]
    if changed and not reads_as_owner(control, before, writer):
        raise Forbidden(
            f"alert {before.name!r} runs on behalf of {before.owner!r}, who may read more than you, expected its "
            f"owner to change {', '.join(changed)}"
        )


def make_settle(services: Services, writer: Principal) -> Settle[Alert]:
    """Return a function that makes the query canonical, and refuses one that the caller or the owner may not run."""

    def settle(before: Alert | None, after: Alert) -> Alert:
        if before:
            check_owner(services.control, before, writer)
            check_changes(services.control, before, after, writer)
        check_channels(services.control, before, after)
        if before and before.rule == after.rule:
            return after
        was = make_question(before.rule) if before else None
        kept = services.search.keep_measurable(writer, make_question(after.rule), was)
        return msgspec.structs.replace(
            after, query=kept.query, filters=kept.filters, is_canonical=True
        )

    return settle


def answer_alert(services: Services, alert: Alert, reader: Principal) -> Response[AlertAnswer]:
    etag = make_etag(services.control.alerts.generation)
    return Response(describe_alert(services, alert, reader), headers=etag)


@get(
    "/api/alerts",
    tags=["alerts"],
    summary="List the alerts",
    description="Your own alerts; for editors and admins all of them. Oldest first.",
    sync_to_thread=False,
)
def handle_list(
    searcher: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[list[AlertAnswer]]:
    alerts = services.control.alerts
    found = [describe_alert(services, alert, searcher) for alert in alerts.list_for(searcher)]
    return Response(found, headers=make_etag(alerts.generation))


@get(
    "/api/alerts/{id:str}",
    tags=["alerts"],
    summary="Read an alert",
    description="404 also for an alert of another user, unless an editor or admin asks. Its results (`value`, "
    "`groups`, `error`) are included only for users who may read everything that its owner may read.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str], searcher: NamedDependency[Principal], services: NamedDependency[Services]
) -> Response[AlertAnswer]:
    return answer_alert(services, services.control.alerts.get_for(searcher, id), searcher)


@post(
    "/api/alerts",
    tags=["alerts"],
    summary="Create an alert",
    description="Needs a session. The alert belongs to the user, and its query runs on behalf of the user. "
    "Query and filters are stored in canonical form. An invalid query is an error with `start`, "
    "`end`, `expected` and `suggestion`. 409 if the user has an alert of that name.",
    request_class=JsonRequest,
    request_max_body_size=QUESTION_LIMIT_BYTES,
)
async def handle_create(
    data: JSONBody[NewAlert],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[AlertAnswer]:
    alerts, writer = by_account.control.alerts, by_account.principal
    settle = make_settle(services, writer)
    members = list_members(services, data)
    alert = await services.offload.run(alerts.create, writer, members, settle)
    by_account.record("alert.create", alert.name, id=alert.id)
    return answer_alert(services, alert, writer)


@patch(
    "/api/alerts/{id:str}",
    tags=["alerts"],
    summary="Change an alert",
    description="For the owner, and for editors and admins who may use the same environments and indexes. Only "
    "users who may read everything that the owner may read can change the query. Members that are "
    "not given keep their values. A new query or condition resets the state. With `If-Match`: 409 "
    "if the alerts were changed since.",
    request_class=JsonRequest,
    request_max_body_size=QUESTION_LIMIT_BYTES,
)
async def handle_update(
    id: FromPath[str],
    data: JSONBody[AlertChanges],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[AlertAnswer]:
    alerts, writer = by_account.control.alerts, by_account.principal
    changes, settle = list_members(services, data), make_settle(services, writer)
    expected = by_account.expected_generation
    alert = await services.offload.run(alerts.update, writer, id, changes, settle, expected)
    by_account.record("alert.update", alert.name, id=alert.id, changed=sorted(changes))
    return answer_alert(services, alert, writer)


@delete(
    "/api/alerts/{id:str}",
    tags=["alerts"],
    summary="Delete an alert",
    description="For the owner, and for editors and admins who may use the same environments and indexes.",
)
async def handle_delete(
    id: FromPath[str], by_account: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    alerts, expected = by_account.control.alerts, by_account.expected_generation
    writer = by_account.principal
    allow = partial(check_owner, by_account.control, writer=writer)
    alert = await services.offload.run(alerts.delete_by, writer, id, expected, allow)
    by_account.record("alert.delete", alert.name, id=alert.id)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
]

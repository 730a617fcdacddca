"""`/api/channels`: where alerts are sent, for admins."""

from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.collections import Collection, make_delete, make_list, make_read, make_update
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import Conflict
from logboom.control.access.authorise import check_everywhere
from logboom.control.access.principal import EVERYWHERE, Principal
from logboom.control.control import Control
from logboom.control.documents.records import Allow
from logboom.control.saved.channels import MASK, Channel, Kind, show_smtp_url, show_url

NAMED_ALERTS = 5

Recipients = Annotated[
    str | tuple[str, ...],
    msgspec.Meta(description="Mail addresses: a list, or one text separated by commas."),
]


class NewChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A channel to create; its kind determines which members are used."""

    name: str
    kind: Kind
    url: str | msgspec.UnsetType = msgspec.UNSET
    secret: str | msgspec.UnsetType | None = msgspec.UNSET
    headers: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    routing_key: str | msgspec.UnsetType = msgspec.UNSET
    to: Recipients | msgspec.UnsetType = msgspec.UNSET
    smtp_url: str | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        """Without the values, which contain secrets."""
        return f"NewChannel({sorted(list_given(self))})"


class ChannelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A channel as it may be shown: each secret is replaced by a mask."""

    id: str
    name: str
    kind: Kind
    url: str
    headers: dict[str, str]
    to: tuple[str, ...]
    smtp_url: str
    has_secret: bool
    has_routing_key: bool
    used_by: int
    created: str
    updated: str


class ChannelName(msgspec.Struct, frozen=True, kw_only=True):
    """What the author of an alert needs to know about a channel."""

    id: str
    name: str
    kind: Kind


class TestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The receiver's answer: `ok` if it accepted the test; no `status` if it was not reached."""

    ok: bool
    status: int | None
    answer: str


def describe_channel(services: Services, channel: Channel) -> ChannelAnswer:
    return ChannelAnswer(
        id=channel.id,
        name=channel.name,
        kind=channel.kind,
        url=show_url(channel) if channel.url else "",
        headers=dict.fromkeys(channel.headers, MASK),
        to=channel.to,
        smtp_url=show_smtp_url(channel),
        has_secret=bool(channel.secret),
        has_routing_key=bool(channel.routing_key),
        used_by=len(list_users(services.control, channel)),
        created=format_time(channel.created_ns),
        updated=format_time(channel.updated_ns),
    )


def list_users(control: Control, channel: Channel) -> list[str]:
    """Return the names of the alerts that use a channel."""
    return [alert.name for alert in control.alerts.list() if channel.id in alert.channels]


def check_unused(control: Control, channel: Channel) -> None:
    """Raise Conflict if alerts use it."""
    names = list_users(control, channel)
    if names:
        shown = ", ".join(repr(name) for name in names[:NAMED_ALERTS])
        more = f" and {len(names) - NAMED_ALERTS} more" if len(names) > NAMED_ALERTS else ""
        raise Conflict(
            f"channel {channel.name!r} is used by the alerts {shown}{more}, expected none",
            alerts=names,
        )


CHANNELS = Collection(
    "channels",
    "a channel",
    find=lambda control: control.channels,
    name=lambda channel: channel.name,
    show=describe_channel,
    answer=ChannelAnswer,
    reach=lambda _: EVERYWHERE,
    noted=("kind",),
)


def list_members(data: msgspec.Struct) -> dict[str, object]:
    """Return the given members, as they are stored."""
    members = list_given(data)
    return split_recipients({name: "" if each is None else each for name, each in members.items()})


def split_recipients(members: dict[str, object]) -> dict[str, object]:
    to = members.get("to")
    if isinstance(to, str):
        members["to"] = tuple(filter(None, map(str.strip, to.split(","))))
    return members


@post(
    "/api/channels",
    tags=["channels"],
    summary="Create a channel",
    description="Admins only. `kind` is `webhook`, `slack` or `alertmanager` (`url`), `pagerduty` "
    "(`routing_key`) or `email` (`to`, `smtp_url`). Secrets are write only: `secret`, "
    "`routing_key`, the values of `headers`, the password in `smtp_url`, the `url` of Slack. "
    "Link-local and metadata addresses are refused.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(
    data: JSONBody[NewChannel],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[ChannelAnswer]:
    check_everywhere(by_admin.principal)
    channel = by_admin.control.channels.create(data.kind, list_members(data))
    CHANNELS.record(by_admin, "channel.create", channel)
    return CHANNELS.answer_changed(services, channel)


def update_channel(
    services: Services,
    id: str,
    changes: dict[str, object],
    expected: int | None,
    allow: Allow[Channel],
) -> Channel:
    given = {name: "" if each is None else each for name, each in changes.items()}
    channels = services.control.channels
    return channels.update(id, split_recipients(given), expected, allow)


@post(
    "/api/channels/{id:str}/test",
    tags=["channels"],
    summary="Test a channel",
    description="Admins only. Sends a test message, and answers with the result: `ok`, the receiver's `status` "
    "and the start of its `answer`, or the error.",
    status_code=HTTP_200_OK,
)
async def handle_test(
    id: FromPath[str], by_admin: NamedDependency[Change], services: NamedDependency[Services]
) -> TestAnswer:
    check_everywhere(by_admin.principal)
    channel = services.control.channels.get(id)
    receipt = await services.sender.test(channel, by_admin.principal.name)
    CHANNELS.record(by_admin, "channel.test", channel, ok=receipt.ok)
    return TestAnswer(ok=receipt.ok, status=receipt.status, answer=receipt.answer)


@get(
    "/api/alerts/channels",
    tags=["alerts"],
    summary="List the channels that alerts can be sent to",
    description="Their ids, names and kinds, sorted by name, for everybody who may search.",
    sync_to_thread=False,
)
def handle_names(
    searcher: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    services: NamedDependency[Services],
) -> list[ChannelName]:
    channels = sorted(services.control.channels.list(), key=lambda channel: channel.name.lower())
    return [ChannelName(id=each.id, name=each.name, kind=each.kind) for each in channels]


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        CHANNELS,
        "List the channels",
        "Admins only. Secrets are masked; `used_by` is the number of alerts that use the channel.",
    ),
    make_read(CHANNELS),
    handle_create,
    make_update(
        CHANNELS,
        update_channel,
        NewChannel,
        "channel.update",
        "The kind cannot be changed. A secret that is omitted or given as the mask keeps its value; if the host "
        "in `url` or `smtp_url` changes, it must be given again. ",
    ),
    make_delete(
        CHANNELS,
        "channel.delete",
        "Admins only. 409, with their names in `alerts`, while alerts use it.",
        check_unused,
    ),
    handle_test,
    handle_names,
]

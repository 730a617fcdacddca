"""`/api/alerts/{id}/history`: when an alert fired, and which notifications were sent."""

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from logboom.alerts.owners import reads_as_owner
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.control.access.principal import Principal
from logboom.control.saved.alert_states import Change, Episode, Number, Send, SendStatus


class SentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A notification to one channel. `at` is when it was sent, or since when it is pending; `error` is why it failed."""

    channel: str
    name: str
    at: str
    status: SendStatus
    state: Change
    error: str


class EpisodeAnswer(msgspec.Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A period in which an alert was firing; without `to` it still is. `highest` is the most extreme value."""

    from_: str
    to: str | None
    highest: Number | None
    sent: list[SentAnswer]


def describe_episode(episode: Episode, *, is_open: bool) -> EpisodeAnswer:
    return EpisodeAnswer(
        from_=format_time(episode.from_ns),
        to=None if episode.to_ns is None else format_time(episode.to_ns),
        highest=episode.highest if is_open else None,
        sent=[describe_send(send) for send in episode.sends],
    )


def describe_send(send: Send) -> SentAnswer:
    return SentAnswer(
        channel=send.channel,
        name=send.name,
        at=format_time(send.at_ns),
        status=send.status,
        state=send.change,
        error=send.error,
    )


@get(
    "/api/alerts/{id:str}/history",
    tags=["alerts"],
    summary="Read when an alert fired",
    description="The last 20 firings, newest first, each with its notifications: `status` is `pending`, `sent`, "
    "`failed` or `muted`. `highest` is included only for users who may read everything that the "
    "owner of the alert may read.",
    sync_to_thread=False,
)
def handle_history(
    id: FromPath[str], searcher: NamedDependency[Principal], services: NamedDependency[Services]
) -> list[EpisodeAnswer]:
    alert = services.control.alerts.get_for(searcher, id)
    state = services.control.alert_states.find(id)
    is_open = reads_as_owner(services.control, alert, searcher)
    episodes = reversed(state.episodes if state else ())
    return [describe_episode(each, is_open=is_open) for each in episodes]


ROUTES: list[HTTPRouteHandler] = [handle_history]

"""`/api/tail`: events as they become searchable, as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from logboom.api.access import find_credential
from logboom.api.events.requests import Raw, ScopeBody, check_unseen
from logboom.api.head import is_head
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.base.errors import Unauthenticated
from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.search.answers import Sent, Tail, Warning_
from logboom.web.cancelling import run_cancellable

POLL_S = 0.5
PING_S = 15.0
PING = b": ping\n\n"


class TailBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which events; `after` is the id of the last message received."""

    after: Annotated[
        str, msgspec.Meta(description="`id` of an earlier tail, after which this one continues.")
    ] = ""
    raw: Raw = False


class Follower(InternalStruct, frozen=True):
    """The client of a tail: its credential, and the principal that it identified at the start."""

    credential: str
    principal: Principal

    def counts(self, control: Control) -> bool:
        """Return whether the credential still identifies the same principal; reads no disk."""
        try:
            return control.authenticate(self.credential) == self.principal
        except Unauthenticated:
            return False


async def follow(tail: Tail, services: Services, reader: Follower) -> AsyncGenerator[bytes, None]:
    """Send events as they come, and keep-alives when there are none.

    Ends when the client disconnects or loses its access, and when the service stops.
    """
    # A client that reconnects before the first event must continue from here too.
    yield f": tail\nid: {tail.token}\n\n".encode()
    idle_s = 0.0
    while not services.stopping.is_set() and reader.counts(services.control):
        snapshot = services.store.snapshot()
        sent = (
            await services.search_offload.run(tail.take, snapshot)
            if tail.has_more(snapshot)
            else []
        )
        warnings = tail.take_warnings()
        if sent or warnings:
            idle_s = 0.0
            yield b"".join((*map(encode, sent), *map(encode_warning, warnings)))
            continue
        await asyncio.sleep(POLL_S)
        idle_s += POLL_S
        if idle_s >= PING_S:
            idle_s = 0.0
            yield PING


def encode(sent: Sent) -> bytes:
    return b"id: %b\ndata: %b\n\n" % (sent.token.encode(), msgspec.json.encode(sent.row))


def encode_warning(warning: Warning_) -> bytes:
    return b"event: warning\ndata: %b\n\n" % msgspec.json.encode(warning)


async def open_tail(
    request: HttpRequest[Any, Any, Any], body: TailBody, services: Services, principal: Principal
) -> AsyncGenerator[bytes, None]:
    question = body.make_question(raw=body.raw)
    after = request.headers.get("Last-Event-ID") or body.after or None
    work = partial(services.search.tail, principal, question, after)
    tail = await run_cancellable(request.receive, services.search_offload, work)
    return follow(tail, services, Follower(find_credential(request), principal))


@get(
    "/api/tail",
    tags=["search"],
    summary="Follow new events",
    description="Server-sent events: each new event that matches, with its row as `data`; of each block the "
    "oldest first. Continues after the `Last-Event-ID` header or `after`, an `id` of an earlier "
    "tail: nothing is left out, and what came after that id may be sent again. The query may have "
    "only pipes that work row by row. Ends when the session or key ends. An event of the type "
    "`warning` names a damaged block, whose events cannot be sent.",
    operation_class=document(TailBody),
)
async def handle_tail(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
    until_end: NamedDependency[ExitStack],
) -> Stream:
    body = read_parameters(request, TailBody)
    if is_head(request):
        events = await check_unseen(body.make_question(), services, searcher)
    else:
        until_end.enter_context(services.search.streams.hold(searcher.owner))
        events = await open_tail(request, body, services, searcher)
    return Stream(
        events,
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


ROUTES: list[HTTPRouteHandler] = [handle_tail]

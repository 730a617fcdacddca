"""`/api/samples`: sample logs of a fictional shop, for an environment that has no logs yet."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Request, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.parameters import read_parameters
from logboom.api.saved.dashboards import make_settle
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import Conflict, Forbidden, TooLarge, about
from logboom.base.process.offload import Offload
from logboom.control.access.authorise import admits_row, check_env
from logboom.control.access.principal import Principal
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.ingest.sink import Delivery
from logboom.model.batch import Lines, Target
from logboom.samples.dashboard import make_dashboard
from logboom.samples.generate import BOUNDS, Order, check_bounds, write_lines
from logboom.samples.topology import INDEX_TEMPLATE, INDEXES

SOURCE = "samples"
EVENTS, HOURS = 50_000, 24


def describe_bounds(name: str) -> str:
    least, most = BOUNDS[name]
    return f"{least} to {most}"


class SamplesBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which samples to load; the same seed at the same time gives the same events."""

    env: Annotated[str, msgspec.Meta(description="The environment to load them into.")] = (
        DEFAULT_ENVIRONMENT
    )
    events: Annotated[
        int, msgspec.Meta(description=f"Number of events, {describe_bounds('events')}.")
    ] = EVENTS
    hours: Annotated[
        int,
        msgspec.Meta(
            description=f"How many hours they span up to now, {describe_bounds('hours')}."
        ),
    ] = HOURS
    seed: Annotated[
        int | None, msgspec.Meta(description="Seed of the samples; random by default.")
    ] = None


class NoParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options belong in the body: in the address they would be ignored."""


class SamplesAnswer(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """What was loaded, all of it searchable."""

    env: str
    index: list[str]
    ingested: int
    from_: str
    to: str


@post(
    "/api/samples",
    tags=["operations"],
    summary="Load sample data",
    description="Admins only. Loads the logs of a web shop up to now, with an incident whose cause can be "
    "found; they are searchable when it answers. A user who loads them gets a dashboard for them, "
    "unless one of that name exists. Loading again adds the same number of events: nothing is "
    "replaced.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
)
async def handle_load(
    data: JSONBody[SamplesBody],
    request: Request[Any, Any, Any],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
) -> SamplesAnswer:
    read_parameters(request, NoParameters)
    order = make_order(data, services.clock())
    with about("env"):
        check_target(data.env, by_admin.principal, services)
    delivery = Delivery(
        Target(data.env, INDEX_TEMPLATE, SOURCE), partial(admits_row, by_admin.principal)
    )
    receipt = await services.sink.ingest(
        delivery, give_pieces(write_lines(order), services.offload)
    )
    await asyncio.wrap_future(services.store.flush())
    await services.offload.run(add_dashboard, services, by_admin.principal, data)
    by_admin.record("samples.load", data.env, events=receipt.ingested)
    period = order.period
    return SamplesAnswer(
        data.env,
        INDEXES,
        receipt.ingested,
        format_time(period.from_ns),
        format_time(period.to_ns),
    )


def make_order(body: SamplesBody, now_ns: int) -> Order:
    """Return the samples to load; raise Invalid if a number is out of range."""
    seed = now_ns % BOUNDS["seed"][1] if body.seed is None else body.seed
    check_bounds(events=body.events, hours=body.hours, seed=seed)
    return Order(body.events, body.hours, now_ns, seed)


def check_target(env: str, principal: Principal, services: Services) -> None:
    """Check that the environment exists, and that the caller may write all samples to it."""
    check_env(principal, env)
    services.control.environments.get(env)
    closed = [index for index in INDEXES if not admits_row(principal, index)]
    if closed:
        raise Forbidden(
            f"{principal.kind} {principal.name!r} may not write to {closed[0]!r}, "
            f"expected to be allowed {', '.join(INDEXES)}"
        )


def add_dashboard(services: Services, owner: Principal, body: SamplesBody) -> None:
    """Add the dashboard for the samples, unless the owner has one of its name or no room for it."""
    if owner.kind != "user":
        return
    members = make_dashboard(body.env, ",".join(INDEXES), body.hours)
    with suppress(Conflict, TooLarge):
        services.control.dashboards.create(owner, members, make_settle(services, owner))


async def give_pieces(pieces: Iterator[bytes], offload: Offload) -> AsyncIterator[Lines]:
    """Generate each piece off the event loop, when it is needed."""
    while data := await offload.run(next, pieces, b""):
        yield Lines(data)


ROUTES: list[HTTPRouteHandler] = [handle_load]

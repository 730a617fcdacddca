"""`/api/links`: short names for addresses of pages, made by whoever has an account."""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change
from logboom.api.bodies import JsonRequest
from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.control.kept.links import LONGEST_ADDRESS_BYTES
from logboom.search.kept import make_address_canonical

BODY_LIMIT_BYTES = 8 * LONGEST_ADDRESS_BYTES
"""Room for an address of which every character is an escape."""

Address = Annotated[
    str,
    msgspec.Meta(
        description="A page and its parameters, as the pages write it behind `#`: `/explore?q=failed`."
    ),
]


class NewLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for a short name of an address."""

    address: Address


class LinkAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A link; the page `#/s/{id}` leads to its address."""

    id: str
    address: str


@post(
    "/api/links",
    tags=["links"],
    summary="Make a short link",
    description="By a user with a session. The address is at most 16 KiB long and leads to a page of this service, never to another host. "
    "Its query is kept in canonical form if it can be read. A link never changes and gives nobody the right to see anything. 413 when there is no room for more.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
)
async def handle_create(
    data: JSONBody[NewLink],
    searcher: NamedDependency[Principal],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> LinkAnswer:
    links = by_account.control.links
    address = await services.offload.run(make_address_canonical, data.address)
    link_id = await services.offload.run(links.create, searcher, address)
    by_account.record("link.create", link_id)
    return LinkAnswer(id=link_id, address=address)


@get(
    "/api/links/{id:str}",
    tags=["links"],
    summary="Read where a short link leads",
    description="By whoever may search.",
)
async def handle_read(
    id: FromPath[str],
    searcher: NamedDependency[Principal],  # noqa: ARG001 - asks for the right to search
    services: NamedDependency[Services],
) -> LinkAnswer:
    link = await services.offload.run(services.control.links.get, id)
    return LinkAnswer(id=id, address=link.address)


ROUTES: list[HTTPRouteHandler] = [handle_create, handle_read]

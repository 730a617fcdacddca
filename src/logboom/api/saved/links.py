"""`/api/links`: short links to pages, for everybody with an account."""

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
from logboom.control.saved.links import LONGEST_ADDRESS_BYTES
from logboom.search.saved import make_address_canonical

BODY_LIMIT_BYTES = 8 * LONGEST_ADDRESS_BYTES
"""Enough for an address in which every character is escaped."""

Address = Annotated[
    str,
    msgspec.Meta(
        description="A page and its parameters, as they appear after the `#`: `/explore?q=failed`."
    ),
]


class NewLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A short link to create."""

    address: Address


class LinkAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A link; the page `#/s/{id}` opens its address."""

    id: str
    address: str


@post(
    "/api/links",
    tags=["links"],
    summary="Create a short link",
    description="Needs a session. The address is at most 16 KiB long and must be a page of this service, never "
    "another host. Its query is stored in canonical form if it is valid. A link never changes and "
    "grants nobody access. 413 if there is no room for more.",
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
    summary="Read a short link",
    description="For everybody who may search.",
)
async def handle_read(
    id: FromPath[str],
    searcher: NamedDependency[Principal],  # noqa: ARG001 - asks for the right to search
    services: NamedDependency[Services],
) -> LinkAnswer:
    link = await services.offload.run(services.control.links.get, id)
    return LinkAnswer(id=id, address=link.address)


ROUTES: list[HTTPRouteHandler] = [handle_create, handle_read]

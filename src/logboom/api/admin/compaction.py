"""`POST /api/admin/compact`: merge blocks now instead of in the background."""

from typing import Annotated

import msgspec
from litestar import post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.services import Services
from logboom.base.errors import Invalid
from logboom.control.access.authorise import check_everywhere
from logboom.control.access.globs import ANY, ENV_GLOB, matches_any


class CompactBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which environments."""

    env: Annotated[
        str, msgspec.Meta(description="Environments: a name, a comma list, or globs.")
    ] = ANY


class CompactAnswer(msgspec.Struct):
    """The blocks and bytes of these environments before and after; `events` are counted after."""

    blocks_before: int
    blocks_after: int
    events: int
    bytes_before: int
    bytes_after: int


def read_globs(text: str) -> tuple[str, ...]:
    globs = tuple(part.strip() for part in text.split(","))
    for glob in globs:
        if not ENV_GLOB.fullmatch(glob):
            raise Invalid(
                f"environment glob {glob[:80]!r}, expected 1 to 64 of a-z 0-9 _ - * ?", field="env"
            )
    return globs


@post(
    "/api/admin/compact",
    tags=["operations"],
    summary="Merge blocks now",
    description="Admins without limits only. Small blocks of a day are merged in the background; this does it "
    "now, including the current day, and answers when it is done. Events, their `_id`s and query "
    "results do not change. `blocks` and `bytes` are those of the environments that `env` matches, "
    "before and after.",
    status_code=HTTP_200_OK,
    sync_to_thread=True,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
)
def handle_compact(
    data: JSONBody[CompactBody],
    services: NamedDependency[Services],
    by_admin: NamedDependency[Change],
) -> CompactAnswer:
    check_everywhere(by_admin.principal)
    globs = read_globs(data.env)
    before, after = services.store.compactor.compact(lambda env: matches_any(globs, env))
    by_admin.record("compact", data.env, blocks_before=before.blocks, blocks_after=after.blocks)
    return CompactAnswer(
        blocks_before=before.blocks,
        blocks_after=after.blocks,
        events=after.events,
        bytes_before=before.size_bytes,
        bytes_after=after.size_bytes,
    )


ROUTES: list[HTTPRouteHandler] = [handle_compact]

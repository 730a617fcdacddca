"""`/api/search`: a query in, rows out."""

from typing import Annotated, Any

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from logboom.api.auth import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.services import Services
from logboom.base.errors import Forbidden, Invalid
from logboom.control.users import Role, User
from logboom.engine.request import END_NS, MIN_NS, Request, compile_globs, decode_cursor
from logboom.engine.search import Answer
from logboom.lang.parse import parse
from logboom.lang.times import find_zone, parse_moment
from logboom.model.names import normalise_index
from logboom.web.asgi import parse_parameters

MAX_LIMIT = 10_000


class SearchBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """What to find, and where."""

    query: str = ""
    env: str = "default"
    index: str = "*"
    from_: str | int | float | None = None
    to: str | int | float | None = None
    limit: Annotated[int, msgspec.Meta(ge=0, le=MAX_LIMIT)] = 100
    cursor: str | None = None
    count: bool = False
    raw: bool = False
    timezone: str = "UTC"


def make_request(body: SearchBody, services: Services, user: User) -> Request:
    """Check every part of a search and bring it into the engine's form."""
    services.control.environments.get(body.env, reserved=user.role is Role.ADMIN)
    if not compile_globs(user.envs).match(body.env):
        raise Forbidden(f"user {user.username!r} may not read the environment {body.env!r}")
    now_ns, zone = services.clock(), find_zone(body.timezone)
    indexes = tuple(filter(None, (normalise_glob(part) for part in body.index.split(","))))
    if not indexes:
        raise Invalid(f"index {body.index!r}, expected a name, a comma list or globs")
    return Request(
        query=parse(body.query),
        env=body.env,
        indexes=indexes,
        allowed=user.indexes,
        from_ns=MIN_NS if body.from_ is None else parse_moment(body.from_, now_ns, zone),
        to_ns=END_NS if body.to is None else parse_moment(body.to, now_ns, zone),
        limit=body.limit,
        after=decode_cursor(body.cursor) if body.cursor else None,
        count=body.count,
        raw=body.raw,
    )


def normalise_glob(text: str) -> str:
    """An index name or glob in the form index names have; `*` and `?` stay."""
    text = text.strip()
    parts = [part if part in "*?" else normalise_index(part) for part in split_wild(text)]
    return "".join(parts)


def split_wild(text: str) -> list[str]:
    parts = [""]
    for character in text:
        if character in "*?":
            parts += [character, ""]
        else:
            parts[-1] += character
    return [part for part in parts if part]


def run_search(body: SearchBody, services: Services, user: User) -> Response[bytes]:
    answer = services.engine.search(make_request(body, services, user))
    return Response(encode_answer(answer), media_type="application/json")


def encode_answer(answer: Answer) -> bytes:
    """JSON in the documented key order; `total` only when it was asked for."""
    fields = msgspec.structs.asdict(answer)
    if answer.total is None:
        del fields["total"]
    return msgspec.json.encode(fields)


@post(
    "/api/search",
    tags=["search"],
    summary="Search events",
    description="Runs a query and answers with events (newest first) or, when the query ends in a pipe that "
    "aggregates, with a table. `from` is included, `to` is not; both take RFC 3339, epoch numbers, or "
    "relative times such as `-15m`. `cursor` continues where an earlier answer ended.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES * 4,
)
async def handle_search(
    data: JSONBody[SearchBody], services: NamedDependency[Services], user: NamedDependency[User]
) -> Response[bytes]:
    return await services.offload.run(run_search, data, services, user)


@get(
    "/api/search",
    tags=["search"],
    summary="Search events by address",
    description="The same as POST, with the body's members as query parameters.",
)
async def handle_search_by_address(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    user: NamedDependency[User],
) -> Response[bytes]:
    try:
        parameters = parse_parameters(request.scope["query_string"])
        body = msgspec.convert(parameters, SearchBody, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"search parameters: {error}") from error
    return await services.offload.run(run_search, body, services, user)


ROUTES: list[HTTPRouteHandler] = [handle_search, handle_search_by_address]

"""`/api/queries`: saved queries of users, private or shared with everybody."""

from typing import Annotated

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_204_NO_CONTENT

from logboom.api.access import Change, make_etag
from logboom.api.bodies import QUESTION_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.events.requests import Env, Filters, Index
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.control.access.authorise import check_reach
from logboom.control.access.principal import Principal, Reach
from logboom.control.access.reach import choose_indexes
from logboom.control.control import Control
from logboom.control.saved.queries import SavedQuery
from logboom.control.saved.questions import Settle
from logboom.search.question import Moment, Question

Columns = Annotated[
    tuple[str, ...], msgspec.Meta(description="Columns to show; empty: the reader's own choice.")
]
IsShared = Annotated[bool, msgspec.Meta(description="Whether everybody may see it.")]
RENAMED = {"from_": "from"}


class NewQuery(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=RENAMED
):
    """A query to save, with its environment, index and time range."""

    name: str
    query: str
    filters: Filters = ()
    description: str = ""
    env: Env = "default"
    index: Index = "*"
    from_: Moment = None
    to: Moment = None
    columns: Columns = ()
    is_shared: IsShared = False


class QueryChanges(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=RENAMED
):
    """The members to change; all others keep their values."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    query: str | msgspec.UnsetType = msgspec.UNSET
    filters: Filters | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    env: Env | msgspec.UnsetType = msgspec.UNSET
    index: Index | msgspec.UnsetType = msgspec.UNSET
    from_: Moment | msgspec.UnsetType = msgspec.UNSET
    to: Moment | msgspec.UnsetType = msgspec.UNSET
    columns: Columns | msgspec.UnsetType = msgspec.UNSET
    is_shared: IsShared | msgspec.UnsetType = msgspec.UNSET


class QueryAnswer(msgspec.Struct, frozen=True, kw_only=True, rename=RENAMED):
    """A saved query in canonical form; `owner` is the name of its creator, `is_starred` is about the caller."""

    id: str
    name: str
    query: str
    filters: tuple[str, ...]
    description: str
    env: str
    index: str
    from_: Moment
    to: Moment
    columns: tuple[str, ...]
    is_shared: bool
    is_starred: bool
    owner: str
    created: str
    updated: str


def describe_query(control: Control, reader: Principal, query: SavedQuery) -> QueryAnswer:
    owner = control.users.find(query.owner_id)
    return QueryAnswer(
        id=query.id,
        name=query.name,
        query=query.query,
        filters=query.filters,
        description=query.description,
        env=query.env,
        index=query.index,
        from_=query.from_,
        to=query.to,
        columns=query.columns,
        is_shared=query.is_shared,
        is_starred=query.id in control.stars.list_of(reader.id),
        owner=owner.username if owner else query.owner,
        created=format_time(query.created_ns),
        updated=format_time(query.updated_ns),
    )


def answer_query(control: Control, reader: Principal, query: SavedQuery) -> Response[QueryAnswer]:
    etag = make_etag(control.queries.generation)
    return Response(describe_query(control, reader, query), headers=etag)


def check_owned(writer: Principal, query: SavedQuery) -> None:
    """Raise Forbidden if a query of another user reads more than the caller may see."""
    if query.owner_id != writer.id:
        envs = tuple(part.strip() for part in query.env.split(","))
        check_reach(writer, Reach(frozenset(), envs, choose_indexes(query.index)))


def make_settle(services: Services, writer: Principal) -> Settle[SavedQuery]:
    """Return a function that makes the query canonical, and refuses one that the caller may not run."""

    def settle(before: SavedQuery | None, after: SavedQuery) -> SavedQuery:
        was = make_question(before) if before else None
        kept = services.search.keep(writer, make_question(after), was)
        return msgspec.structs.replace(
            after, query=kept.query, filters=kept.filters, is_canonical=kept.is_canonical
        )

    return settle


def make_question(saved: SavedQuery) -> Question:
    return Question(
        query=saved.query,
        filters=saved.filters,
        env=saved.env,
        index=saved.index,
        from_=saved.from_,
        to=saved.to,
        is_canonical=saved.is_canonical,
    )


@get(
    "/api/queries",
    tags=["queries"],
    summary="List the saved queries",
    description="Your own queries and the shared ones, oldest first. Keys see the shared ones.",
    sync_to_thread=False,
)
def handle_list(
    searcher: NamedDependency[Principal], control: NamedDependency[Control]
) -> Response[list[QueryAnswer]]:
    etag = make_etag(control.queries.generation)
    found = control.queries.list_for(searcher)
    return Response([describe_query(control, searcher, query) for query in found], headers=etag)


@get(
    "/api/queries/{id:str}",
    tags=["queries"],
    summary="Read a saved query",
    description="404 also for a private query of another user.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str], searcher: NamedDependency[Principal], control: NamedDependency[Control]
) -> Response[QueryAnswer]:
    return answer_query(control, searcher, control.queries.get_for(searcher, id))


@post(
    "/api/queries",
    tags=["queries"],
    summary="Save a query",
    description="Needs a session; the query belongs to the user. Query and filters are stored in canonical "
    "form. An invalid query is an error with `start`, `end`, `expected` and `suggestion`. 409 if "
    "the user has a query of that name. Sharing a query grants nobody access to more events.",
    request_class=JsonRequest,
    request_max_body_size=QUESTION_LIMIT_BYTES,
)
async def handle_create(
    data: JSONBody[NewQuery],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[QueryAnswer]:
    control, writer = by_account.control, by_account.principal
    members, settle = list_given(data), make_settle(services, writer)
    query = await services.offload.run(control.queries.create, writer, members, settle)
    by_account.record("query.create", query.name, id=query.id, shared=query.is_shared)
    return answer_query(control, writer, query)


@patch(
    "/api/queries/{id:str}",
    tags=["queries"],
    summary="Change a saved query",
    description="For the owner, and, if it is shared, for admins and editors who may read what it queries. "
    "Members that are not given keep their values. With `If-Match`: 409 if the saved queries were "
    "changed since.",
    request_class=JsonRequest,
    request_max_body_size=QUESTION_LIMIT_BYTES,
)
async def handle_update(
    id: FromPath[str],
    data: JSONBody[QueryChanges],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[QueryAnswer]:
    control, writer = by_account.control, by_account.principal
    check_owned(writer, control.queries.get_for(writer, id))
    changes, settle = list_given(data), make_settle(services, writer)
    expected = by_account.expected_generation
    update = control.queries.update
    query = await services.offload.run(update, writer, id, changes, settle, expected)
    changed = sorted(name.rstrip("_") for name in changes)
    by_account.record("query.update", query.name, id=query.id, changed=changed)
    return answer_query(control, writer, query)


@delete(
    "/api/queries/{id:str}",
    tags=["queries"],
    summary="Delete a saved query",
    description="For the owner, and, if it is shared, for admins and editors who may read what it queries.",
)
async def handle_delete(
    id: FromPath[str], by_account: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    queries, writer = by_account.control.queries, by_account.principal
    expected = by_account.expected_generation
    check_owned(writer, queries.get_for(writer, id))
    query = await services.offload.run(queries.delete_by, writer, id, expected)
    by_account.record("query.delete", query.name, id=query.id)


async def set_star(id: str, by_account: Change, services: Services, is_starred: bool) -> None:
    control, user = by_account.control, by_account.principal
    query = control.queries.get_for(user, id)
    known = {each.id for each in control.queries.list_for(user)}
    await services.offload.run(control.stars.set, user.id, query.id, is_starred, known)


@put(
    "/api/queries/{id:str}/star",
    tags=["queries"],
    summary="Star a saved query",
    description="Needs a session. The star is for this user alone, in whose answers `is_starred` is true. At most "
    "200 queries can be starred.",
    status_code=HTTP_204_NO_CONTENT,
)
async def handle_star(
    id: FromPath[str], by_account: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    await set_star(id, by_account, services, is_starred=True)


@delete(
    "/api/queries/{id:str}/star",
    tags=["queries"],
    summary="Remove the star of a saved query",
    description="Needs a session. The stars of other users stay.",
)
async def handle_unstar(
    id: FromPath[str], by_account: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    await set_star(id, by_account, services, is_starred=False)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
    handle_star,
    handle_unstar,
]

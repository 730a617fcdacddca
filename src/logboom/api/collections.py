"""Shared handlers for users, keys, tokens, sources and channels: list, read, change and delete."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec
from litestar import Response, delete, get, patch
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given, make_changes
from logboom.api.services import Services
from logboom.base.structs import InternalStruct
from logboom.control.access.audit import Action
from logboom.control.access.authorise import check_reach
from logboom.control.access.principal import Principal, Reach
from logboom.control.control import Control
from logboom.control.documents.records import Allow, Record, Records

Kind = TypeVar("Kind", bound=Record)
Answer = TypeVar("Answer")
Update = Callable[[Services, str, dict[str, Any], int | None, Allow[Kind]], Kind]
"""Replaces members of the record with an id, if the change is allowed and the generation matches."""


class Collection(InternalStruct, Generic[Kind, Answer], frozen=True):
    """Records of one kind below `/api/{tag}`: where they are stored, their names, and how they are shown.

    `reach` is what a record may do: nobody can create, change or delete one that may do more than they may. `noted`
    are members that the audit log records beside the id.
    """

    tag: str
    one: str
    find: Callable[[Control], Records[Kind]]
    name: Callable[[Kind], str]
    show: Callable[[Services, Kind], Answer]
    answer: type[Answer]
    reach: Callable[[Kind], Reach]
    noted: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return f"/api/{self.tag}"

    @property
    def path_of_one(self) -> str:
        return f"{self.path}/{{id:str}}"

    def answer_all(
        self, services: Services, may_see: Callable[[Kind], object] = lambda _: True
    ) -> Response[list[Answer]]:
        records = self.find(services.control)
        # Read before the records, so that it is never newer than they are.
        etag = make_etag(records.generation)
        shown = [self.show(services, each) for each in records.list() if may_see(each)]
        return Response(shown, headers=etag)

    def answer_one(
        self, services: Services, id: str, check: Callable[[Kind], None] = lambda _: None
    ) -> Response[Answer]:
        records = self.find(services.control)
        etag = make_etag(records.generation)
        record = records.get(id)
        check(record)
        return Response(self.show(services, record), headers=etag)

    def answer_changed(self, services: Services, record: Kind) -> Response[Answer]:
        etag = make_etag(self.find(services.control).generation)
        return Response(self.show(services, record), headers=etag)

    def allow(self, change: Change) -> Allow[Kind]:
        """Refuse records that may do more than the user who makes the change."""
        return lambda record: check_reach(change.principal, self.reach(record))

    def record(self, change: Change, action: Action, record: Kind, **details: object) -> None:
        """Record in the audit log what was done to a record."""
        noted = {name: getattr(record, name) for name in ("id", *self.noted)}
        change.record(action, self.name(record), **noted, **details)


def make_list(
    collection: Collection[Kind, Answer], summary: str, description: str
) -> HTTPRouteHandler:
    def handle_list(
        admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
        services: NamedDependency[Services],
    ) -> Response[list[Answer]]:
        return collection.answer_all(services)

    # The framework derives the documented answer from this annotation.
    handle_list.__annotations__["return"] = Response[list[collection.answer]]  # type: ignore[name-defined]
    return get(
        collection.path,
        tags=[collection.tag],
        summary=summary,
        description=description,
        sync_to_thread=False,
    )(handle_list)


def make_read(collection: Collection[Kind, Answer]) -> HTTPRouteHandler:
    def handle_read(
        id: FromPath[str],
        admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
        services: NamedDependency[Services],
    ) -> Response[Answer]:
        return collection.answer_one(services, id)

    handle_read.__annotations__["return"] = Response[collection.answer]  # type: ignore[name-defined]
    return get(
        collection.path_of_one,
        tags=[collection.tag],
        summary=f"Read {collection.one}",
        description="Admins only.",
        sync_to_thread=False,
    )(handle_read)


def make_update(
    collection: Collection[Kind, Answer],
    update: Update[Kind],
    body: type[msgspec.Struct],
    action: Action,
    description: str = "",
) -> HTTPRouteHandler:
    """Return a handler that takes any members of a `body`; `description` is added to its documentation."""

    # Done here because the framework does it twice if another handler of the path follows.
    async def handle_update(
        id: FromPath[str],
        data: JSONBody[msgspec.Struct],
        by_admin: NamedDependency[Change],
        services: NamedDependency[Services],
    ) -> Response[Answer]:
        changes = list_given(data)
        expected, allow = by_admin.expected_generation, collection.allow(by_admin)
        record = await sync_to_thread(update, services, id, changes, expected, allow)
        removed = sorted(name for name, value in changes.items() if value is None)
        details = {"removed": removed} if removed else {}
        collection.record(by_admin, action, record, changed=sorted(changes), **details)
        return collection.answer_changed(services, record)

    handle_update.__annotations__["data"] = JSONBody[make_changes(body)]  # type: ignore[misc]
    handle_update.__annotations__["return"] = Response[collection.answer]  # type: ignore[name-defined]
    return patch(
        collection.path_of_one,
        tags=[collection.tag],
        summary=f"Change {collection.one}",
        description=f"Admins only. Members that are not given keep their values. {description}With `If-Match`: "
        f"409 if the {collection.tag} were changed since.",
        request_class=JsonRequest,
        request_max_body_size=BODY_LIMIT_BYTES,
    )(handle_update)


def make_delete(
    collection: Collection[Kind, Answer],
    action: Action,
    description: str,
    check: Callable[[Control, Kind], None] = lambda _control, _record: None,
) -> HTTPRouteHandler:
    """Return a delete handler; `check` refuses to delete a record that is in use."""

    def handle_delete(id: FromPath[str], by_admin: NamedDependency[Change]) -> None:
        def allow(record: Kind) -> None:
            collection.allow(by_admin)(record)
            check(by_admin.control, record)

        records = collection.find(by_admin.control)
        record = records.delete(id, by_admin.expected_generation, allow)
        collection.record(by_admin, action, record)

    return delete(
        collection.path_of_one,
        tags=[collection.tag],
        summary=f"Delete {collection.one}",
        description=description,
        sync_to_thread=True,
    )(handle_delete)

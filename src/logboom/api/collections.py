"""What admins do alike with users, keys and tokens: list them, read one, delete one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from litestar import Response, delete, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from logboom.api.access import Change, make_etag
from logboom.control.audit import Action
from logboom.control.control import Control
from logboom.control.principal import Principal
from logboom.control.records import Record, Records

Kind = TypeVar("Kind", bound=Record)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Collection(Generic[Kind, Answer]):
    """Records of one kind below `/api/{tag}`: where they are, what they are called, how they are shown."""

    tag: str
    one: str
    find: Callable[[Control], Records[Kind]]
    name: Callable[[Kind], str]
    show: Callable[[Control, Kind], Answer]
    answer: type[Answer]

    @property
    def path(self) -> str:
        return f"/api/{self.tag}"

    @property
    def path_of_one(self) -> str:
        return f"{self.path}/{{id:str}}"


def make_list(
    collection: Collection[Kind, Answer], summary: str, description: str
) -> HTTPRouteHandler:
    def handle_list(
        admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
        control: NamedDependency[Control],
    ) -> Response[list[Answer]]:
        records = collection.find(control)
        etag = make_etag(records.generation)
        return Response([collection.show(control, each) for each in records.list()], headers=etag)

    # The framework documents the answer by what stands here.
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
        control: NamedDependency[Control],
    ) -> Response[Answer]:
        records = collection.find(control)
        etag = make_etag(records.generation)
        return Response(collection.show(control, records.get(id)), headers=etag)

    handle_read.__annotations__["return"] = Response[collection.answer]  # type: ignore[name-defined]
    return get(
        collection.path_of_one,
        tags=[collection.tag],
        summary=f"Read {collection.one}",
        description="Admins only.",
        sync_to_thread=False,
    )(handle_read)


def make_delete(
    collection: Collection[Kind, Answer], action: Action, description: str
) -> HTTPRouteHandler:
    def handle_delete(id: FromPath[str], by_admin: NamedDependency[Change]) -> None:
        records = collection.find(by_admin.control)
        record = records.delete(id, by_admin.expected_generation)
        by_admin.record(action, collection.name(record), id=record.id)

    return delete(
        collection.path_of_one,
        tags=[collection.tag],
        summary=f"Delete {collection.one}",
        description=description,
        sync_to_thread=True,
    )(handle_delete)

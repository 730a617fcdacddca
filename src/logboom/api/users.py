"""`/api/users`: the accounts, for admins."""

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given
from logboom.control.control import Control
from logboom.control.principal import Principal
from logboom.control.users import Role, User


class NewUser(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The wish for an account; `envs` and `indexes` are globs of what it may see."""

    username: str
    password: str
    role: Role
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    enabled: bool = True

    def __repr__(self) -> str:
        return f"NewUser(username={self.username!r})"


class UserChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is to be another way; the rest stays."""

    username: str | msgspec.UnsetType = msgspec.UNSET
    password: str | msgspec.UnsetType = msgspec.UNSET
    role: Role | msgspec.UnsetType = msgspec.UNSET
    envs: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    indexes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    enabled: bool | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        return f"UserChanges({sorted(list_given(self))})"


class UserAnswer(msgspec.Struct, frozen=True):
    """An account as others may see it."""

    id: str
    username: str
    role: Role
    envs: tuple[str, ...]
    indexes: tuple[str, ...]
    enabled: bool


def describe_user(user: User) -> UserAnswer:
    return UserAnswer(user.id, user.username, user.role, user.envs, user.indexes, user.enabled)


@get(
    "/api/users",
    tags=["users"],
    summary="List the users",
    description="Admins only. Every account, the oldest first, without its password.",
    sync_to_thread=False,
)
def handle_list(
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    control: NamedDependency[Control],
) -> Response[list[UserAnswer]]:
    etag = make_etag(control.users.generation)
    return Response([describe_user(user) for user in control.users.list()], headers=etag)


@get(
    "/api/users/{id:str}",
    tags=["users"],
    summary="Read a user",
    description="Admins only.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str],
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    control: NamedDependency[Control],
) -> Response[UserAnswer]:
    etag = make_etag(control.users.generation)
    return Response(describe_user(control.users.get(id)), headers=etag)


@post(
    "/api/users",
    tags=["users"],
    summary="Make a user",
    description="Admins only. The role is `admin`, `editor` or `viewer`; `envs` and `indexes` are globs of what the user "
    "may see. 409 when the name is taken.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(data: JSONBody[NewUser], by_admin: NamedDependency[Change]) -> UserAnswer:
    user = by_admin.control.users.create(
        data.username,
        data.password,
        data.role,
        envs=data.envs,
        indexes=data.indexes,
        enabled=data.enabled,
    )
    by_admin.record("user.create", user.username, role=user.role.value)
    return describe_user(user)


@patch(
    "/api/users/{id:str}",
    tags=["users"],
    summary="Change a user",
    description="Admins only. Members that are not given stay. Ends the user's sessions; there is always one enabled admin "
    "left (409). With `If-Match` 409 when the users were changed since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_update(
    id: FromPath[str], data: JSONBody[UserChanges], by_admin: NamedDependency[Change]
) -> UserAnswer:
    changes = list_given(data)
    user = by_admin.control.users.update(id, changes, by_admin.expected_generation)
    by_admin.record("user.update", user.username, changed=sorted(changes))
    return describe_user(user)


@delete(
    "/api/users/{id:str}",
    tags=["users"],
    summary="Delete a user",
    description="Admins only. Ends the user's sessions; there is always one enabled admin left (409).",
    sync_to_thread=True,
)
def handle_delete(id: FromPath[str], by_admin: NamedDependency[Change]) -> None:
    user = by_admin.control.users.delete(id, by_admin.expected_generation)
    by_admin.record("user.delete", user.username)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
]

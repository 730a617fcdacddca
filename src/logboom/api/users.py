"""`/api/users`: the accounts, for admins."""

import msgspec
from litestar import patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.collections import Collection, make_delete, make_list, make_read
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


USERS = Collection(
    "users",
    "a user",
    find=lambda control: control.users,
    name=lambda user: user.username,
    show=lambda _, user: describe_user(user),
    answer=UserAnswer,
)


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


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        USERS,
        "List the users",
        "Admins only. Every account, the oldest first, without its password.",
    ),
    make_read(USERS),
    handle_create,
    handle_update,
    make_delete(
        USERS,
        "user.delete",
        "Admins only. Ends the user's sessions; there is always one enabled admin left (409).",
    ),
]

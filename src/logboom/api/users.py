"""`/api/users`: the accounts, for admins."""

from typing import Any

import msgspec
from litestar import delete, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.collections import Collection, make_list, make_read, make_update
from logboom.api.services import Services
from logboom.base.errors import Invalid
from logboom.control.access.principal import Principal
from logboom.control.access.users import Role, User
from logboom.control.control import Control
from logboom.control.documents.records import Allow


class NewUser(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for an account; `envs` and `indexes` are globs of what it may see.

    Without a password the user signs in by single sign-on, as `saml_identity` or else as `username`.
    """

    username: str
    role: Role
    password: str | None = None
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    enabled: bool = True
    saml_identity: str | None = None

    def __repr__(self) -> str:
        return f"NewUser(username={self.username!r})"


class UserAnswer(msgspec.Struct, frozen=True):
    """An account as others may see it."""

    id: str
    username: str
    role: Role
    envs: tuple[str, ...]
    indexes: tuple[str, ...]
    enabled: bool
    saml_identity: str | None
    has_password: bool


def check_password_given(control: Control, password: str | None) -> None:
    """Invalid for a user who could not sign in at all."""
    if password is None and not control.settings.effective.saml.enabled:
        raise Invalid("no password, expected one while single sign-on is off", field="password")


def update_user(
    services: Services,
    user_id: str,
    changes: dict[str, Any],
    expected_generation: int | None,
    allow: Allow[User],
) -> User:
    if "password" in changes:
        check_password_given(services.control, changes["password"])
    return services.control.users.update(user_id, changes, expected_generation, allow)


def describe_user(user: User) -> UserAnswer:
    return msgspec.convert(user, UserAnswer, from_attributes=True)


USERS = Collection(
    "users",
    "a user",
    find=lambda control: control.users,
    name=lambda user: user.username,
    show=lambda _, user: describe_user(user),
    answer=UserAnswer,
    reach=lambda user: Principal.of_user(user).reach,
)


@post(
    "/api/users",
    tags=["users"],
    summary="Make a user",
    description="Admins only. The role is `admin`, `editor` or `viewer`; `envs` and `indexes` are globs of what the user "
    "may see, which is no more than whoever creates it may. A user without a `password` signs in by single sign-on only, which has to be on. "
    "`saml_identity` is what the identity provider calls the user, where that is not the user name. 409 when the name or the identity is taken.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(data: JSONBody[NewUser], by_admin: NamedDependency[Change]) -> UserAnswer:
    check_password_given(by_admin.control, data.password)
    users, allow = by_admin.control.users, USERS.allow(by_admin)
    user = users.create(**msgspec.structs.asdict(data), allow=allow)
    by_admin.record("user.create", user.username, role=user.role.value)
    return describe_user(user)


@delete(
    USERS.path_of_one,
    tags=["users"],
    summary="Delete a user",
    description="Admins only. Ends the user's sessions; there is always an enabled admin left who can sign in (409). Of the user's saved "
    "queries and dashboards those that are shared stay; alerts stay, and cannot be asked any more.",
    sync_to_thread=True,
)
def handle_delete(id: FromPath[str], by_admin: NamedDependency[Change]) -> None:
    users, allow = by_admin.control.users, USERS.allow(by_admin)
    user = users.delete(id, by_admin.expected_generation, allow)
    by_admin.record("user.delete", user.username, id=user.id)
    by_admin.control.queries.part_with(user.id, user.username)
    by_admin.control.dashboards.part_with(user.id, user.username)
    by_admin.control.alerts.part_with(user.id, user.username)


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        USERS,
        "List the users",
        "Admins only. Every account, the oldest first, without its password.",
    ),
    make_read(USERS),
    handle_create,
    make_update(
        USERS,
        update_user,
        NewUser,
        "user.update",
        "A `password` of null removes it, which needs single sign-on to be on: the user then signs in that way only. Ends the user's sessions. "
        "There is always an enabled admin left who can sign in (409). ",
    ),
    handle_delete,
]

"""`/api/users`: the accounts, managed by admins."""

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
    """An account to create; `envs` and `indexes` are globs of what it may see.

    Without a password the user signs in through single sign-on, as `saml_identity` or else as `username`.
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
    """Raise Invalid for a user who would have no way to sign in."""
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
    summary="Create a user",
    description="Admins only. The role is `admin`, `editor` or `viewer`; `envs` and `indexes` are globs of what "
    "the user may see, at most what the creating admin may see. A user without a `password` can "
    "sign in only through single sign-on, which must be enabled. `saml_identity` is the user's name "
    "at the identity provider, if it differs from the user name. 409 if the name or the identity is "
    "taken.",
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
    description="Admins only. Ends the user's sessions. At least one enabled admin who can sign in must "
    "remain (409). The user's shared queries and dashboards are kept, private ones are deleted; "
    "alerts are kept, but no longer run.",
    sync_to_thread=True,
)
def handle_delete(id: FromPath[str], by_admin: NamedDependency[Change]) -> None:
    users, allow = by_admin.control.users, USERS.allow(by_admin)
    user = users.delete(id, by_admin.expected_generation, allow)
    by_admin.record("user.delete", user.username, id=user.id)
    by_admin.control.stars.drop(user.id)
    by_admin.control.queries.detach_owner(user.id, user.username)
    by_admin.control.dashboards.detach_owner(user.id, user.username)
    by_admin.control.alerts.detach_owner(user.id, user.username)


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        USERS,
        "List the users",
        "Admins only. Every account, oldest first, without passwords.",
    ),
    make_read(USERS),
    handle_create,
    make_update(
        USERS,
        update_user,
        NewUser,
        "user.update",
        "A `password` of null removes it, which requires that single sign-on is enabled: the user can then sign "
        "in only that way. Ends the user's sessions. At least one enabled admin who can sign in must "
        "remain (409). ",
    ),
    handle_delete,
]

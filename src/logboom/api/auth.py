"""First-run setup, signing in and out, and changing one's own password."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from logboom.api.access import SESSION_COOKIE, find_address
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.users import UserAnswer, describe_user
from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.audit import Action
from logboom.control.control import Control
from logboom.control.principal import ANONYMOUS, Principal
from logboom.control.sessions import SESSION_S
from logboom.control.users import User

NEVER_KEPT = {"Cache-Control": "no-store"}


class Credentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person types to sign in."""

    username: str
    password: str

    def __repr__(self) -> str:
        return f"Credentials(username={self.username!r})"


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The password that counts, and the one that shall."""

    old: str
    new: str

    def __repr__(self) -> str:
        return "PasswordChange()"


class SetupState(msgspec.Struct, frozen=True):
    """Whether the first account is still to be made."""

    required: bool


class LoginAnswer(msgspec.Struct, frozen=True):
    """A new session: its token and whose it is."""

    token: str
    user: UserAnswer


def make_session_cookie(
    request: Request[Any, Any, Any], token: str, lifetime_s: int = SESSION_S
) -> Cookie:
    return Cookie(
        SESSION_COOKIE,
        value=token,
        max_age=lifetime_s,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.scope["scheme"] == "https",
    )


def record(
    action: Action,
    user: User,
    request: Request[Any, Any, Any],
    control: Control,
    outcome: str = "ok",
) -> None:
    """Write down what a user did to their own account."""
    principal, address = Principal.of_user(user), find_address(request)
    control.audit.record(action, principal, user.username, outcome, address=address)


@get(
    "/api/setup",
    tags=["setup"],
    summary="Is setup required?",
    description="True on a fresh install, until the first account is made.",
    sync_to_thread=True,
)
def handle_setup_state(control: NamedDependency[Control]) -> SetupState:
    return SetupState(control.is_setup_required())


@post(
    "/api/setup",
    tags=["setup"],
    summary="Make the admin account",
    description="Works once, for the first who asks; 409 ever after. "
    "The password has 8 to 1024 characters.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_setup(
    data: JSONBody[Credentials], request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> UserAnswer:
    user = control.setup(data.username, data.password)
    record("setup", user, request, control)
    return describe_user(user)


@post(
    "/api/auth/login",
    tags=["auth"],
    summary="Sign in",
    description="Starts a session of twelve hours. Its token is in the answer, for `Authorization: Bearer`, "
    "and in an HttpOnly cookie for browsers. 429 after too many tries.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_login(
    data: JSONBody[Credentials], request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> Response[LoginAnswer]:
    address = find_address(request)
    control.take_try(data.username, address)
    try:
        token, user = control.login(data.username, data.password)
    except Unauthenticated:
        target = control.name_account(data.username)
        control.audit.record("login_failed", ANONYMOUS, target, "refused", address=address)
        raise
    control.logins.succeed(data.username, address)
    record("login", user, request, control)
    return Response(
        LoginAnswer(token, describe_user(user)),
        cookies=[make_session_cookie(request, token)],
        headers=NEVER_KEPT,
    )


@post(
    "/api/auth/logout",
    tags=["auth"],
    summary="Sign out",
    description="Ends all sessions of the user, on every device, and clears the cookie.",
    status_code=HTTP_204_NO_CONTENT,
    sync_to_thread=True,
)
def handle_logout(
    request: Request[Any, Any, Any],
    account: NamedDependency[User],
    control: NamedDependency[Control],
) -> Response[None]:
    control.logout(account)
    record("logout", account, request, control)
    return Response(None, cookies=[make_session_cookie(request, "", lifetime_s=0)])


@post(
    "/api/auth/password",
    tags=["auth"],
    summary="Change one's own password",
    description="Takes the `old` password and the `new` one, 8 to 1024 characters. Ends all sessions of the user, this one too.",
    status_code=HTTP_204_NO_CONTENT,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_password(
    data: JSONBody[PasswordChange],
    request: Request[Any, Any, Any],
    account: NamedDependency[User],
    control: NamedDependency[Control],
) -> Response[None]:
    address = find_address(request)
    control.take_try(account.username, address)
    try:
        control.users.change_password(account.id, data.old, data.new)
    except Forbidden:
        record("login_failed", account, request, control, "refused")
        raise
    control.logins.succeed(account.username, address)
    record("user.update", account, request, control)
    return Response(None, cookies=[make_session_cookie(request, "", lifetime_s=0)])


@get(
    "/api/auth/me",
    tags=["auth"],
    summary="Who am I?",
    description="The account of the session's user.",
    sync_to_thread=False,
)
def handle_me(account: NamedDependency[User]) -> UserAnswer:
    return describe_user(account)


ROUTES: list[HTTPRouteHandler] = [
    handle_setup_state,
    handle_setup,
    handle_login,
    handle_logout,
    handle_password,
    handle_me,
]

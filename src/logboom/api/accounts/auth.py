"""First-run setup, signing in and out, and changing one's own password."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from logboom.api.access import SESSION_COOKIE, find_address, find_credential
from logboom.api.accounts.users import UserAnswer, describe_user
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.access.audit import Action
from logboom.control.access.principal import ANONYMOUS, Principal
from logboom.control.access.signin.devices import DEVICE_S
from logboom.control.access.signin.sessions import SESSION_S
from logboom.control.access.users import User
from logboom.control.control import Control

NEVER_KEPT = {"Cache-Control": "no-store"}
DEVICE_COOKIE = "logboom_device"


class Credentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a user types to sign in."""

    username: str
    password: str

    def __repr__(self) -> str:
        return f"Credentials(username={self.username!r})"


class FirstAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The admin account to create; `code` is the setup code, if the service was started with one."""

    username: str
    password: str
    code: str = ""

    def __repr__(self) -> str:
        return f"FirstAccount(username={self.username!r})"


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The current password and the new one."""

    old: str
    new: str

    def __repr__(self) -> str:
        return "PasswordChange()"


class SetupState(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether the first account is still to be created, and whether this needs the setup code."""

    required: bool
    code_required: bool = False


class LoginAnswer(msgspec.Struct, frozen=True):
    """A new session: its token and its user."""

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


def make_device_cookie(request: Request[Any, Any, Any], mark: str) -> Cookie:
    return Cookie(
        DEVICE_COOKIE,
        value=mark,
        max_age=DEVICE_S,
        path="/api/auth",
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
    **details: object,
) -> None:
    """Record in the audit log what a user did to their own account."""
    principal, address = Principal.of_user(user), find_address(request)
    control.audit.record(action, principal, user.username, outcome, address=address, **details)


@get(
    "/api/setup",
    tags=["setup"],
    summary="Is setup required?",
    description="`required` is true on a fresh install, until the first account is created. `code_required` is "
    "present, and true, if this needs the setup code.",
    sync_to_thread=True,
)
def handle_setup_state(control: NamedDependency[Control]) -> SetupState:
    required = control.first_run.is_required()
    return SetupState(required, required and control.first_run.needs_code)


@post(
    "/api/setup",
    tags=["setup"],
    summary="Create the admin account",
    description="Works once, for whoever comes first; 409 afterwards. If the service was started with "
    "SERVICE_SETUP_CODE, `code` must match it: 403 otherwise, 429 after too many attempts. A "
    "password that is too short or easy to guess is a 400 with the reason.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_setup(
    data: JSONBody[FirstAccount], request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> UserAnswer:
    user = control.first_run.create(data.username, data.password, data.code, find_address(request))
    record("setup", user, request, control)
    return describe_user(user)


@post(
    "/api/auth/login",
    tags=["auth"],
    summary="Sign in",
    description="Starts a session of twelve hours. The answer has its token, for `Authorization: Bearer`, and "
    "sets an HttpOnly cookie for browsers. 403 while only single sign-on is allowed, 429 after too "
    "many attempts.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_login(
    data: JSONBody[Credentials], request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> Response[LoginAnswer]:
    control.check_passwords_allowed()
    address = find_address(request)
    device = control.recognise_device(data.username, request.cookies.get(DEVICE_COOKIE, ""))
    control.take_try(data.username, address, device)
    try:
        token, user = control.login(data.username, data.password)
    except Unauthenticated:
        target = control.name_account(data.username)
        control.audit.record("login_failed", ANONYMOUS, target, "refused", address=address)
        raise
    control.logins.succeed(data.username, address, device)
    record("login", user, request, control)
    cookies = [make_session_cookie(request, token)]
    if not device:
        cookies.append(make_device_cookie(request, control.devices.issue(user.id)))
    return Response(
        LoginAnswer(token, describe_user(user)),
        cookies=cookies,
        headers=NEVER_KEPT,
    )


@post(
    "/api/auth/logout",
    tags=["auth"],
    summary="Sign out",
    description="Ends this session, within 5 seconds on every node, and clears the cookie. Other sessions of "
    "the user continue; changing the password ends them all.",
    status_code=HTTP_204_NO_CONTENT,
    sync_to_thread=True,
)
def handle_logout(
    request: Request[Any, Any, Any],
    account: NamedDependency[User],
    control: NamedDependency[Control],
) -> Response[None]:
    control.logout(find_credential(request))
    record("logout", account, request, control)
    return Response(None, cookies=[make_session_cookie(request, "", lifetime_s=0)])


@post(
    "/api/auth/password",
    tags=["auth"],
    summary="Change your own password",
    description="Takes the `old` password and the `new` one. A password that is too short or easy to guess is a "
    "400 with the reason. Ends all sessions of the user, including this one.",
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
    # Attempts with a session are counted separately, so that nobody without one can use them up.
    control.take_try(account.username, address, device=account.id)
    try:
        control.users.change_password(account.id, data.old, data.new)
    except Forbidden:
        record("login_failed", account, request, control, "refused")
        raise
    control.logins.succeed(account.username, address, device=account.id)
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

"""First-run setup, signing in and out, and who is asking.

`DEPENDENCIES` gives every handler its `user`; the application provides `control`.
"""

from typing import Any, Literal

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from logboom.base.errors import Forbidden, Invalid, Unauthenticated
from logboom.control.control import Control
from logboom.control.sessions import SESSION_S
from logboom.control.users import Role, User

SESSION_COOKIE = "logboom_session"
BODY_LIMIT_BYTES = 64 * 1024
NEVER_KEPT = {"Cache-Control": "no-store"}


class JsonRequest(Request[Any, Any, Any]):
    """A request whose unreadable JSON is the client's fault, also where the decoder fails in its own way."""

    async def json(self) -> Any:
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise Invalid("the body is not valid UTF-8, expected JSON") from error
        except RecursionError as error:
            raise Invalid("the body is nested too deeply, expected a flat JSON object") from error


class Credentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person types to sign in."""

    username: str
    password: str

    def __repr__(self) -> str:
        return f"Credentials(username={self.username!r})"


class SetupState(msgspec.Struct, frozen=True):
    """Whether the first account is still to be made."""

    required: bool


class UserAnswer(msgspec.Struct, frozen=True):
    """An account as others may see it."""

    id: str
    username: str
    role: Literal["admin", "editor", "viewer"]
    envs: tuple[str, ...]
    indexes: tuple[str, ...]
    enabled: bool


class LoginAnswer(msgspec.Struct, frozen=True):
    """A new session: its token and whose it is."""

    token: str
    user: UserAnswer


def describe_user(user: User) -> UserAnswer:
    return UserAnswer(
        user.id, user.username, user.role.value, user.envs, user.indexes, user.enabled
    )


def provide_user(request: Request[Any, Any, Any], control: NamedDependency[Control]) -> User:
    """The signed-in user: by `Authorization: Bearer`, else by the session cookie; touches no disk."""
    scheme, _, credential = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return control.authenticate(credential.strip())
    token = request.cookies.get(SESSION_COOKIE)
    if not token:
        raise Unauthenticated("no session, expected a bearer token or the session cookie")
    return control.authenticate(token)


def provide_admin(user: NamedDependency[User]) -> User:
    """The signed-in user when it is an admin."""
    if user.role is not Role.ADMIN:
        raise Forbidden(f"user {user.username!r} has the role {user.role.value}, expected admin")
    return user


def provide_editor(user: NamedDependency[User]) -> User:
    """The signed-in user when it may change what others search with."""
    if user.role is Role.VIEWER:
        raise Forbidden(f"user {user.username!r} has the role viewer, expected editor or admin")
    return user


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
def handle_setup(data: JSONBody[Credentials], control: NamedDependency[Control]) -> UserAnswer:
    return describe_user(control.setup(data.username, data.password))


@post(
    "/api/auth/login",
    tags=["auth"],
    summary="Sign in",
    description="Starts a session of twelve hours. Its token is in the answer, for `Authorization: Bearer`, "
    "and in an HttpOnly cookie for browsers.",
    status_code=HTTP_200_OK,
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_login(
    data: JSONBody[Credentials], request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> Response[LoginAnswer]:
    token, user = control.login(data.username, data.password)
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
    request: Request[Any, Any, Any], user: NamedDependency[User], control: NamedDependency[Control]
) -> Response[None]:
    control.logout(user)
    return Response(None, cookies=[make_session_cookie(request, "", lifetime_s=0)])


@get(
    "/api/auth/me",
    tags=["auth"],
    summary="Who am I?",
    description="The account of the session's user.",
    sync_to_thread=False,
)
def handle_me(user: NamedDependency[User]) -> UserAnswer:
    return describe_user(user)


DEPENDENCIES = {"user": Provide(provide_user, sync_to_thread=False)}

ROUTES: list[HTTPRouteHandler] = [
    handle_setup_state,
    handle_setup,
    handle_login,
    handle_logout,
    handle_me,
]

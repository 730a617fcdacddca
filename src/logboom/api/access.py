"""Who is asking: the principal behind a request, and what it must be allowed to do.

`DEPENDENCIES` gives a handler what it names: `principal`, `searcher`, `editor`, `admin` are principals, `account` is the
user of a session, `by_account`, `by_editor` and `by_admin` are changes that one makes. The application provides `control`.
"""

import re
from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from logboom.base.errors import Forbidden, Invalid, Unauthenticated
from logboom.base.structs import InternalStruct
from logboom.control.access.audit import Action
from logboom.control.access.authorise import require
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.users import User
from logboom.control.control import Control
from logboom.web.origin import check_cookie_use

SESSION_COOKIE = "logboom_session"
ETAG = re.compile(r'"(\d{1,18})"')


class Change(InternalStruct, frozen=True):
    """A request to change the control plane: who makes it, from which address, and which generation they saw."""

    control: Control
    principal: Principal
    address: str
    expected_generation: int | None

    def record(self, action: Action, target: str, **details: object) -> None:
        """Record the change in the audit log, after it is made."""
        self.control.audit.record(
            action, self.principal, target, "ok", address=self.address, **details
        )


def find_credential(request: Request[Any, Any, Any]) -> str:
    """Return the credential of a request: `Authorization: Bearer`, else the session cookie."""
    scheme, _, credential = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credential.strip()
    token = request.cookies.get(SESSION_COOKIE)
    if not token:
        raise Unauthenticated("no session, expected a bearer token or the session cookie")
    check_cookie_use(request.method, request.headers, request.scope["scheme"])
    return token


def find_address(request: Request[Any, Any, Any]) -> str:
    return request.client.host if request.client else ""


def read_expected_generation(request: Request[Any, Any, Any]) -> int | None:
    """Return the generation named by `If-Match`, or None if the header is absent."""
    text = request.headers.get("If-Match", "*").strip()
    if text == "*":
        return None
    match = ETAG.fullmatch(text)
    if match is None:
        raise Invalid(f"If-Match {text[:80]!r}, expected the ETag of an earlier answer")
    return int(match[1])


def make_etag(generation: int) -> dict[str, str]:
    """Return an ETag, which a client can send back to say which generation it saw."""
    return {"ETag": f'"{generation}"'}


def provide_principal(
    request: Request[Any, Any, Any], control: NamedDependency[Control]
) -> Principal:
    """Return the owner of the session, key or token; reads no disk."""
    return control.authenticate(find_credential(request))


def provide_account(
    principal: NamedDependency[Principal], control: NamedDependency[Control]
) -> User:
    """Return the account of a session; keys and tokens have none."""
    if principal.kind != "user":
        raise Forbidden(f"{principal.kind} {principal.name!r} has no account, expected a session")
    return control.users.get(principal.id)


def provide_searcher(principal: NamedDependency[Principal]) -> Principal:
    require(principal, Scope.SEARCH)
    return principal


def provide_editor(principal: NamedDependency[Principal]) -> Principal:
    require(principal, Scope.EDIT)
    return principal


def provide_admin(principal: NamedDependency[Principal]) -> Principal:
    require(principal, Scope.ADMIN)
    return principal


def provide_by_account(
    request: Request[Any, Any, Any],
    control: NamedDependency[Control],
    principal: NamedDependency[Principal],
    account: NamedDependency[User],  # noqa: ARG001 - asks for a session
) -> Change:
    return Change(control, principal, find_address(request), read_expected_generation(request))


def provide_by_editor(
    request: Request[Any, Any, Any],
    control: NamedDependency[Control],
    editor: NamedDependency[Principal],
) -> Change:
    return Change(control, editor, find_address(request), read_expected_generation(request))


def provide_by_admin(
    request: Request[Any, Any, Any],
    control: NamedDependency[Control],
    admin: NamedDependency[Principal],
) -> Change:
    return Change(control, admin, find_address(request), read_expected_generation(request))


DEPENDENCIES = {
    "principal": Provide(provide_principal, sync_to_thread=False),
    "account": Provide(provide_account, sync_to_thread=False),
    "searcher": Provide(provide_searcher, sync_to_thread=False),
    "editor": Provide(provide_editor, sync_to_thread=False),
    "admin": Provide(provide_admin, sync_to_thread=False),
    "by_account": Provide(provide_by_account, sync_to_thread=False),
    "by_editor": Provide(provide_by_editor, sync_to_thread=False),
    "by_admin": Provide(provide_by_admin, sync_to_thread=False),
}

"""Credentials of every kind for a running service."""

import uuid

from tests.running import RunningService

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role, User

PASSWORD = "correct horse battery"

Headers = dict[str, str]
Globs = tuple[str, ...]


def bearer(credential: str) -> Headers:
    return {"Authorization": f"Bearer {credential}"}


def make_user(
    service: RunningService, role: Role, envs: Globs = ("*",), indexes: Globs = ("*",)
) -> User:
    name = f"{role.value}-{uuid.uuid4().hex}"
    return service.control.users.create(name, PASSWORD, role, envs=envs, indexes=indexes)


def open_session(
    service: RunningService, role: Role, envs: Globs = ("*",), indexes: Globs = ("*",)
) -> Headers:
    """Return the headers of a new user's session."""
    user = make_user(service, role, envs, indexes)
    return bearer(service.control.sessions.issue(user))


def sign_in_as(
    service: RunningService, role: Role, envs: Globs = ("*",), indexes: Globs = ("*",)
) -> None:
    """Sign the service's client in as a new user."""
    service.client.headers.update(open_session(service, role, envs, indexes))


def make_key(
    service: RunningService, *scopes: Scope, envs: Globs = ("*",), indexes: Globs = ("*",)
) -> Headers:
    """Return the headers of a new API key."""
    _, secret = service.control.keys.create("test", scopes, envs=envs, indexes=indexes)
    return bearer(secret)


def make_token(service: RunningService, env: str = "default", indexes: Globs = ("*",)) -> str:
    _, secret = service.control.tokens.create("test", env, indexes=indexes)
    return secret

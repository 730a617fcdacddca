"""The principal of a request: a user, an API key, an ingest token or nobody, and what it may do."""

from typing import Literal, NamedTuple, Self

from logboom.base.structs import InternalStruct
from logboom.control.access.keys import ApiKey
from logboom.control.access.scopes import EVERYTHING_BUT_MCP, Scope
from logboom.control.access.tokens import IngestToken
from logboom.control.access.users import Role, User

ROLE_SCOPES: dict[Role, frozenset[Scope]] = {
    Role.VIEWER: frozenset({Scope.SEARCH}),
    Role.EDITOR: frozenset({Scope.SEARCH, Scope.EDIT}),
    Role.ADMIN: EVERYTHING_BUT_MCP,
}


class Reach(NamedTuple):
    """What something may do, and where: `envs`, `indexes` and `tools` are globs."""

    scopes: frozenset[Scope]
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    tools: tuple[str, ...] = ("*",)


EVERYWHERE = Reach(frozenset())
"""Only what everybody may do, but everywhere: required for what affects all environments and indexes."""


class Principal(InternalStruct, frozen=True):
    """Who makes a request, and what they may do.

    `envs`, `indexes` and `tools` are globs that limit the scopes; a pinned environment is the only one allowed.
    """

    kind: Literal["anonymous", "user", "key", "token"]
    id: str
    name: str
    scopes: frozenset[Scope]
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    pinned_env: str | None = None
    tools: tuple[str, ...] = ("*",)

    @classmethod
    def of_user(cls, user: User) -> Self:
        return cls("user", user.id, user.username, ROLE_SCOPES[user.role], user.envs, user.indexes)

    @classmethod
    def of_key(cls, key: ApiKey) -> Self:
        scopes = frozenset(key.scopes)
        if Scope.ADMIN in scopes:
            scopes |= EVERYTHING_BUT_MCP
        return cls("key", key.id, key.name, scopes, key.envs, key.indexes, tools=key.tools)

    @classmethod
    def of_token(cls, token: IngestToken) -> Self:
        scopes = frozenset({Scope.INGEST})
        return cls("token", token.id, token.name, scopes, (token.env,), token.indexes, token.env)

    @property
    def owner(self) -> str:
        """The name under which things are kept for the principal between requests."""
        return f"{self.kind}:{self.id}"

    @property
    def reach(self) -> Reach:
        return Reach(self.scopes, self.envs, self.indexes, self.tools)

    @property
    def is_admin(self) -> bool:
        return Scope.ADMIN in self.scopes

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes


ANONYMOUS = Principal("anonymous", "", "anonymous", frozenset())
UNLIMITED = Principal("user", "", "unlimited", EVERYTHING_BUT_MCP)
"""Somebody with direct access to the files of a store, who may read all of it."""

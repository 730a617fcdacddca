"""Access: API keys with the scope `mcp`, each with the tools that it may use."""

from msgspec.structs import replace

from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.access.globs import covers_globs, matches_any
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.control import Control
from logboom.control.saved.questions import SavedQuestion
from logboom.model.names import is_reserved, normalise_glob

EXPECTED = "expected Authorization: Bearer with an API key that has the scope mcp"


def admit(control: Control, authorization: str) -> Principal:
    """Return the key of a request; raise Forbidden for everything else, even if no such key exists yet.

    Other scopes of the key are ignored: tools only read, and never what only admins may see.
    """
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise Forbidden(f"no API key, {EXPECTED}")
    try:
        principal = control.authenticate(credential.strip())
    except Unauthenticated as error:
        raise Forbidden(f"the credential is not valid, {EXPECTED}") from error
    if principal.kind != "key" or not principal.may(Scope.MCP):
        raise Forbidden(f"{principal.kind} {principal.name!r} may not use tools, {EXPECTED}")
    return replace(principal, scopes=frozenset({Scope.MCP}))


def may_use(principal: Principal, tool: str) -> bool:
    return matches_any(principal.tools, tool)


def may_see(principal: Principal, kept: SavedQuestion) -> bool:
    """Return whether all environments and indexes that a stored question searches are within the key's limits."""
    envs = tuple(filter(None, (part.strip() for part in kept.env.split(","))))
    indexes = tuple(filter(None, map(normalise_glob, kept.index.split(","))))
    is_own = any(map(is_reserved, envs + indexes))
    is_covered = covers_globs(principal.envs, envs) and covers_globs(principal.indexes, indexes)
    return is_covered and not is_own

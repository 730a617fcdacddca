"""The single authorisation step, used by every way in and out, with normalised names."""

from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.access.globs import IndexBounds, covers_globs, matches_any
from logboom.control.access.principal import EVERYWHERE, Principal, Reach
from logboom.control.access.scopes import Scope
from logboom.model.names import is_reserved


def require(principal: Principal, scope: Scope) -> None:
    """Raise Unauthenticated without credentials, Forbidden if the principal lacks the scope."""
    if principal.may(scope):
        return
    if principal.kind == "anonymous":
        raise Unauthenticated("no credential, expected a session, an API key or a token")
    allowed = ", ".join(sorted(principal.scopes)) or "nothing"
    raise Forbidden(
        f"{principal.kind} {principal.name!r} is allowed {allowed}, expected {scope.value}"
    )


def check_env(principal: Principal, env: str) -> None:
    """Raise Forbidden if the principal may not use the environment."""
    if not covers_env(principal, env):
        expected = " or ".join(principal.envs)
        raise Forbidden(
            f"{principal.kind} {principal.name!r} may not use the environment {env[:80]!r}, "
            f"expected {expected}"
        )


def covers_env(principal: Principal, env: str) -> bool:
    """Return whether the principal may use an environment; the service's own are for admins only."""
    return matches_any(principal.envs, env) and (principal.is_admin or not is_reserved(env))


def bound_reading(principal: Principal) -> IndexBounds:
    """Return the indexes whose events may be read; the service's own are for admins only."""
    return IndexBounds(principal.indexes, reserved=principal.is_admin)


def admits_row(principal: Principal, index: str) -> bool:
    """Return whether an event may be written to the index; nobody may write to the service's own indexes."""
    return IndexBounds(principal.indexes, reserved=False).covers(index)


def check_reach(principal: Principal, wanted: Reach) -> None:
    """Raise Forbidden if something may do more than the principal, who must then not create, change or delete it."""
    excess = find_excess(principal, wanted)
    if excess:
        raise Forbidden(
            f"{principal.kind} {principal.name!r} may not create, change or delete what is allowed more than "
            f"itself: {excess}"
        )


def check_everywhere(principal: Principal) -> None:
    """Raise Forbidden if the principal is limited, for changes that affect all environments and indexes."""
    excess = find_excess(principal, EVERYWHERE)
    if excess:
        raise Forbidden(
            f"{principal.kind} {principal.name!r} is limited, expected one without limits, because this affects "
            f"everything: {excess}"
        )


def check_whole_env(principal: Principal, env: str) -> None:
    """Raise Forbidden if the principal may not use the whole environment."""
    check_env(principal, env)
    check_reach(principal, Reach(frozenset(), (env,)))


def find_excess(principal: Principal, wanted: Reach) -> str:
    """Return a description of what a reach allows beyond that of the principal; empty if it is certainly nothing."""
    missing = wanted.scopes - list_grantable(principal)
    if missing:
        return f"scopes {', '.join(sorted(missing))}, expected any of {', '.join(sorted(list_grantable(principal)))}"
    limits = {
        "environments": (wanted.envs, principal.envs),
        "indexes": (wanted.indexes, principal.indexes),
    }
    if Scope.MCP in wanted.scopes:
        limits["tools"] = (wanted.tools, principal.tools)
    for noun, (globs, own) in limits.items():
        if not covers_globs(own, globs):
            return f"{noun} {', '.join(globs)}, expected within {', '.join(own)}"
    return ""


def list_grantable(principal: Principal) -> frozenset[Scope]:
    """Return the scopes that a principal may grant.

    Users never have the scope `mcp`, but admins may grant it to keys.
    """
    is_admin_user = principal.kind == "user" and principal.is_admin
    return principal.scopes | {Scope.MCP} if is_admin_user else principal.scopes

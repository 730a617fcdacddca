"""The one authorise step: asked with names in their normal form, by every way in and out."""

from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.globs import IndexBounds, matches_any
from logboom.control.principal import Principal, Scope
from logboom.model.names import is_reserved


def require(principal: Principal, scope: Scope) -> None:
    """Unauthenticated when nobody known asks, Forbidden when somebody asks for too much."""
    if principal.may(scope):
        return
    if principal.kind == "anonymous":
        raise Unauthenticated("no credential, expected a session, an API key or a token")
    allowed = ", ".join(sorted(principal.scopes)) or "nothing"
    raise Forbidden(
        f"{principal.kind} {principal.name!r} is allowed {allowed}, expected {scope.value}"
    )


def check_env(principal: Principal, env: str) -> None:
    """Forbidden when the environment is out of the principal's bounds."""
    if not covers_env(principal, env):
        expected = " or ".join(principal.envs)
        raise Forbidden(
            f"{principal.kind} {principal.name!r} may not use the environment {env[:80]!r}, "
            f"expected {expected}"
        )


def covers_env(principal: Principal, env: str) -> bool:
    """The service's own environments are for admins only."""
    return matches_any(principal.envs, env) and (principal.is_admin or not is_reserved(env))


def bound_reading(principal: Principal) -> IndexBounds:
    """The indexes whose events may be read; the service's own are for admins only."""
    return IndexBounds(principal.indexes, reserved=principal.is_admin)


def admits_row(principal: Principal, index: str) -> bool:
    """Whether an event may be written to the index; the service's own indexes are closed to everybody."""
    return IndexBounds(principal.indexes, reserved=False).covers(index)

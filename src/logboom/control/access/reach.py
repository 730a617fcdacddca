"""Resolves the environments and indexes that a request names, within what the principal may read."""

from logboom.base.errors import Invalid
from logboom.control.access.authorise import check_env, covers_env
from logboom.control.access.globs import covers_globs, matches_any
from logboom.control.access.principal import Principal
from logboom.control.registry.environments import Environments
from logboom.model.names import is_reserved, normalise_glob


def list_envs(environments: Environments, principal: Principal) -> tuple[str, ...]:
    """Return the environments that a principal may read."""
    known = environments.list(reserved=principal.is_admin)
    return tuple([each.name for each in known if covers_env(principal, each.name)])


def choose_envs(text: str, environments: Environments, principal: Principal) -> tuple[str, ...]:
    """Return a name, a comma list, or globs of environments; a name that is unknown or not allowed is an error."""
    chosen: dict[str, None] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        if "*" in part or "?" in part:
            readable = list_envs(environments, principal)
            chosen.update(dict.fromkeys(env for env in readable if matches_any((part,), env)))
            continue
        # Checked first, so that a limited principal does not learn which other environments exist.
        if is_reserved(part):
            environments.get(part, reserved=principal.is_admin)
            check_env(principal, part)
        else:
            check_env(principal, part)
            environments.get(part, reserved=principal.is_admin)
        chosen[part] = None
    if not chosen:
        raise Invalid(f"env {text!r}, expected a name, a comma list or globs")
    return tuple(chosen)


def choose_indexes(text: str) -> tuple[str, ...]:
    """Return a name, a comma list, or globs of indexes, which need not exist."""
    indexes = tuple(filter(None, map(normalise_glob, text.split(","))))
    if not indexes:
        raise Invalid(f"index {text!r}, expected a name, a comma list or globs")
    return indexes


def covers(reader: Principal, other: Principal) -> bool:
    """Return whether one principal may certainly read everything that another may."""
    if other.is_admin and not reader.is_admin:
        return False
    bounds = ((reader.envs, other.envs), (reader.indexes, other.indexes))
    return all(covers_globs(mine, others) for mine, others in bounds)

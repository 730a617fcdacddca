"""`/api/envs`: environments and their retention, and deleting one with all its events."""

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, FromQuery, JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.services import Services
from logboom.base.errors import Invalid, NotFound
from logboom.control.access.authorise import check_env, check_whole_env, covers_env
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.control.registry.environments import Environment


class NewEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An environment to create.

    Without `retention_days` the general retention applies, without `retention_bytes` no limit.
    """

    name: str
    retention_days: int | None = None
    retention_bytes: int | None = None


class EnvironmentChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The members to change; all others keep their values.

    `retention_days` null: the general retention applies; `retention_bytes` null: no limit on the size of its blocks.
    """

    retention_days: int | msgspec.UnsetType | None = msgspec.UNSET
    retention_bytes: int | msgspec.UnsetType | None = msgspec.UNSET

    def __post_init__(self) -> None:
        if self.retention_days is self.retention_bytes is msgspec.UNSET:
            raise ValueError(
                "Object has nothing to change, expected retention_days or retention_bytes"
            )


class EnvironmentAnswer(msgspec.Struct, frozen=True):
    """An environment; its name is its id and cannot be changed."""

    id: str
    name: str
    retention_days: int | None
    retention_bytes: int | None


def describe_environment(environment: Environment) -> EnvironmentAnswer:
    return EnvironmentAnswer(id=environment.name, **msgspec.structs.asdict(environment))


def describe_limits(environment: Environment) -> dict[str, int | None]:
    """Return the retention of an environment, for the audit log."""
    limits = {"retention_days": environment.retention_days}
    if environment.retention_bytes is not None:
        limits["retention_bytes"] = environment.retention_bytes
    return limits


def find_environment(control: Control, name: str) -> Environment:
    found = {each.name: each for each in control.environments.list()}
    if name not in found:
        raise NotFound(f"no environment {name[:80]!r}")
    return found[name]


@get(
    "/api/envs",
    tags=["environments"],
    summary="List the environments",
    description="Every environment that the caller may see, sorted by name, without internal ones (leading "
    "underscore).",
    sync_to_thread=False,
)
def handle_list(
    searcher: NamedDependency[Principal], control: NamedDependency[Control]
) -> Response[list[EnvironmentAnswer]]:
    etag = make_etag(control.environments.generation)
    seen = [each for each in control.environments.list() if covers_env(searcher, each.name)]
    return Response([describe_environment(each) for each in seen], headers=etag)


@get(
    "/api/envs/{id:str}",
    tags=["environments"],
    summary="Read an environment",
    description="An environment that the caller may see.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str],
    searcher: NamedDependency[Principal],
    control: NamedDependency[Control],
) -> Response[EnvironmentAnswer]:
    etag = make_etag(control.environments.generation)
    check_env(searcher, id)
    return Response(describe_environment(find_environment(control, id)), headers=etag)


@post(
    "/api/envs",
    tags=["environments"],
    summary="Create an environment",
    description="Admins with access to the whole environment only. Names have 1 to 64 of `a-z 0-9 _ -` with a "
    "letter or digit first; 409 if it exists.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(
    data: JSONBody[NewEnvironment], by_admin: NamedDependency[Change]
) -> EnvironmentAnswer:
    check_whole_env(by_admin.principal, data.name)
    environment = by_admin.control.environments.create(**msgspec.structs.asdict(data))
    by_admin.record("env.create", environment.name, **describe_limits(environment))
    return describe_environment(environment)


@patch(
    "/api/envs/{id:str}",
    tags=["environments"],
    summary="Change an environment",
    description="Admins with access to the whole environment only. `retention_days` null: the general retention "
    "applies; `retention_bytes` null: no limit of its own. Members that are not given keep their "
    "values. With `If-Match`: 409 if the environments were changed since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_update(
    id: FromPath[str], data: JSONBody[EnvironmentChanges], by_admin: NamedDependency[Change]
) -> EnvironmentAnswer:
    check_whole_env(by_admin.principal, id)
    environment = by_admin.control.environments.update(
        id,
        data.retention_days,
        by_admin.expected_generation,
        retention_bytes=data.retention_bytes,
    )
    by_admin.record("env.update", environment.name, **describe_limits(environment))
    return describe_environment(environment)


@delete(
    "/api/envs/{id:str}",
    tags=["environments"],
    summary="Delete an environment",
    description="Admins with access to the whole environment only. Removes all its events permanently; the "
    "parameter `name` must repeat its name. `default` and internal environments cannot be deleted.",
    sync_to_thread=True,
)
def handle_delete(
    id: FromPath[str],
    by_admin: NamedDependency[Change],
    services: NamedDependency[Services],
    name: FromQuery[str] = "",
) -> None:
    if name != id:
        raise Invalid(f"name {name[:80]!r} does not repeat the name of the environment {id[:80]!r}")
    check_whole_env(by_admin.principal, id)
    environments = by_admin.control.environments
    environments.check_deletable(id, by_admin.expected_generation)
    # Delete the data first: if this is interrupted, the environment still exists and can be deleted again. Delete
    # once more afterwards, for events that arrived in between.
    services.store.remove_env(id)
    environments.delete(id, by_admin.expected_generation)
    by_admin.record("env.delete", id)
    services.store.remove_env(id)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
]

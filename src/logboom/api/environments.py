"""The environments: what exists, and making a new one."""

import msgspec
from litestar import get, post
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.auth import BODY_LIMIT_BYTES, JsonRequest, provide_admin
from logboom.control.control import Control
from logboom.control.environments import Environment
from logboom.control.users import User


class NewEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The wish for an environment; without `retention_days` the general retention holds."""

    name: str
    retention_days: int | None = None


class EnvironmentAnswer(msgspec.Struct, frozen=True):
    """An environment; its name never changes and is its id."""

    id: str
    name: str
    retention_days: int | None


def describe_environment(environment: Environment) -> EnvironmentAnswer:
    return EnvironmentAnswer(environment.name, environment.name, environment.retention_days)


@get(
    "/api/envs",
    tags=["environments"],
    summary="List the environments",
    description="Every environment by name, without the service's own (leading underscore).",
    sync_to_thread=False,
)
def handle_list(
    user: NamedDependency[User],  # noqa: ARG001 - asks for a session
    control: NamedDependency[Control],
) -> list[EnvironmentAnswer]:
    return [describe_environment(each) for each in control.environments.list()]


@post(
    "/api/envs",
    tags=["environments"],
    summary="Make an environment",
    description="Admins only. Names are 1 to 64 of `a-z 0-9 _ -` with a letter or digit first; "
    "409 when it exists.",
    dependencies={"admin": Provide(provide_admin, sync_to_thread=False)},
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(
    data: JSONBody[NewEnvironment],
    admin: NamedDependency[User],  # noqa: ARG001 - asks for the role
    control: NamedDependency[Control],
) -> EnvironmentAnswer:
    return describe_environment(control.environments.create(data.name, data.retention_days))


ROUTES: list[HTTPRouteHandler] = [handle_list, handle_create]

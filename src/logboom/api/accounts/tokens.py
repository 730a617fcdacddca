"""`/api/tokens`: ingest tokens for shippers, managed by admins."""

from typing import Any

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.collections import Collection, make_delete, make_list, make_read, make_update
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import about
from logboom.control.access.principal import Principal
from logboom.control.access.tokens import IngestToken
from logboom.control.control import Control
from logboom.control.documents.records import Allow
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A token to create; all its events go to `env`, and `indexes` are globs of indexes that it may write."""

    name: str
    env: str = DEFAULT_ENVIRONMENT
    indexes: tuple[str, ...] = ("*",)
    enabled: bool = True


class TokenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A token as it may be shown."""

    id: str
    name: str
    env: str
    indexes: tuple[str, ...]
    enabled: bool
    last_used: str | None


class TokenMade(TokenAnswer, frozen=True, kw_only=True):
    """A new token with its secret, which is shown only here."""

    token: str

    def __repr__(self) -> str:
        return f"TokenMade(id={self.id!r})"


def describe_token(control: Control, token: IngestToken) -> TokenAnswer:
    used_ns = control.tokens.last_used_ns(token.id)
    return TokenAnswer(
        id=token.id,
        name=token.name,
        env=token.env,
        indexes=token.indexes,
        enabled=token.enabled,
        last_used=None if used_ns is None else format_time(used_ns),
    )


def check_env(control: Control, name: str) -> None:
    with about("env"):
        control.environments.get(name)


TOKENS = Collection(
    "tokens",
    "an ingest token",
    find=lambda control: control.tokens,
    name=lambda token: token.name,
    show=lambda services, token: describe_token(services.control, token),
    answer=TokenAnswer,
    reach=lambda token: Principal.of_token(token).reach,
)


@post(
    "/api/tokens",
    tags=["tokens"],
    summary="Create an ingest token",
    description="Admins only. All its events go to `env`, which must exist; `indexes` are globs of the indexes "
    "that it may write. The answer shows `token` only this once.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(
    data: JSONBody[NewToken], by_admin: NamedDependency[Change]
) -> Response[TokenMade]:
    control = by_admin.control
    check_env(control, data.env)
    allow = TOKENS.allow(by_admin)
    token, secret = control.tokens.create(**msgspec.structs.asdict(data), allow=allow)
    by_admin.record("token.create", token.name, id=token.id)
    shown = msgspec.structs.asdict(describe_token(control, token))
    return Response(TokenMade(**shown, token=secret), headers={"Cache-Control": "no-store"})


def update_token(
    services: Services,
    id: str,
    changes: dict[str, Any],
    expected_generation: int | None,
    allow: Allow[IngestToken],
) -> IngestToken:
    if "env" in changes:
        check_env(services.control, changes["env"])
    return services.control.tokens.update(id, changes, expected_generation, allow)


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        TOKENS,
        "List the ingest tokens",
        "Admins only. The secrets are not stored and cannot be shown; `last_used` is accurate to a minute.",
    ),
    make_read(TOKENS),
    handle_create,
    make_update(TOKENS, update_token, NewToken, "token.update"),
    make_delete(
        TOKENS,
        "token.delete",
        "Admins only. The token stops working on every node within 5 seconds.",
    ),
]

"""`/api/keys`: API keys for programs, managed by admins."""

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.api.collections import Collection, make_delete, make_list, make_read, make_update
from logboom.control.access.keys import ApiKey
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope


class NewKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key to create; `envs`, `indexes` and `tools` are globs of what it may use."""

    name: str
    scopes: tuple[Scope, ...]
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    tools: tuple[str, ...] = ("*",)


class KeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it may be shown."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    envs: tuple[str, ...]
    indexes: tuple[str, ...]
    tools: tuple[str, ...]


class KeyMade(KeyAnswer, frozen=True, kw_only=True):
    """A new key with its secret, which is shown only here."""

    key: str

    def __repr__(self) -> str:
        return f"KeyMade(id={self.id!r})"


def describe_key(key: ApiKey) -> KeyAnswer:
    return msgspec.convert(key, KeyAnswer, from_attributes=True)


KEYS = Collection(
    "keys",
    "an API key",
    find=lambda control: control.keys,
    name=lambda key: key.name,
    show=lambda _, key: describe_key(key),
    answer=KeyAnswer,
    reach=lambda key: Principal.of_key(key).reach,
)


@post(
    "/api/keys",
    tags=["keys"],
    summary="Create an API key",
    description="Admins only. The scopes are any of `search`, `edit`, `ingest`, `admin`, `mcp`; a key cannot be "
    "allowed more than the admin who creates it. The answer shows `key` only this once; it is sent "
    "as `Authorization: Bearer`.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(data: JSONBody[NewKey], by_admin: NamedDependency[Change]) -> Response[KeyMade]:
    keys, allow = by_admin.control.keys, KEYS.allow(by_admin)
    key, secret = keys.create(**msgspec.structs.asdict(data), allow=allow)
    by_admin.record("key.create", key.name, id=key.id, scopes=key.scopes)
    shown = msgspec.structs.asdict(describe_key(key))
    return Response(KeyMade(**shown, key=secret), headers={"Cache-Control": "no-store"})


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        KEYS,
        "List the API keys",
        "Admins only. The secrets are not stored and cannot be shown.",
    ),
    make_read(KEYS),
    handle_create,
    make_update(
        KEYS,
        lambda services, *change: services.control.keys.update(*change),
        NewKey,
        "key.update",
    ),
    make_delete(
        KEYS,
        "key.delete",
        "Admins only. The key stops working on every node within 5 seconds.",
    ),
]

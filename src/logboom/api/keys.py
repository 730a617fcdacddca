"""`/api/keys`: API keys for programs, for admins to give out."""

import msgspec
from litestar import Response, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest, list_given
from logboom.api.collections import Collection, make_delete, make_list, make_read
from logboom.control.keys import ApiKey
from logboom.control.principal import Scope


class NewKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The wish for a key; `envs`, `indexes` and `tools` are globs of what it may use."""

    name: str
    scopes: tuple[Scope, ...]
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    tools: tuple[str, ...] = ("*",)


class KeyChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is to be another way; the rest stays."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    scopes: tuple[Scope, ...] | msgspec.UnsetType = msgspec.UNSET
    envs: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    indexes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    tools: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class KeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it may be shown."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    envs: tuple[str, ...]
    indexes: tuple[str, ...]
    tools: tuple[str, ...]


class KeyMade(KeyAnswer, frozen=True, kw_only=True):
    """A new key with its secret, which is shown this once."""

    key: str

    def __repr__(self) -> str:
        return f"KeyMade(id={self.id!r})"


def describe_key(key: ApiKey) -> KeyAnswer:
    return KeyAnswer(
        id=key.id,
        name=key.name,
        scopes=key.scopes,
        envs=key.envs,
        indexes=key.indexes,
        tools=key.tools,
    )


KEYS = Collection(
    "keys",
    "an API key",
    find=lambda control: control.keys,
    name=lambda key: key.name,
    show=lambda _, key: describe_key(key),
    answer=KeyAnswer,
)


@post(
    "/api/keys",
    tags=["keys"],
    summary="Make an API key",
    description="Admins only. The scopes are any of `search`, `edit`, `ingest`, `admin`, `mcp`. The answer shows `key` this "
    "once; it goes into `Authorization: Bearer`.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_create(data: JSONBody[NewKey], by_admin: NamedDependency[Change]) -> Response[KeyMade]:
    key, secret = by_admin.control.keys.create(
        data.name,
        data.scopes,
        envs=data.envs,
        indexes=data.indexes,
        tools=data.tools,
    )
    by_admin.record("key.create", key.name, id=key.id, scopes=key.scopes)
    shown = msgspec.structs.asdict(describe_key(key))
    return Response(KeyMade(**shown, key=secret), headers={"Cache-Control": "no-store"})


@patch(
    "/api/keys/{id:str}",
    tags=["keys"],
    summary="Change an API key",
    description="Admins only. Members that are not given stay. With `If-Match` 409 when the keys were changed since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_update(
    id: FromPath[str], data: JSONBody[KeyChanges], by_admin: NamedDependency[Change]
) -> KeyAnswer:
    changes = list_given(data)
    key = by_admin.control.keys.update(id, changes, by_admin.expected_generation)
    by_admin.record("key.update", key.name, id=key.id, changed=sorted(changes))
    return describe_key(key)


ROUTES: list[HTTPRouteHandler] = [
    make_list(
        KEYS,
        "List the API keys",
        "Admins only. Without the secrets, which are kept nowhere.",
    ),
    make_read(KEYS),
    handle_create,
    handle_update,
    make_delete(
        KEYS,
        "key.delete",
        "Admins only. The key counts nowhere any more within 5 seconds.",
    ),
]

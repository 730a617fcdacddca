"""API keys: credentials for programs, with scopes and the same limits as accounts."""

from collections.abc import Mapping

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Invalid
from logboom.base.ids import make_ulid
from logboom.control.access.credentials import check_secret, digest_secret, make_secret, read_id
from logboom.control.access.globs import check_env_globs, check_tool_globs, normalise_index_globs
from logboom.control.access.scopes import Scope
from logboom.control.documents.records import (
    Allow,
    Record,
    Records,
    allow_all,
    apply_changes,
    check_label,
)
from logboom.control.documents.store import Documents

KEY_PREFIX = "lbk_"
CHANGEABLE = frozenset({"name", "scopes", "envs", "indexes", "tools"})


class ApiKey(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key of a program. `digest` is of the secret, which is not stored; `tools` are globs of MCP tools."""

    name: str
    digest: str
    scopes: tuple[Scope, ...]
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    tools: tuple[str, ...] = ("*",)


class ApiKeys(Records[ApiKey]):
    """All API keys; checking one reads no disk."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "keys", ApiKey)
        self._clock = clock

    def create(
        self,
        name: str,
        scopes: tuple[Scope, ...],
        envs: tuple[str, ...] = ("*",),
        indexes: tuple[str, ...] = ("*",),
        tools: tuple[str, ...] = ("*",),
        allow: Allow[ApiKey] = allow_all,
    ) -> tuple[ApiKey, str]:
        """Create a key; return it and its secret, which cannot be retrieved later."""
        key_id = make_ulid(self._clock())
        secret = make_secret(KEY_PREFIX, key_id)
        key = ApiKey(
            id=key_id,
            name=name,
            digest=digest_secret(secret),
            scopes=scopes,
            envs=envs,
            indexes=indexes,
            tools=tools,
        )
        key = normalise_key(key)
        self._add(key, allow)
        return key, secret

    def update(
        self,
        key_id: str,
        changes: Mapping[str, object],
        expected_generation: int | None = None,
        allow: Allow[ApiKey] = allow_all,
    ) -> ApiKey:
        """Replace the members named in `changes`."""
        return self._replace(
            key_id,
            lambda key: normalise_key(apply_changes(key, changes, CHANGEABLE)),
            expected_generation,
            allow,
        )

    def authenticate(self, secret: str) -> ApiKey:
        """Return the key of a secret; raise Unauthenticated otherwise."""
        key = self.find(read_id(secret))
        check_secret(secret, key.digest if key else None)
        assert key is not None
        return key


def normalise_key(key: ApiKey) -> ApiKey:
    check_label("key", key.name)
    check_env_globs(key.envs)
    check_tool_globs(key.tools)
    if not key.scopes:
        expected = f"expected any of {', '.join(Scope)}"
        raise Invalid(f"key {key.name!r} has no scopes, {expected}", field="scopes")
    return msgspec.structs.replace(
        key,
        scopes=tuple(scope for scope in Scope if scope in key.scopes),
        indexes=normalise_index_globs(key.indexes),
    )

"""Ingest tokens: credentials for shippers, each for one environment and some of its indexes."""

import threading
from collections.abc import Mapping

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Invalid, Unauthenticated, about
from logboom.base.ids import make_ulid
from logboom.control.access.credentials import (
    check_secret,
    digest_secret,
    make_secret,
    read_id,
    refused,
)
from logboom.control.access.globs import normalise_index_globs
from logboom.control.documents.records import (
    Allow,
    Record,
    Records,
    allow_all,
    apply_changes,
    check_label,
)
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import check_name
from logboom.model.names import is_reserved

TOKEN_PREFIX = "lbt_"  # noqa: S105 - what a token begins with
USAGE_PAUSE_NS = 60 * NS_PER_S
CHANGEABLE = frozenset({"name", "env", "indexes", "enabled"})


class IngestToken(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A token of a shipper.

    `digest` is of the secret, which is not stored; `indexes` are globs of indexes that it may write.
    """

    name: str
    digest: str
    env: str
    indexes: tuple[str, ...] = ("*",)
    enabled: bool = True


class TokenDisabled(Unauthenticated):
    """The secret is right but its token is disabled; reported only in protocols that have a code for it."""


class UsageDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When each token was last used, by its id."""

    last_used_ns: dict[str, int] = {}


class IngestTokens(Records[IngestToken]):
    """All ingest tokens; checking one and noting its use read no disk."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "tokens", IngestToken)
        self._usage = Snapshot(documents, "token-usage", UsageDocument())
        self._clock = clock
        self._touched_ns: dict[str, int] = {}
        self._written_ns = -USAGE_PAUSE_NS
        self._flushing = threading.Lock()

    def refresh(self) -> None:
        """Load changes made by other nodes."""
        super().refresh()
        self._usage.refresh()

    def create(
        self,
        name: str,
        env: str,
        indexes: tuple[str, ...] = ("*",),
        enabled: bool = True,
        allow: Allow[IngestToken] = allow_all,
    ) -> tuple[IngestToken, str]:
        """Create a token; return it and its secret, which cannot be retrieved later.

        Does not check that `env` exists.
        """
        token_id = make_ulid(self._clock())
        secret = make_secret(TOKEN_PREFIX, token_id)
        token = IngestToken(
            id=token_id,
            name=name,
            digest=digest_secret(secret),
            env=env,
            indexes=indexes,
            enabled=enabled,
        )
        token = normalise_token(token)
        self._add(token, allow)
        return token, secret

    def update(
        self,
        token_id: str,
        changes: Mapping[str, object],
        expected_generation: int | None = None,
        allow: Allow[IngestToken] = allow_all,
    ) -> IngestToken:
        """Replace the members named in `changes`."""
        return self._replace(
            token_id,
            lambda token: normalise_token(apply_changes(token, changes, CHANGEABLE)),
            expected_generation,
            allow,
        )

    def authenticate(self, secret: str) -> IngestToken:
        """Return the enabled token of a secret; raise Unauthenticated otherwise."""
        token = self.find(read_id(secret))
        check_secret(secret, token.digest if token else None)
        assert token is not None
        if not token.enabled:
            raise refused(TokenDisabled)
        return token

    def touch(self, token_id: str) -> None:
        """Note that the token was just used."""
        self._touched_ns[token_id] = self._clock()

    def last_used_ns(self, token_id: str) -> int | None:
        """Return when it was last used, as far as this node knows, or None if never."""
        written_ns = self._usage.body.last_used_ns.get(token_id)
        return max(filter(None, (written_ns, self._touched_ns.get(token_id))), default=None)

    def flush_usage(self, *, now: bool = False) -> None:
        """Save the noted uses, at most once a minute unless `now`."""
        with self._flushing:
            touched_ns = dict(self._touched_ns)
            # Also due if the clock was set back since.
            is_due = now or not 0 <= self._clock() - self._written_ns < USAGE_PAUSE_NS
            if not touched_ns or not is_due:
                return
            self._usage.edit(lambda usage: self._merge_usage(usage, touched_ns))
            self._written_ns = self._clock()
            for token_id, time_ns in touched_ns.items():
                if self._touched_ns.get(token_id) == time_ns:
                    del self._touched_ns[token_id]

    def _merge_usage(self, usage: UsageDocument, touched_ns: dict[str, int]) -> UsageDocument:
        last_used_ns = {
            token.id: max(usage.last_used_ns.get(token.id, 0), touched_ns.get(token.id, 0))
            for token in self.list()
        }
        return UsageDocument({key: time_ns for key, time_ns in last_used_ns.items() if time_ns})


def normalise_token(token: IngestToken) -> IngestToken:
    check_label("token", token.name)
    with about("env"):
        check_name(token.env)
    indexes = normalise_index_globs(token.indexes)
    for glob in indexes:
        if is_reserved(glob):
            raise Invalid(
                f"index glob {glob!r} is reserved, expected one without a leading _",
                field="indexes",
            )
    return msgspec.structs.replace(token, indexes=indexes)

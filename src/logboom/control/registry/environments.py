"""The environment registry: which environments exist, and their retention."""

import re

import msgspec
from msgspec import UNSET, UnsetType

from logboom.base.errors import Conflict, Invalid, NotFound, about
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

DEFAULT_ENVIRONMENT = "default"
SYSTEM_ENVIRONMENT = "_system"
RESERVED_PREFIX = "_"
LONGEST_RETENTION_DAYS = 36_500
LARGEST_RETENTION_BYTES = 10**18

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An environment and its retention.

    Without `retention_days` the general one applies; without `retention_bytes` it has no limit of its own.
    """

    name: str
    retention_days: int | None = None
    retention_bytes: int | None = None

    @property
    def is_reserved(self) -> bool:
        return self.name.startswith(RESERVED_PREFIX)


class EnvironmentsDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Environments by name."""

    environments: dict[str, Environment]


ALWAYS_PRESENT = EnvironmentsDocument(
    {name: Environment(name) for name in (DEFAULT_ENVIRONMENT, SYSTEM_ENVIRONMENT)}
)


class Environments:
    """The registry of environments.

    Reads come from memory; `refresh` loads changes made by other nodes.
    Names with a leading underscore belong to the service: they are refused and omitted unless the caller asks for
    `reserved` ones, which is only for the service itself, never on behalf of a client.
    """

    def __init__(self, documents: Documents) -> None:
        self._snapshot = Snapshot(documents, "environments", ALWAYS_PRESENT)

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    def refresh(self) -> None:
        self._snapshot.refresh()

    def list(self, *, reserved: bool = False) -> tuple[Environment, ...]:
        """Return the environments, sorted by name."""
        environments = self._snapshot.body.environments
        found = map(environments.__getitem__, sorted(environments))
        return tuple([each for each in found if reserved or not each.is_reserved])

    def get(self, name: str, *, reserved: bool = False) -> Environment:
        """Return the environment; raise Invalid if there is none of this name."""
        if not reserved:
            _refuse_reserved(name)
        environment = self._snapshot.body.environments.get(name)
        if environment is None:
            raise Invalid(f"unknown environment {name[:80]!r}, expected one that exists")
        return environment

    def find(self, name: str) -> Environment | None:
        """Return the environment, including reserved ones, or None if there is none of this name."""
        return self._snapshot.body.environments.get(name)

    def create(
        self, name: str, retention_days: int | None = None, retention_bytes: int | None = None
    ) -> Environment:
        """Create an environment durably; raise Conflict if it exists, Invalid for a bad name or retention."""
        with about("name"):
            check_name(name)
        environment = Environment(name, retention_days, retention_bytes)
        check_retention(environment)

        def add(document: EnvironmentsDocument) -> EnvironmentsDocument:
            if name in document.environments:
                raise Conflict(f"environment {name!r} exists already", field="name")
            return EnvironmentsDocument({**document.environments, name: environment})

        self._snapshot.edit(add)
        return environment

    def update(
        self,
        name: str,
        retention_days: int | UnsetType | None = UNSET,
        expected_generation: int | None = None,
        *,
        retention_bytes: int | UnsetType | None = UNSET,
    ) -> Environment:
        """Set the retention; raise NotFound if there is no such environment."""
        _refuse_reserved(name)
        requested = {"retention_days": retention_days, "retention_bytes": retention_bytes}
        changes = {member: value for member, value in requested.items() if value is not UNSET}

        def replace(document: EnvironmentsDocument) -> EnvironmentsDocument:
            _check_present(document, name)
            environment = msgspec.structs.replace(document.environments[name], **changes)
            check_retention(environment)
            return EnvironmentsDocument({**document.environments, name: environment})

        return self._snapshot.edit(replace, expected_generation).environments[name]

    def delete(self, name: str, expected_generation: int | None = None) -> None:
        """Forget the environment, not its events; raise Conflict for the default one."""

        def remove(document: EnvironmentsDocument) -> EnvironmentsDocument:
            _check_deletable(document, name)
            environments = document.environments.items()
            return EnvironmentsDocument({key: each for key, each in environments if key != name})

        self._snapshot.edit(remove, expected_generation)

    def check_deletable(self, name: str, expected_generation: int | None = None) -> None:
        """Raise what `delete` would raise now."""
        _check_deletable(self._snapshot.refresh(), name)
        self._snapshot.check_generation(expected_generation)


def check_name(name: str) -> None:
    _refuse_reserved(name)
    if not NAME.fullmatch(name):
        raise Invalid(
            f"environment name {name[:80]!r} is not valid, expected 1 to 64 of a-z 0-9 _ - with a letter or digit first"
        )


def check_retention(environment: Environment) -> None:
    check_limit("retention_days", environment.retention_days, LONGEST_RETENTION_DAYS)
    check_limit("retention_bytes", environment.retention_bytes, LARGEST_RETENTION_BYTES)


def check_limit(name: str, limit: int | None, largest: int) -> None:
    if limit is not None and not 1 <= limit <= largest:
        raise Invalid(
            f"{name} {limit} is out of range, expected 1 to {largest} or null", field=name
        )


def _check_deletable(document: EnvironmentsDocument, name: str) -> None:
    _refuse_reserved(name)
    if name == DEFAULT_ENVIRONMENT:
        raise Conflict(f"environment {name!r} cannot be deleted, it always exists")
    _check_present(document, name)


def _check_present(document: EnvironmentsDocument, name: str) -> None:
    if name not in document.environments:
        raise NotFound(f"no environment {name[:80]!r}")


def _refuse_reserved(name: str) -> None:
    if name.startswith(RESERVED_PREFIX):
        raise Invalid(
            f"environment {name[:80]!r} is reserved, expected a name without a leading underscore"
        )

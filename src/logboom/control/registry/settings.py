"""The settings that an admin can change while the service runs, and the environment variables that fix them."""

import threading
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from logboom.base.decoding_errors import describe_decoding_error, explain_decoding_error
from logboom.base.errors import Invalid, about
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import (
    LARGEST_RETENTION_BYTES,
    LONGEST_RETENTION_DAYS,
    check_name,
)
from logboom.control.registry.saml import SamlSettings, normalise_saml
from logboom.control.registry.sections import Section
from logboom.model.names import check_open, parse_template

Days = Annotated[int, msgspec.Meta(ge=1, le=LONGEST_RETENTION_DAYS)]
Bytes = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_RETENTION_BYTES)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Rows = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Host = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
FilePath = Annotated[str, msgspec.Meta(max_length=4096)]
MessageBytes = Annotated[int, msgspec.Meta(ge=480, le=1_048_576)]
Connections = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class GeneralSettings(Section, frozen=True, kw_only=True):
    """Retention: None is no limit.

    `retention_days` applies to environments without their own, `retention_bytes` to all blocks together.
    """

    retention_days: Days | None = None
    retention_bytes: Bytes | None = None


class IngestSettings(Section, frozen=True, kw_only=True):
    """Which ways to ingest are enabled."""

    require_auth: bool = False
    native_enabled: bool = True
    compat_enabled: bool = True
    push_protobuf: bool = False


class StorageSettings(Section, frozen=True, kw_only=True):
    """When buffered events become a block."""

    block_flush_secs: Seconds = 5.0
    block_flush_rows: Rows = 50_000


class SyslogSettings(Section, frozen=True, kw_only=True):
    """The syslog listener, and where its events go; with a certificate and its key, TCP uses TLS."""

    enabled: bool = False
    host: Host = "127.0.0.1"
    udp_port: Port = 5514
    tcp_port: Port = 5514
    env: str = "default"
    index: str = "syslog"
    source: Annotated[str, msgspec.Meta(max_length=1024)] = "syslog"
    tls_cert: FilePath = ""
    tls_key: FilePath = ""
    max_message_bytes: MessageBytes = 65_536
    max_connections: Connections = 1_000


class SyslogStatus(msgspec.Struct, frozen=True):
    """The state of the syslog listener; `error` says why it failed."""

    state: Literal["off", "listening", "failed"] = "off"
    error: str = ""


class Settings(Section, frozen=True, kw_only=True):
    """All settings."""

    general: GeneralSettings = GeneralSettings()
    ingest: IngestSettings = IngestSettings()
    storage: StorageSettings = StorageSettings()
    syslog: SyslogSettings = SyslogSettings()
    saml: SamlSettings = SamlSettings()


VARIABLES: dict[str, tuple[str, str]] = {
    "SERVICE_BLOCK_FLUSH_SECS": ("storage", "block_flush_secs"),
    "SERVICE_BLOCK_FLUSH_ROWS": ("storage", "block_flush_rows"),
    "SERVICE_RETENTION_DEFAULT_DAYS": ("general", "retention_days"),
}
"""Environment variables that fix a setting."""

Subscriber = Callable[[Settings], object]
Check = Callable[[Settings, Settings], None]
"""Raises Conflict if the first settings must not be replaced by the second."""


def accept_all(_before: Settings, _after: Settings) -> None:
    """Accept any settings."""


class LiveSettings:
    """The settings in force: what an admin stored, overridden by environment variables.

    Subscribers are called after every change, here or on another node, in the thread that found it.
    """

    def __init__(self, documents: Documents, environment: Mapping[str, str]) -> None:
        """`environment` holds the process's variables; Invalid for a value out of range."""
        fixed = {name: environment[name] for name in VARIABLES if environment.get(name)}
        self.overrides = {".".join(VARIABLES[name]): name for name in fixed}
        """The variable that fixes it, by the dotted name of the setting."""
        self._fixed: dict[str, dict[str, object]] = {}
        for name, text in fixed.items():
            section, member = VARIABLES[name]
            self._fixed.setdefault(section, {})[member] = text
            convert_override(name, {section: {member: text}})
        self.syslog_status = SyslogStatus()
        """Set by the listener of this process."""
        self._snapshot = Snapshot(documents, "settings", Settings())
        self._subscribers: list[Subscriber] = []
        self._notifying = threading.RLock()
        self._effective = self._merge_fixed()

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    @property
    def effective(self) -> Settings:
        """The values in force."""
        return self._effective

    @property
    def stored(self) -> Settings:
        """The values that would be in force without environment variables."""
        return self._snapshot.body

    def refresh(self) -> None:
        """Load changes made by other nodes."""
        self._snapshot.refresh()
        self._take_over()

    def patch(
        self,
        changes: Mapping[str, object],
        expected_generation: int | None = None,
        check: Check = accept_all,
    ) -> Settings:
        """Store the values named in `changes`, section by section; return the values in force."""

        def change(before: Settings) -> Settings:
            after = merge_changes(before, changes)
            check(before, after)
            return after

        self._snapshot.edit(change, expected_generation)
        self._take_over()
        return self.effective

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call it with the values in force after each change."""
        self._subscribers.append(subscriber)

    def _take_over(self) -> None:
        with self._notifying:
            before, self._effective = self._effective, self._merge_fixed()
            if self._effective != before:
                for subscriber in self._subscribers:
                    subscriber(self._effective)

    def _merge_fixed(self) -> Settings:
        return msgspec.convert(merge_sections(self.stored, self._fixed), Settings, strict=False)


def merge_changes(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return the settings with some replaced; raise Invalid for an unknown name or a bad value."""
    try:
        merged = msgspec.convert(merge_sections(settings, changes), Settings)
    except msgspec.ValidationError as error:
        raise explain_decoding_error(error) from error
    with about("syslog.env"):
        check_name(merged.syslog.env)
    with about("syslog.index"):
        check_open(parse_template(merged.syslog.index))
    if bool(merged.syslog.tls_cert) != bool(merged.syslog.tls_key):
        missing = "tls_key" if merged.syslog.tls_cert else "tls_cert"
        raise Invalid(
            "syslog.tls_cert and syslog.tls_key go together, expected both or neither",
            field=f"syslog.{missing}",
        )
    return msgspec.structs.replace(merged, saml=normalise_saml(merged.saml))


def merge_sections(settings: Settings, changes: Mapping[str, object]) -> dict[str, Any]:
    merged: dict[str, Any] = msgspec.to_builtins(settings)
    for section, values in changes.items():
        if not isinstance(values, Mapping):
            raise Invalid(
                f"settings section {section[:80]!r} is not an object, expected one", field=section
            )
        merged[section] = {**merged.get(section, {}), **values}
    return merged


def convert_override(variable: str, values: Mapping[str, object]) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"{variable}: {describe_decoding_error(str(error))}") from error

"""The settings: one table of names, defaults and meanings; flags beat the environment beats defaults."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from logboom.base.errors import Invalid
from logboom.base.objects import ObjectStore
from logboom.base.opening import open_objects
from logboom.base.places import Bucket, read_optional_place
from logboom.base.values import (
    read_choice,
    read_count,
    read_names,
    read_optional_path,
    read_path,
    read_positive,
    read_printable,
    read_roots,
    read_text,
    read_url,
)
from logboom.control.documents.secrets import name_new_key, name_old_key
from logboom.control.registry.environments import LONGEST_RETENTION_DAYS
from logboom.engine.terms.limits import Limits
from logboom.store.options import StoreOptions
from logboom.web.hosts import HostRule, is_loopback_name, read_hosts
from logboom.web.limits import ConnectionLimits
from logboom.web.proxies import TrustedProxies, read_proxies


class Setting(NamedTuple):
    """One thing that can be set; `read` turns its text into a value or raises ValueError."""

    variable: str
    default: str
    read: Callable[[str], Any]
    expected: str
    meaning: str


def read_days(text: str) -> int | None:
    return read_count(1, LONGEST_RETENTION_DAYS)(text) if text else None


ROLES = ("ingest", "query", "maintenance", "sources")
"""What a node can do: take in events, answer questions and watch alerts, merge and remove blocks, read files and syslog."""

FLAGS = {"data_dir": "--data", "store_url": "--store"}
"""Flags that are not named like their setting."""

SETTINGS: dict[str, Setting] = {
    "host": Setting("SERVICE_HOST", "127.0.0.1", read_text, "an address", "Address to listen on."),
    "port": Setting(
        "SERVICE_PORT", "7300", read_count(0, 65535), "0 to 65535", "Port to listen on."
    ),
    "tls_cert": Setting(
        "SERVICE_TLS_CERT",
        "",
        read_optional_path,
        "a file",
        "Certificate, PEM; with it TLS is spoken.",
    ),
    "tls_key": Setting(
        "SERVICE_TLS_KEY", "", read_optional_path, "a file", "Key of the certificate, PEM."
    ),
    "data_dir": Setting(
        "SERVICE_DATA_DIR",
        "data",
        read_path,
        "a directory",
        "Write-ahead log, secrets, and the local store.",
    ),
    "store_url": Setting(
        "SERVICE_STORE_URL",
        "",
        read_optional_place,
        "file:/// and an absolute path, or s3://bucket/prefix",
        "Where blocks, catalog and control documents live. Default: `store` below the data directory.",
    ),
    "store_cache_mb": Setting(
        "SERVICE_STORE_CACHE_MB",
        "4096",
        read_count(1, 1_000_000_000),
        "1 to 1000000000",
        "Files kept of a store in a bucket, below the data directory, in megabytes.",
    ),
    "roles": Setting(
        "SERVICE_ROLES",
        ",".join(ROLES),
        read_names(*ROLES),
        f"some of {', '.join(ROLES)}, with commas between them",
        "What this node does, where several share a store. Default: everything.",
    ),
    "flush_secs": Setting(
        "SERVICE_BLOCK_FLUSH_SECS",
        "5",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time until accepted events are searchable.",
    ),
    "flush_rows": Setting(
        "SERVICE_BLOCK_FLUSH_ROWS",
        "50000",
        read_count(1, 10_000_000),
        "1 to 10000000",
        "Buffered events that make a flush due sooner.",
    ),
    "retention_default_days": Setting(
        "SERVICE_RETENTION_DEFAULT_DAYS",
        "",
        read_days,
        f"1 to {LONGEST_RETENTION_DAYS}",
        "How long events are kept where their environment says nothing else. Default: for ever.",
    ),
    "queue_cap": Setting(
        "SERVICE_BLOCK_QUEUE_CAP",
        "256",
        read_count(1, 100_000),
        "1 to 100000",
        "Requests that may wait for the writer.",
    ),
    "sync_secs": Setting(
        "SERVICE_BLOCK_SYNC_SECS",
        "10",
        read_positive(3600),
        "more than 0, at most 3600",
        "How often blocks of other nodes are looked for.",
    ),
    "checkpoint_commits": Setting(
        "SERVICE_CHECKPOINT_COMMITS",
        "100",
        read_count(1, 100_000),
        "1 to 100000",
        "Commits of the catalog between two checkpoints.",
    ),
    "max_fields": Setting(
        "SERVICE_BLOCK_MAX_FIELDS",
        "2000",
        read_count(10, 100_000),
        "10 to 100000",
        "Field names a block gives columns; more overflow into one.",
    ),
    "idempotency_hours": Setting(
        "SERVICE_IDEMPOTENCY_HOURS",
        "24",
        read_positive(24 * 365),
        "more than 0",
        "How long an Idempotency-Key is remembered.",
    ),
    "idempotency_mb": Setting(
        "SERVICE_IDEMPOTENCY_MB",
        "64",
        read_count(1, 65_536),
        "1 to 65536",
        "Memory for remembered Idempotency-Keys, a quarter of it for any one sender; beyond it the oldest are forgotten.",
    ),
    "compaction": Setting(
        "SERVICE_COMPACTION", "on", read_choice("on", "off"), "on or off", "Merge small blocks."
    ),
    "compaction_secs": Setting(
        "SERVICE_COMPACTION_SECS", "10", read_positive(86_400), "more than 0", "Time between looks."
    ),
    "retention_sweep_secs": Setting(
        "SERVICE_RETENTION_SWEEP_SECS",
        "3600",
        read_positive(30 * 86_400),
        "more than 0",
        "How often events that are too old are removed.",
    ),
    "source_roots": Setting(
        "SERVICE_SOURCE_ROOTS",
        "",
        read_roots,
        "absolute directories, separated by colons",
        "Directories that pull sources may read. Default: all but the service's own.",
    ),
    "source_lease_secs": Setting(
        "SERVICE_SOURCE_LEASE_SECS",
        "300",
        read_positive(86_400),
        "more than 0, at most 86400",
        "After how long a node that died lets another read its pull sources.",
    ),
    "query_timeout_secs": Setting(
        "SERVICE_QUERY_TIMEOUT_SECS",
        "30",
        read_positive(86_400),
        "more than 0",
        "Longest time a query may take.",
    ),
    "query_max_groups": Setting(
        "SERVICE_QUERY_MAX_GROUPS",
        "1000000",
        read_count(1, 100_000_000),
        "1 to 100000000",
        "Most rows of a table.",
    ),
    "query_max_rows": Setting(
        "SERVICE_QUERY_MAX_ROWS",
        "2000000",
        read_count(1, 1_000_000_000),
        "1 to 1000000000",
        "Most rows that a query holds at once.",
    ),
    "query_memory_mb": Setting(
        "SERVICE_QUERY_MEMORY_MB",
        "256",
        read_count(1, 1_000_000),
        "1 to 1000000",
        "Most memory that one query holds, in megabytes; all queries together hold at most twice as much.",
    ),
    "query_cache_mb": Setting(
        "SERVICE_QUERY_CACHE_MB",
        "256",
        read_count(0, 1_000_000),
        "0 to 1000000",
        "Memory for columns and partial results that were used lately, in megabytes.",
    ),
    "query_concurrency": Setting(
        "SERVICE_QUERY_CONCURRENCY",
        "4",
        read_count(1, 1000),
        "1 to 1000",
        "Queries that run at once.",
    ),
    "query_queue": Setting(
        "SERVICE_QUERY_QUEUE",
        "32",
        read_count(0, 1000),
        "0 to 1000",
        "Queries that may wait for another to end; more are answered 429.",
    ),
    "query_queue_secs": Setting(
        "SERVICE_QUERY_QUEUE_SECS",
        "10",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time a query waits before it is answered 429.",
    ),
    "mcp_calls_per_minute": Setting(
        "SERVICE_MCP_CALLS_PER_MINUTE",
        "120",
        read_count(1, 100_000),
        "1 to 100000",
        "Calls of tools that a key may make in a minute.",
    ),
    "jwt_secret_path": Setting(
        "SERVICE_JWT_SECRET_PATH",
        "",
        read_optional_path,
        "a file",
        "Secret that signs sessions. Default: made below the data directory.",
    ),
    "control_key_path": Setting(
        "SERVICE_CONTROL_KEY_PATH",
        "",
        read_optional_path,
        "a file",
        "Key of the control documents. Default: made below the data directory.",
    ),
    "control_encryption": Setting(
        "SERVICE_CONTROL_ENCRYPTION",
        "on",
        read_choice("on", "off"),
        "on or off",
        "Whether control documents are encrypted.",
    ),
    "http_head_secs": Setting(
        "SERVICE_HTTP_HEAD_SECS",
        "10",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time a client may take for the head of a request.",
    ),
    "http_stall_secs": Setting(
        "SERVICE_HTTP_STALL_SECS",
        "30",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time without a byte while a client sends a body or takes an answer.",
    ),
    "http_idle_secs": Setting(
        "SERVICE_HTTP_IDLE_SECS",
        "75",
        read_count(1, 86_400),
        "1 to 86400",
        "How long a connection is kept between two requests.",
    ),
    "http_connections": Setting(
        "SERVICE_HTTP_CONNECTIONS",
        "4000",
        read_count(1, 1_000_000),
        "1 to 1000000",
        "Connections that may be open at once; more are answered 503.",
    ),
    "trusted_proxies": Setting(
        "SERVICE_TRUSTED_PROXIES",
        "",
        read_proxies,
        "addresses and networks such as 10.0.0.0/8, separated by commas",
        "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
    ),
    "allowed_hosts": Setting(
        "SERVICE_ALLOWED_HOSTS",
        "",
        read_hosts,
        "host names, separated by commas",
        "Names under which a service on a loopback address may be used from a browser.",
    ),
    "public_url": Setting(
        "SERVICE_PUBLIC_URL",
        "",
        read_url,
        "http:// or https:// and a host",
        "Under which people open the pages, for links in what alerts send. Default: the address that is listened on.",
    ),
    "setup_code": Setting(
        "SERVICE_SETUP_CODE",
        "",
        read_printable,
        "printable characters",
        "Code that creating the first account takes.",
    ),
    "setup_code_path": Setting(
        "SERVICE_SETUP_CODE_PATH",
        "",
        read_optional_path,
        "a file",
        "File that holds that code.",
    ),
    "admin_reset": Setting(
        "SERVICE_ADMIN_RESET",
        "0",
        read_choice("0", "1"),
        "0 or 1",
        "Whether this start resets the admin's password and ends all sessions.",
    ),
    "admin_password": Setting(
        "SERVICE_ADMIN_PASSWORD", "", str, "a password", "The password that a reset sets."
    ),
    "metrics_auth": Setting(
        "SERVICE_METRICS_AUTH",
        "off",
        read_choice("on", "off"),
        "on or off",
        "Whether /metrics needs credentials.",
    ),
    "log_level": Setting(
        "SERVICE_LOG_LEVEL",
        "info",
        read_choice("debug", "info", "warning", "error"),
        "debug, info, warning or error",
        "What is logged.",
    ),
}


@dataclass(frozen=True)
class Settings:
    """The values in force."""

    host: str
    port: int
    tls_cert: Path | None
    tls_key: Path | None
    data_dir: Path
    store_url: Path | Bucket | None
    store_cache_mb: int
    roles: tuple[str, ...]
    flush_secs: float
    flush_rows: int
    retention_default_days: int | None
    queue_cap: int
    sync_secs: float
    checkpoint_commits: int
    max_fields: int
    idempotency_hours: float
    idempotency_mb: int
    compaction: str
    compaction_secs: float
    retention_sweep_secs: float
    source_roots: tuple[Path, ...]
    source_lease_secs: float
    query_timeout_secs: float
    query_max_groups: int
    query_max_rows: int
    query_memory_mb: int
    query_cache_mb: int
    query_concurrency: int
    query_queue: int
    query_queue_secs: float
    mcp_calls_per_minute: int
    jwt_secret_path: Path | None
    control_key_path: Path | None
    control_encryption: str
    http_head_secs: float
    http_stall_secs: float
    http_idle_secs: int
    http_connections: int
    trusted_proxies: TrustedProxies
    allowed_hosts: tuple[str, ...]
    public_url: str
    setup_code: str = field(repr=False)
    setup_code_path: Path | None
    admin_reset: str
    admin_password: str = field(repr=False)
    metrics_auth: str
    log_level: str

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise Invalid("only one of SERVICE_TLS_CERT and SERVICE_TLS_KEY is set, expected both")
        if self.setup_code and self.setup_code_path:
            raise Invalid(
                "SERVICE_SETUP_CODE and SERVICE_SETUP_CODE_PATH are both set, expected one"
            )
        if self.admin_reset == "1" and not self.admin_password:
            raise Invalid("SERVICE_ADMIN_RESET is set, expected SERVICE_ADMIN_PASSWORD too")

    @property
    def store_place(self) -> Path | Bucket:
        return self.store_url or self.data_dir / "store"

    @property
    def store_dir(self) -> Path | None:
        """The store's directory, unless it is in a bucket."""
        return self.store_place if isinstance(self.store_place, Path) else None

    def open_store(self) -> ObjectStore:
        return open_objects(self.store_place, self.data_dir / "cache", self.store_cache_mb << 20)

    @property
    def jwt_secret_file(self) -> Path:
        return self.jwt_secret_path or self.data_dir / "secrets" / "jwt"

    @property
    def control_key_file(self) -> Path:
        return self.control_key_path or self.data_dir / "secrets" / "control"

    @property
    def own_places(self) -> tuple[Path, ...]:
        """What the service keeps, its secrets included: nothing for a source to read."""
        key = self.control_key_file
        keys = (key, name_new_key(key), name_old_key(key), self.jwt_secret_file, self.tls_key)
        return tuple(filter(None, (self.data_dir, self.store_dir, self.setup_code_path, *keys)))

    @property
    def store_options(self) -> StoreOptions:
        return StoreOptions(
            data_dir=self.data_dir,
            flush_secs=self.flush_secs,
            flush_rows=self.flush_rows,
            checkpoint_commits=self.checkpoint_commits,
            max_fields=self.max_fields,
            idempotency_hours=self.idempotency_hours,
            idempotency_bytes=self.idempotency_mb << 20,
            compaction_secs=self.compaction_secs if self._compacts else None,
        )

    @property
    def _compacts(self) -> bool:
        return self.compaction == "on" and "maintenance" in self.roles

    @property
    def tls_files(self) -> tuple[Path, Path] | None:
        """The certificate and its key, when TLS is spoken."""
        return (self.tls_cert, self.tls_key) if self.tls_cert and self.tls_key else None

    @property
    def connection_limits(self) -> ConnectionLimits:
        return ConnectionLimits(
            head_s=self.http_head_secs,
            stall_s=self.http_stall_secs,
            idle_s=self.http_idle_secs,
            connections=self.http_connections,
        )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_loopback_name(self.host.lower())

    @property
    def host_rule(self) -> HostRule:
        return HostRule(self.is_loopback, self.allowed_hosts)

    @property
    def query_limits(self) -> Limits:
        return Limits(
            timeout_s=self.query_timeout_secs,
            max_groups=self.query_max_groups,
            max_rows=self.query_max_rows,
            memory_bytes=self.query_memory_mb << 20,
        )


def load_settings(
    flags: Mapping[str, object], environment: Mapping[str, str] = os.environ
) -> Settings:
    """Read and check every setting; the first bad one is an Invalid that names it."""
    values: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        flag = flags.get(name)
        text = str(flag) if flag is not None else environment.get(setting.variable, setting.default)
        try:
            values[name] = setting.read(text)
        except ValueError as error:
            option = FLAGS.get(name, f"--{name.replace('_', '-')}")
            given = option if flag is not None else setting.variable
            raise Invalid(f"{given} is {text!r}, expected {setting.expected}") from error
    return Settings(**values)

"""The settings in force: command line flags win over environment variables, which win over defaults."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from logboom.base.errors import Invalid
from logboom.base.process.memory import find_memory_bytes
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket
from logboom.config import memory
from logboom.config.table import ROLES, SETTINGS, Setting
from logboom.control.documents.secrets import name_new_key, name_old_key
from logboom.engine.cluster.access import ClusterAccess
from logboom.engine.terms.limits import Limits
from logboom.store.options import StoreOptions
from logboom.web.hosts import HostRule, is_loopback_name
from logboom.web.limits import ConnectionLimits
from logboom.web.proxies import TrustedProxies

__all__ = ["ROLES", "SETTINGS", "Setting", "Settings", "load_settings"]

FLAGS = {"data_dir": "--data", "store_url": "--store"}
"""Flags whose names differ from their settings."""


@dataclass(frozen=True)
class Settings:
    """The settings in force."""

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
    memory_mb: int | None
    query_memory_mb: int | None
    query_cache_mb: int | None
    query_concurrency: int
    query_queue: int
    query_queue_secs: float
    dask_scheduler: str
    dask_least_mb: int
    dask_compaction: str
    dask_secret_path: Path | None
    dask_tls_ca: Path | None
    dask_tls_cert: Path | None
    dask_tls_key: Path | None
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
            raise Invalid(
                "only one of the TLS certificate and its key is set, expected both: "
                "SERVICE_TLS_CERT or --tls-cert, and SERVICE_TLS_KEY or --tls-key"
            )
        if self.setup_code and self.setup_code_path:
            raise Invalid(
                "SERVICE_SETUP_CODE and SERVICE_SETUP_CODE_PATH are both set, expected one"
            )
        if self.admin_reset == "1" and not self.admin_password:
            raise Invalid("SERVICE_ADMIN_RESET is set, expected SERVICE_ADMIN_PASSWORD too")
        self._check_cluster()

    def _check_cluster(self) -> None:
        files = (self.dask_tls_ca, self.dask_tls_cert, self.dask_tls_key)
        if any(files) and (self.dask_secret_path or not all(files)):
            raise Invalid(
                "expected SERVICE_DASK_SECRET_PATH alone, or all of SERVICE_DASK_TLS_CA, "
                "SERVICE_DASK_TLS_CERT and SERVICE_DASK_TLS_KEY"
            )
        scheme, is_closed = (
            self.dask_scheduler.partition(":")[0],
            any((*files, self.dask_secret_path)),
        )
        if scheme == "tls" and not is_closed:
            raise Invalid(
                f"SERVICE_DASK_SCHEDULER is {self.dask_scheduler!r}, "
                "expected SERVICE_DASK_SECRET_PATH or SERVICE_DASK_TLS_CA too"
            )
        if scheme == "tcp" and is_closed:
            raise Invalid(
                f"SERVICE_DASK_SCHEDULER is {self.dask_scheduler!r}, "
                "expected tls:// with a secret or certificates"
            )

    @property
    def store_place(self) -> Path | Bucket:
        return self.store_url or self.data_dir / "store"

    @property
    def store_dir(self) -> Path | None:
        """The store's directory; None if the store is in a bucket."""
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
        """Files and directories of the service itself, including secrets, which sources must not read."""
        key = self.control_key_file
        keys = (key, name_new_key(key), name_old_key(key), self.jwt_secret_file, self.tls_key)
        of_cluster = (self.dask_secret_path, self.dask_tls_key)
        return tuple(
            filter(None, (self.data_dir, self.store_dir, self.setup_code_path, *keys, *of_cluster))
        )

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
    def cluster_access(self) -> ClusterAccess:
        ca, cert, key = self.dask_tls_ca, self.dask_tls_cert, self.dask_tls_key
        files = (ca, cert, key) if ca and cert and key else None
        return ClusterAccess(self.dask_scheduler, self.dask_secret_path, files)

    @property
    def dask_least_bytes(self) -> int:
        return self.dask_least_mb << 20

    @property
    def tls_files(self) -> tuple[Path, Path] | None:
        """The certificate and its key, if TLS is enabled."""
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
        """Whether the service is reachable from this machine only."""
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
            memory_bytes=self.query_memory_bytes,
        )

    @cached_property
    def memory_bytes(self) -> int:
        """The memory that the service may use."""
        return find_memory_bytes() if self.memory_mb is None else self.memory_mb << 20

    @property
    def query_memory_bytes(self) -> int:
        if self.query_memory_mb is None:
            return memory.QUERY.take(self.memory_bytes)
        return self.query_memory_mb << 20

    @property
    def query_cache_bytes(self) -> int:
        if self.query_cache_mb is None:
            return memory.CACHE.take(self.memory_bytes)
        return self.query_cache_mb << 20

    @property
    def ingest_bodies_bytes(self) -> int:
        """Memory for the bodies of all requests with events."""
        return memory.INGEST_BODIES.take(self.memory_bytes)

    @property
    def reader_bodies_bytes(self) -> int:
        """Memory for the bodies of all requests to the reading APIs."""
        return memory.READER_BODIES.take(self.memory_bytes)


def load_settings(
    flags: Mapping[str, object], environment: Mapping[str, str] = os.environ
) -> Settings:
    """Read and check every setting; raises Invalid for the first bad one, naming it."""
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

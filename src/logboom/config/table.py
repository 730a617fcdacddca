"""The table of settings: names, defaults and descriptions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from logboom.base.stores.places import ADDRESSES, read_optional_place
from logboom.base.values import (
    read_choice,
    read_count,
    read_names,
    read_optional_path,
    read_path,
    read_positive,
    read_printable,
    read_roots,
    read_scheduler,
    read_text,
    read_url,
)
from logboom.control.registry.environments import LONGEST_RETENTION_DAYS
from logboom.web.hosts import read_hosts
from logboom.web.proxies import read_proxies


class Setting(NamedTuple):
    """A setting; `read` parses its text or raises ValueError."""

    variable: str
    default: str
    read: Callable[[str], Any]
    expected: str
    meaning: str


def read_days(text: str) -> int | None:
    return read_count(1, LONGEST_RETENTION_DAYS)(text) if text else None


def read_optional_count(least: int, most: int) -> Callable[[str], int | None]:
    read = read_count(least, most)
    return lambda text: read(text) if text else None


ROLES = ("ingest", "query", "maintenance", "sources")
"""What a node can do: ingest events, answer queries and check alerts, merge and delete blocks, read files and syslog."""

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
        "Certificate, PEM; enables TLS.",
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
        f"file:/// and an absolute path, {ADDRESSES}",
        "Where blocks, catalog and control documents live. Default: `store` below the data directory.",
    ),
    "store_cache_mb": Setting(
        "SERVICE_STORE_CACHE_MB",
        "4096",
        read_count(1, 1_000_000_000),
        "1 to 1000000000",
        "Disk cache for a store in a bucket, below the data directory, in megabytes.",
    ),
    "roles": Setting(
        "SERVICE_ROLES",
        ",".join(ROLES),
        read_names(*ROLES),
        f"some of {', '.join(ROLES)}, separated by commas",
        "What this node does, if several share a store. Default: everything.",
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
        "Number of buffered events that triggers a flush earlier.",
    ),
    "retention_default_days": Setting(
        "SERVICE_RETENTION_DEFAULT_DAYS",
        "",
        read_days,
        f"1 to {LONGEST_RETENTION_DAYS}",
        "How long events are kept, unless their environment has its own retention. Default: forever.",
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
        "How often to look for blocks of other nodes.",
    ),
    "checkpoint_commits": Setting(
        "SERVICE_CHECKPOINT_COMMITS",
        "100",
        read_count(1, 100_000),
        "1 to 100000",
        "Catalog commits between two checkpoints; more from 200,000 blocks on.",
    ),
    "max_fields": Setting(
        "SERVICE_BLOCK_MAX_FIELDS",
        "2000",
        read_count(10, 100_000),
        "10 to 100000",
        "Maximum number of fields with a column of their own in a block; all others share one overflow column.",
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
        "Memory for remembered Idempotency-Keys, at most a quarter of it per sender; beyond it the oldest are "
        "forgotten.",
    ),
    "compaction": Setting(
        "SERVICE_COMPACTION", "on", read_choice("on", "off"), "on or off", "Merge small blocks."
    ),
    "compaction_secs": Setting(
        "SERVICE_COMPACTION_SECS",
        "10",
        read_positive(86_400),
        "more than 0",
        "Time between compaction runs.",
    ),
    "retention_sweep_secs": Setting(
        "SERVICE_RETENTION_SWEEP_SECS",
        "3600",
        read_positive(30 * 86_400),
        "more than 0",
        "How often expired events are removed.",
    ),
    "source_roots": Setting(
        "SERVICE_SOURCE_ROOTS",
        "",
        read_roots,
        "absolute directories, separated by colons",
        "Directories that pull sources may read. Default: all except the service's own.",
    ),
    "source_lease_secs": Setting(
        "SERVICE_SOURCE_LEASE_SECS",
        "300",
        read_positive(86_400),
        "more than 0, at most 86400",
        "Time after which another node takes over the pull sources of a node that died.",
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
        "Maximum number of rows in a table.",
    ),
    "query_max_rows": Setting(
        "SERVICE_QUERY_MAX_ROWS",
        "2000000",
        read_count(1, 1_000_000_000),
        "1 to 1000000000",
        "Maximum number of rows that a query holds at once.",
    ),
    "memory_mb": Setting(
        "SERVICE_MEMORY_MB",
        "",
        read_optional_count(1, 100_000_000),
        "1 to 100000000",
        "Memory that the service may use, in megabytes. Default: what the machine or its container has.",
    ),
    "query_memory_mb": Setting(
        "SERVICE_QUERY_MEMORY_MB",
        "",
        read_optional_count(1, 1_000_000),
        "1 to 1000000",
        "Maximum memory of one query, in megabytes; all queries together use at most twice as much. "
        "Default: 256, or less if the service may use less than 1 GB.",
    ),
    "query_cache_mb": Setting(
        "SERVICE_QUERY_CACHE_MB",
        "",
        read_optional_count(0, 1_000_000),
        "0 to 1000000",
        "Memory for recently used columns and partial results, in megabytes. "
        "Default: 160, or less if the service may use less than 1 GB.",
    ),
    "query_concurrency": Setting(
        "SERVICE_QUERY_CONCURRENCY",
        "4",
        read_count(1, 1000),
        "1 to 1000",
        "Maximum number of concurrent queries.",
    ),
    "query_queue": Setting(
        "SERVICE_QUERY_QUEUE",
        "32",
        read_count(0, 1000),
        "0 to 1000",
        "Queries that may wait for a free slot; more are answered 429.",
    ),
    "query_queue_secs": Setting(
        "SERVICE_QUERY_QUEUE_SECS",
        "10",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time a query waits for a slot before it is answered 429.",
    ),
    "dask_scheduler": Setting(
        "SERVICE_DASK_SCHEDULER",
        "",
        read_scheduler,
        "tcp:// or tls://, a host and a port",
        "Scheduler of the cluster that large queries are done on. Default: the node does them.",
    ),
    "dask_least_mb": Setting(
        "SERVICE_DASK_LEAST_MB",
        "16",
        read_count(0, 1_000_000),
        "0 to 1000000",
        "Queries that read less than this of the store are done by the node, in megabytes.",
    ),
    "dask_compaction": Setting(
        "SERVICE_DASK_COMPACTION",
        "off",
        read_choice("on", "off"),
        "on or off",
        "Have workers of the cluster merge blocks; they must be allowed to write to the store.",
    ),
    "dask_secret_path": Setting(
        "SERVICE_DASK_SECRET_PATH",
        "",
        read_optional_path,
        "a file",
        "Secret that the nodes, scheduler and workers of a cluster share; with it they speak TLS.",
    ),
    "dask_tls_ca": Setting(
        "SERVICE_DASK_TLS_CA",
        "",
        read_optional_path,
        "a file",
        "Instead of the secret: authority whose certificates let one take part in the cluster, PEM.",
    ),
    "dask_tls_cert": Setting(
        "SERVICE_DASK_TLS_CERT", "", read_optional_path, "a file", "Certificate of it, PEM."
    ),
    "dask_tls_key": Setting(
        "SERVICE_DASK_TLS_KEY", "", read_optional_path, "a file", "Key of that certificate, PEM."
    ),
    "mcp_calls_per_minute": Setting(
        "SERVICE_MCP_CALLS_PER_MINUTE",
        "120",
        read_count(1, 100_000),
        "1 to 100000",
        "Tool calls per minute that a key may make.",
    ),
    "jwt_secret_path": Setting(
        "SERVICE_JWT_SECRET_PATH",
        "",
        read_optional_path,
        "a file",
        "Secret that signs sessions. Default: created below the data directory.",
    ),
    "control_key_path": Setting(
        "SERVICE_CONTROL_KEY_PATH",
        "",
        read_optional_path,
        "a file",
        "Key of the control documents. Default: created below the data directory.",
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
        "Longest time a client may take to send the head of a request.",
    ),
    "http_stall_secs": Setting(
        "SERVICE_HTTP_STALL_SECS",
        "30",
        read_positive(3600),
        "more than 0, at most 3600",
        "Longest time without progress while a client sends a body or receives an answer.",
    ),
    "http_idle_secs": Setting(
        "SERVICE_HTTP_IDLE_SECS",
        "75",
        read_count(1, 86_400),
        "1 to 86400",
        "How long an idle connection is kept open between two requests.",
    ),
    "http_connections": Setting(
        "SERVICE_HTTP_CONNECTIONS",
        "4000",
        read_count(1, 1_000_000),
        "1 to 1000000",
        "Maximum number of open connections; more are answered 503.",
    ),
    "trusted_proxies": Setting(
        "SERVICE_TRUSTED_PROXIES",
        "",
        read_proxies,
        "addresses and networks such as 10.0.0.0/8, separated by commas",
        "Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.",
    ),
    "allowed_hosts": Setting(
        "SERVICE_ALLOWED_HOSTS",
        "",
        read_hosts,
        "host names, separated by commas",
        "Host names by which browsers may use a service that listens on a loopback address.",
    ),
    "public_url": Setting(
        "SERVICE_PUBLIC_URL",
        "",
        read_url,
        "http:// or https:// and a host",
        "Public URL of the pages, for links in alert notifications. Default: the listening address.",
    ),
    "setup_code": Setting(
        "SERVICE_SETUP_CODE",
        "",
        read_printable,
        "printable characters",
        "Code required to create the first account.",
    ),
    "setup_code_path": Setting(
        "SERVICE_SETUP_CODE_PATH",
        "",
        read_optional_path,
        "a file",
        "File that contains the setup code.",
    ),
    "admin_reset": Setting(
        "SERVICE_ADMIN_RESET",
        "0",
        read_choice("0", "1"),
        "0 or 1",
        "Whether this start resets the admin's password and ends all sessions.",
    ),
    "admin_password": Setting(
        "SERVICE_ADMIN_PASSWORD", "", str, "a password", "The new password for a reset."
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
        "Log level.",
    ),
}

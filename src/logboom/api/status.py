"""The answer of `/api/admin/status`: the state of a node at a glance."""

from typing import Literal, Protocol

import msgspec

from logboom.store.integrity.damage import Damage


class IngestStep(msgspec.Struct, frozen=True):
    """The events acknowledged in the step that ended at `time`."""

    time: str
    events: int


class IngestStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What was ingested since the start, without the self-log."""

    events_per_sec: float
    bytes_per_sec: float
    events_total: int
    bytes_total: int
    errors_total: int
    requests_total: int
    throttled_total: int
    overloads_total: int
    history: list[IngestStep]


class QueueStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that wait for the writer, and the limit from which more are delayed or refused."""

    waiting: int
    capacity: int


class BufferStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Acknowledged events that are not yet searchable."""

    events: int
    bytes: int
    oldest_age_secs: float | None


class LogStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The files of the write-ahead log."""

    segments: int
    bytes: int


class EnvironmentStatus(msgspec.Struct, frozen=True):
    """What an environment has in the store."""

    env: str
    blocks: int
    events: int
    bytes: int


class StoreStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is searchable, of all nodes; `first` and `last` are times of events."""

    url: str
    blocks: int
    events: int
    bytes: int
    first: str | None
    last: str | None
    days: int
    retention_held: str | None
    """Why old events are not removed now, if so."""
    damaged: list[Damage]
    """Blocks that are set aside because they cannot be read."""
    environments: list[EnvironmentStatus]
    """Environments that have events, sorted by name."""


class MergeStatus(msgspec.Struct, frozen=True):
    """Blocks of an environment and day that are being merged."""

    env: str
    day: str
    blocks: int
    events: int
    bytes: int


class CompactionStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Compaction on this node; not `enabled` if it only runs on request. Totals are since the start."""

    enabled: bool
    merging: MergeStatus | None
    merges_total: int
    failures_total: int
    problem: str | None
    """Why the last merge failed, until one succeeds."""


class SetAsideStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Batches of this node that could not be written to blocks, as files in `path`."""

    path: str
    batches: int
    events: int


class DiskStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The disk of the data directory."""

    path: str
    total_bytes: int
    free_bytes: int


class MemoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that the process uses."""

    rss_bytes: int


class SearchesStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Queries of all kinds; `total` since the start."""

    running: int
    waiting: int
    total: int


class ClusterStatus(msgspec.Struct, frozen=True):
    """The Dask cluster that large queries are done on; `problem` says why the node does them itself at the moment."""

    scheduler: str
    workers: int
    threads: int
    problem: str | None


class SyslogNodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The syslog listener; the totals are since the start."""

    state: Literal["off", "listening", "failed"]
    error: str | None
    connections: int
    received_total: int
    dropped_total: int


class SourcesStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Pull sources; `failing` counts those whose last run on this node failed."""

    total: int
    enabled: int
    failing: int


class AlertsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts and their notifications; totals are of this node since the start."""

    total: int
    enabled: int
    firing: int
    deliveries_pending: int
    deliveries_sent_total: int
    deliveries_failed_total: int


NodeState = Literal["up", "missing", "unknown"]


class NodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A node that shares the store, as it last reported. `wal_position` is the last record of its log that is in blocks.

    It is `missing` if it has not reported for five minutes, and `unknown` if it never has. `sync_age_secs` is the time
    since it last looked at the store, `buffer_age_secs` how long its oldest event waited for a block, `cache_bytes`
    what it caches of a bucket.
    """

    node: str
    state: NodeState
    version: str | None
    roles: tuple[str, ...]
    started: str | None
    last_seen: str | None
    sync_age_secs: float | None
    buffer_age_secs: float | None
    leases: tuple[str, ...]
    cache_bytes: int | None
    wal_position: int
    is_self: bool


class ServiceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The state of this node; not `ready` while it cannot ingest events, with the reason in `problem`."""

    version: str
    node: str
    started: str
    uptime_secs: float
    ready: bool
    problem: str | None
    ingest: IngestStatus
    queue: QueueStatus
    buffer: BufferStatus
    wal: LogStatus
    store: StoreStatus
    compaction: CompactionStatus
    set_aside: SetAsideStatus
    disk: DiskStatus
    memory: MemoryStatus
    searches: SearchesStatus
    cluster: ClusterStatus | None
    syslog: SyslogNodeStatus
    sources: SourcesStatus
    alerts: AlertsStatus
    nodes: list[NodeStatus]


class StatusReader(Protocol):
    """Collects the status of all parts of the service."""

    def read(self) -> ServiceStatus:
        """Return the current status; fast, but it reads the disk."""

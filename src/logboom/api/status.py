"""What `/api/admin/status` answers: how a node is, at one look."""

from typing import Literal, Protocol

import msgspec

from logboom.store.integrity.damage import Damage


class IngestStep(msgspec.Struct, frozen=True):
    """The events acknowledged in the step that ended at `time`."""

    time: str
    events: int


class IngestStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What came in since the start; without what the service says of itself."""

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
    """Requests that wait for the writer, and how many may before others are made to wait or refused."""

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
    """Why old events are not removed, while that is so."""
    damaged: list[Damage]
    """Blocks that are set aside because they cannot be read."""
    environments: list[EnvironmentStatus]
    """By name, those that have events."""


class MergeStatus(msgspec.Struct, frozen=True):
    """Blocks of an environment and day that are being merged."""

    env: str
    day: str
    blocks: int
    events: int
    bytes: int


class CompactionStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Merging of blocks on this node; not `enabled` where it merges only when asked. Totals are since the start."""

    enabled: bool
    merging: MergeStatus | None
    merges_total: int
    failures_total: int
    problem: str | None
    """Why the last merge failed, until one succeeds."""


class SetAsideStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Batches of this node that could not be made into blocks, as files in `path`."""

    path: str
    batches: int
    events: int


class DiskStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The disk with the data directory."""

    path: str
    total_bytes: int
    free_bytes: int


class MemoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What the process has of the machine's memory."""

    rss_bytes: int


class SearchesStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Queries of all kinds; `total` since the start."""

    running: int
    waiting: int
    total: int


class SyslogNodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The syslog listener; the totals are since the start."""

    state: Literal["off", "listening", "failed"]
    error: str | None
    connections: int
    received_total: int
    dropped_total: int


class SourcesStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Pull sources; those are failing whose last run on this node did."""

    total: int
    enabled: int
    failing: int


class AlertsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts, and what is sent about them; the totals are of this node since the start."""

    total: int
    enabled: int
    firing: int
    deliveries_pending: int
    deliveries_sent_total: int
    deliveries_failed_total: int


NodeState = Literal["up", "missing", "unknown"]


class NodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A node that shares the store. `wal_position` is the last record of its log that is in blocks.

    It is `missing` when it has not been heard of for five minutes, and `unknown` when it never was.
    """

    node: str
    state: NodeState
    version: str | None
    roles: tuple[str, ...]
    started: str | None
    last_seen: str | None
    wal_position: int
    is_self: bool


class ServiceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How the node that answers is; not `ready` while it cannot take in events, for which `problem` is the reason."""

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
    syslog: SyslogNodeStatus
    sources: SourcesStatus
    alerts: AlertsStatus
    nodes: list[NodeStatus]


class StatusReader(Protocol):
    """Whoever looks at all parts of the service."""

    def read(self) -> ServiceStatus:
        """How it is now; quick, but it asks the disk."""

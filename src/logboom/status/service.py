"""The status of the service, collected from the metrics and the state of all its parts."""

import os
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from prometheus_client import PROCESS_COLLECTOR, Counter, Gauge

from logboom.alerts import deliver, watch
from logboom.api.services import PullSources
from logboom.api.status import (
    AlertsStatus,
    BufferStatus,
    ClusterStatus,
    CompactionStatus,
    DiskStatus,
    EnvironmentStatus,
    IngestStatus,
    IngestStep,
    LogStatus,
    MemoryStatus,
    MergeStatus,
    QueueStatus,
    SearchesStatus,
    ServiceStatus,
    SetAsideStatus,
    SourcesStatus,
    StoreStatus,
    SyslogNodeStatus,
)
from logboom.base.clock import NS_PER_S, Clock, format_day, format_time
from logboom.base.errors import Unavailable
from logboom.base.version import __version__
from logboom.control.control import Control
from logboom.engine.execution import gate
from logboom.engine.execution.remote import Cluster
from logboom.ingest import sink
from logboom.model.names import is_reserved
from logboom.sources.syslog import collector, listener, tcp
from logboom.status.nodes import NodesReader
from logboom.status.parts import Parts
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.compaction import compactor
from logboom.store.compaction.plan import Merge
from logboom.store.store import Store

STEP_S = 5.0
STEPS = 60
RESIDENT_MEMORY = "process_resident_memory_bytes"


class IngestCount(NamedTuple):
    """How much had been ingested at a time."""

    time_ns: int
    events: int
    size_bytes: int


class PartsReader:
    """Keeps ingest samples of the last minutes. Thread-safe."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock
        self._samples: deque[IngestCount] = deque(maxlen=STEPS + 1)
        self.started_ns = clock()
        self._nodes = NodesReader(parts, self.started_ns, clock)
        self.sample()

    def sample(self) -> None:
        """Record how much was ingested so far; call it every `STEP_S`."""
        self._samples.append(self._take_sample())

    def _take_sample(self) -> IngestCount:
        return IngestCount(self._clock(), count(sink.accepted_events), count(sink.accepted_bytes))

    def announce(self) -> None:
        """Tell the other nodes that this one is running, and detect missing ones."""
        self._nodes.announce()

    def read(self) -> ServiceStatus:
        parts, problem = self._parts, find_problem(self._parts.store)
        requests = parts.sink.requests
        return ServiceStatus(
            version=__version__,
            node=parts.store.node,
            started=format_time(self.started_ns),
            uptime_secs=max(self._clock() - self.started_ns, 0) / NS_PER_S,
            ready=problem is None,
            problem=problem,
            ingest=self._describe_ingest(),
            queue=QueueStatus(waiting=requests.present, capacity=requests.capacity),
            buffer=describe_buffer(parts.store),
            wal=describe_log(parts.store),
            store=describe_store(parts.store),
            compaction=describe_compaction(parts.store.compactor),
            set_aside=describe_set_aside(parts.store),
            disk=describe_disk(parts.store.options.data_dir),
            memory=MemoryStatus(rss_bytes=measure_memory()),
            searches=describe_searches(parts.gate),
            cluster=describe_cluster(parts.cluster),
            syslog=describe_syslog(parts.control),
            sources=describe_sources(parts.control, parts.sources),
            alerts=describe_alerts(parts.control),
            nodes=self._nodes.list(),
        )

    def _describe_ingest(self) -> IngestStatus:
        samples, now = list(self._samples), self._take_sample()
        before = find_before(samples, now.time_ns)
        elapsed_s = (now.time_ns - before.time_ns) / NS_PER_S
        return IngestStatus(
            events_per_sec=rate(now.events - before.events, elapsed_s),
            bytes_per_sec=rate(now.size_bytes - before.size_bytes, elapsed_s),
            events_total=now.events,
            bytes_total=now.size_bytes,
            errors_total=count(sink.rejected_lines),
            requests_total=count(sink.accepted_requests),
            throttled_total=count(sink.throttled_requests),
            overloads_total=count(sink.overloads),
            history=[
                IngestStep(format_time(later.time_ns), later.events - earlier.events)
                for earlier, later in pairwise(samples)
            ],
        )


def count(metric: Counter | Gauge) -> int:
    """Return the value of a metric over all labels, without the service's own environments."""
    return int(
        sum(
            sample.value
            for family in metric.collect()
            for sample in family.samples
            if not sample.name.endswith("_created")
            and not is_reserved(sample.labels.get("env", ""))
        )
    )


def find_before(samples: list[IngestCount], now_ns: int) -> IngestCount:
    """Return the newest sample that is at least a step old, else the oldest: the base for rates."""
    long_ago_ns = now_ns - int(STEP_S * NS_PER_S)
    return next((each for each in reversed(samples) if each.time_ns <= long_ago_ns), samples[0])


def rate(amount: int, elapsed_s: float) -> float:
    return round(amount / elapsed_s, 1) if elapsed_s > 0 else 0.0


def find_problem(store: Store) -> str | None:
    """Return why no events can be ingested now."""
    try:
        store.check_writable()
    except Unavailable as error:
        return error.message
    return None


def describe_buffer(store: Store) -> BufferStatus:
    waiting = store.measure_buffer()
    age_s = None if waiting.age_s is None else round(waiting.age_s, 3)
    return BufferStatus(events=waiting.events, bytes=waiting.size_bytes, oldest_age_secs=age_s)


def describe_log(store: Store) -> LogStatus:
    sizes_bytes = store.measure_log()
    return LogStatus(segments=len(sizes_bytes), bytes=sum(sizes_bytes))


def describe_store(store: Store) -> StoreStatus:
    totals, place = store.totals, store.objects.locate("")
    return StoreStatus(
        url=place if store.objects.is_remote else Path(place).absolute().as_uri(),
        blocks=totals.blocks,
        events=totals.events,
        bytes=totals.size_bytes,
        first=format_optional(totals.first_ns),
        last=format_optional(totals.last_ns),
        days=totals.days,
        retention_held=store.sweeper.held,
        environments=list_environments(store.snapshot()),
        damaged=store.damaged.list(),
    )


def describe_set_aside(store: Store) -> SetAsideStatus:
    kept = store.set_aside.measure()
    return SetAsideStatus(
        path=str(store.set_aside.folder), batches=kept.batches, events=kept.events
    )


def list_environments(snapshot: Snapshot) -> list[EnvironmentStatus]:
    return [
        EnvironmentStatus(env, *compactor.add_up(days.values()))
        for env, days in sorted(snapshot.days.items())
    ]


def describe_compaction(of_store: compactor.Compactor) -> CompactionStatus:
    return CompactionStatus(
        enabled=of_store.is_running,
        merging=describe_merge(of_store.merging),
        merges_total=count(compactor.merges_done),
        failures_total=count(compactor.merges_failed),
        problem=of_store.failure,
    )


def describe_merge(merge: Merge | None) -> MergeStatus | None:
    if merge is None:
        return None
    day = format_day(merge.day)
    return MergeStatus(merge.env, day, len(merge.blocks), merge.rows, merge.size_bytes)


def format_optional(time_ns: int | None) -> str | None:
    return None if time_ns is None else format_time(time_ns)


def describe_disk(path: Path) -> DiskStatus:
    disk = os.statvfs(path)
    return DiskStatus(
        path=str(path),
        total_bytes=disk.f_blocks * disk.f_frsize,
        free_bytes=disk.f_bavail * disk.f_frsize,
    )


def measure_memory() -> int:
    families = PROCESS_COLLECTOR.collect()
    samples = (sample for family in families for sample in family.samples)
    return next((int(each.value) for each in samples if each.name == RESIDENT_MEMORY), 0)


def describe_searches(entrance: gate.Gate) -> SearchesStatus:
    return SearchesStatus(
        running=entrance.running, waiting=entrance.waiting, total=count(gate.queries)
    )


def describe_cluster(cluster: Cluster | None) -> ClusterStatus | None:
    return ClusterStatus(*cluster.state) if cluster else None


def describe_syslog(control: Control) -> SyslogNodeStatus:
    status = control.settings.syslog_status
    return SyslogNodeStatus(
        state=status.state,
        error=status.error or None,
        connections=count(tcp.open_connections),
        received_total=count(listener.received_messages),
        dropped_total=count(collector.dropped_messages),
    )


def describe_sources(control: Control, sources: PullSources) -> SourcesStatus:
    enabled = [source for source in control.sources.list() if source.enabled]
    failing = [each for each in enabled if sources.find_status(each.id).last_status == "error"]
    return SourcesStatus(
        total=len(control.sources.list()), enabled=len(enabled), failing=len(failing)
    )


def describe_alerts(control: Control) -> AlertsStatus:
    alerts, states = control.alerts.list(), control.alert_states.list()
    return AlertsStatus(
        total=len(alerts),
        enabled=sum(alert.enabled for alert in alerts),
        firing=watch.count_firing(states),
        deliveries_pending=deliver.count_pending(states),
        deliveries_sent_total=count_deliveries("sent"),
        deliveries_failed_total=count_deliveries("failed"),
    )


def count_deliveries(outcome: str) -> int:
    samples = (sample for family in deliver.deliveries.collect() for sample in family.samples)
    return int(
        sum(
            each.value
            for each in samples
            if each.labels.get("outcome") == outcome and each.name.endswith("_total")
        )
    )

"""The periodic tasks of a service: what runs while it serves, besides requests."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from logboom.alerts.deliver import Deliverer
from logboom.alerts.watch import AlertWatcher
from logboom.api.admin.retention import find_retention
from logboom.application import Application
from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Unavailable
from logboom.base.process.allocators import trim_allocator
from logboom.base.process.log import SelfLog
from logboom.base.process.offload import Offload
from logboom.base.process.tasks import Workers
from logboom.base.stores.objects import ObjectStore
from logboom.config import Settings
from logboom.control.control import Control
from logboom.ingest.sink import Delivery, Sink, give
from logboom.model.batch import Lines, Target
from logboom.saml.events import RefusalLog
from logboom.search.service import SearchService
from logboom.sources.files.supervisor import SourceSupervisor
from logboom.sources.syslog.listener import SyslogListener
from logboom.status.service import STEP_S, PartsReader
from logboom.store.catalog.following import Follower
from logboom.store.catalog.upkeep import is_worth_it, write_checkpoint
from logboom.store.store import Store
from logboom.web.server.tls import Tls

log = logging.getLogger(__name__)

SELF_LOG = Target(env="_system", index="_self", source="logboom")
SELF_LOG_S = 1.0
QUIET_S = 1.0
"""How long there must be no request before the framework is loaded."""
CONTROL_S = 2.0
ANNOUNCE_S, ANNOUNCE_REMOTE_S = 60.0, 120.0
REFUSALS_S = 60.0
SYSLOG_S = 5.0
SETUP_S = 5.0
SOURCES_S = 1.0
ALERTS_S = 1.0
DELIVERIES_S = 1.0
FILE_SWEEP_S = 60.0
SCRUB_S, SCRUB_REMOTE_S = 60.0, 600.0
"""In a bucket it only looks at the list of damaged blocks."""
TLS_RELOAD_S = 60.0
REST_S = 60.0
BUCKET_SWEEP_S = 3600.0
"""Less often, because every day that has blocks is a request."""
LEFTOVERS_S = 1800.0
CHECKPOINT_S = 1.0


class BackgroundParts(NamedTuple):
    """The parts of a service that its periodic tasks need."""

    settings: Settings
    objects: ObjectStore
    store: Store
    control: Control
    sink: Sink
    search: SearchService
    syslog: SyslogListener
    sources: SourceSupervisor
    alerts: AlertWatcher
    deliverer: Deliverer
    status: PartsReader
    app: Application
    refusals: RefusalLog
    self_log: SelfLog
    tls: Tls | None
    offload: Offload


class Background:
    """Starts the tasks that this node has to do; synchronous ones run off the event loop."""

    def __init__(self, parts: BackgroundParts, workers: Workers) -> None:
        self._parts = parts
        self._workers = workers

    async def start(self) -> None:
        """Start all tasks; stop the workers to end them."""
        parts = self._parts
        self._workers.every(SELF_LOG_S, "self-log", self._ship_self_log)
        self._every(CONTROL_S, "control", parts.control.save_counts)
        self._start_following()
        self._every(REFUSALS_S, "refusals", parts.refusals.flush)
        announce_s = ANNOUNCE_REMOTE_S if parts.objects.is_remote else ANNOUNCE_S
        self._every(announce_s, "announce", self._announce)
        self._every(STEP_S, "status", parts.status.sample)
        if not parts.settings.is_loopback:
            self._every(SETUP_S, "setup", self._remind_of_setup)
        self._every(REST_S, "rest", self._rest)
        self._workers.every(QUIET_S, "framework", parts.app.load_if_quiet)
        if parts.tls:
            self._every(TLS_RELOAD_S, "tls-reload", parts.tls.reload)
        await self._start_roles()

    def _every(self, seconds: float, name: str, work: Callable[[], object]) -> None:
        """Repeat synchronous work off the event loop."""
        self._workers.every(seconds, name, lambda: self._parts.offload.run(work))

    def _start_following(self) -> None:
        """Start to follow what other nodes change. In a bucket every look is a request, so one looks at everything."""
        parts, store = self._parts, self._parts.store
        if not parts.objects.is_remote:
            self._every(CONTROL_S, "control-sync", parts.control.refresh)
            self._every(parts.settings.sync_secs, "catalog-sync", store.refresh)
            return
        follower = Follower(
            parts.objects,
            store.catalog,
            read_log=store.refresh,
            read_control=parts.control.refresh,
            clock=system_clock,
        )

        def follow() -> None:
            follower.follow()
            store.catalog.name_fields()

        self._every(parts.settings.sync_secs, "sync", follow)

    async def _start_roles(self) -> None:
        """Start the tasks of this node's roles."""
        parts, roles = self._parts, self._parts.settings.roles
        if "sources" in roles:
            await parts.syslog.start()
            self._workers.every(SYSLOG_S, "syslog", parts.syslog.follow)
            self._workers.every(SOURCES_S, "sources", parts.sources.follow)
        if "query" in roles:
            self._workers.every(ALERTS_S, "alerts", parts.alerts.follow)
            self._workers.every(DELIVERIES_S, "deliveries", parts.deliverer.follow)
        if "maintenance" in roles:
            self._start_maintenance()

    def _start_maintenance(self) -> None:
        store, is_remote = self._parts.store, self._parts.objects.is_remote
        sweep_s = BUCKET_SWEEP_S if is_remote else FILE_SWEEP_S
        scrub_s = SCRUB_REMOTE_S if is_remote else SCRUB_S
        self._every(self._parts.settings.retention_sweep_secs, "retention", self._remove_old)
        self._every(sweep_s, "file-sweep", store.sweeper.delete_files)
        self._every(scrub_s, "scrub", store.scrubber.step)
        self._every(LEFTOVERS_S, "leftovers", store.leftovers.delete_old)
        self._every(CHECKPOINT_S, "checkpoint", self._write_checkpoint)

    async def _ship_self_log(self) -> None:
        """Store the service's own log as events."""
        lines = self._parts.self_log.take_lines()
        if not lines:
            return
        try:
            delivery = Delivery(SELF_LOG, is_self_log)
            await self._parts.sink.ingest(delivery, give(Lines(b"\n".join(lines))))
        except Unavailable:
            # Logging this would only create more to ship.
            self._parts.self_log.give_back(lines)

    def _announce(self) -> None:
        """Tell the other nodes that this one is running, if the store is writable."""
        with suppress(Conflict, Unavailable):
            self._parts.status.announce()

    def _remind_of_setup(self) -> None:
        self._parts.control.first_run.remind(self._parts.settings.host)

    def _remove_old(self) -> None:
        swept = self._parts.store.sweeper.remove_old(find_retention(self._parts.control))
        if swept.blocks:
            log.info("old events removed", extra={"blocks": swept.blocks, "events": swept.events})

    def _rest(self) -> None:
        """Return memory that an idle service does not need."""
        if self._parts.search.rest():
            trim_allocator()

    def _write_checkpoint(self) -> None:
        catalog = self._parts.store.catalog
        commits = catalog.snapshot.version - catalog.checkpoint_version
        is_due = commits >= self._parts.settings.checkpoint_commits
        if is_due and is_worth_it(catalog.snapshot, commits):
            write_checkpoint(catalog, self._parts.objects)


def is_self_log(index: str) -> bool:
    return index == SELF_LOG.index

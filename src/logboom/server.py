"""The process from start to stop: open, connect, serve, wait, and close in reverse order."""

import asyncio
import gc
import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import uvicorn
import uvloop

from logboom.alerts import deliver, watch
from logboom.alerts.sending.sender import Sender
from logboom.api.admin.retention import find_retention
from logboom.api.services import Services
from logboom.application import make_app
from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.base.process.allocators import trim_allocator
from logboom.base.process.log import SelfLog, start_logging
from logboom.base.process.offload import Offload
from logboom.base.process.tasks import Workers
from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import prepare_structs
from logboom.base.version import __version__
from logboom.config import Settings
from logboom.control.control import Control
from logboom.control.documents.secrets import name_new_key, read_code, read_or_create_secret
from logboom.control.registry.leases import Leases
from logboom.control.registry.settings import Settings as LiveSettings
from logboom.control.reset import reset_admin
from logboom.control.saved import builtin
from logboom.engine.answers.engine import Engine
from logboom.engine.cluster.opening import merge_on, open_cluster
from logboom.engine.execution.gate import ClosedGate, Gate
from logboom.engine.execution.remote import Cluster
from logboom.ingest.sink import Delivery, Sink, give
from logboom.ingest.visit import Intake
from logboom.model.batch import Lines, Target
from logboom.model.shredder import is_compiled, open_shredder
from logboom.search.scope import ControlResources
from logboom.search.service import SearchService
from logboom.sources.browse import Browser
from logboom.sources.files.poll import PollerServices
from logboom.sources.files.supervisor import SourceSupervisor
from logboom.sources.roots import Roots
from logboom.sources.syslog.listener import SyslogListener
from logboom.status.parts import Parts
from logboom.status.service import STEP_S, PartsReader
from logboom.store.catalog.following import Follower
from logboom.store.catalog.upkeep import is_worth_it, write_checkpoint
from logboom.store.store import Store
from logboom.web.server.listening import make_server, open_listener, reserve_files
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
FILE_SWEEP_S = 60.0
SCRUB_S, SCRUB_REMOTE_S = 60.0, 600.0
"""In a bucket it only looks at the list of damaged blocks."""
TLS_RELOAD_S = 60.0
REST_S = 60.0
BUCKET_SWEEP_S = 3600.0
"""Less often, because every day that has blocks is a request."""
LEFTOVERS_S = 1800.0
CORES = os.cpu_count() or 1
API_THREADS = 8
SOURCE_THREADS = 2
CHECKS_AT_ONCE = 2
MAILS_AT_ONCE = 8
DELIVERIES_S = 1.0
COMPACTION_LEASE_SECS = 300.0
ALERT_LEASE_SECS = 120.0
"""Longer than a check takes by default, including its wait for a slot."""


class Service:
    """Everything that runs in one process."""

    def __init__(self, settings: Settings) -> None:
        prepare_structs()
        self.settings = settings
        self._tls = Tls(*settings.tls_files) if settings.tls_files else None
        self.self_log = SelfLog()
        start_logging(settings.log_level, self.self_log)
        self._objects = open_store(settings)
        self._store = Store(settings.store_options, self._objects, open_shredder(), system_clock)
        self._control = open_control(settings, self._objects)
        self._apply(self._control.settings.effective)
        self._control.settings.subscribe(self._apply)
        self._leases: list[Leases] = []
        self._query_pool = ThreadPoolExecutor(CORES, thread_name_prefix="query")
        # Separate pools, so that slow queries never delay ingest.
        self._offload = Offload(API_THREADS, "api")
        self._ingest_offload = Offload(CORES, "ingest")
        searches = settings.query_concurrency + settings.query_queue + 1
        self._search_offload = Offload(searches, "search")
        gate = open_gate(settings)
        self._cluster = find_cluster(settings)
        self._search = self._open_search(gate)
        self._sink = Sink(self._store, self._ingest_offload, settings.queue_cap, system_clock)
        self._share_compaction(gate)
        self._syslog = SyslogListener(self._control, self._sink, self._ingest_offload, system_clock)
        self._source_offload = Offload(SOURCE_THREADS, "source")
        roots = Roots(settings.source_roots, self._list_own)
        pollers = PollerServices(self._sink, self._store, self._source_offload, roots, system_clock)
        lease = self._make_lease("sources", settings.source_lease_secs)
        self._sources = SourceSupervisor(self._control, lease, pollers)
        self._alert_offload = Offload(CHECKS_AT_ONCE, "alert")
        self._mail_offload = Offload(MAILS_AT_ONCE, "mail")
        sender = Sender(self._mail_offload, find_base_url(settings), system_clock)
        self._alerts, self._deliverer = self._open_alerts(sender)
        self._status = self._open_status(gate)
        services = Services(
            self._control,
            self._store,
            self._sink,
            self._search,
            self._offload,
            self._search_offload,
            system_clock,
            self._sources,
            self._alerts,
            sender,
            Browser(roots),
            self._status,
            metrics_auth=settings.metrics_auth == "on",
        )
        self._stopping, self._refusals = services.stopping, services.refusals
        self._app = make_app(services, self._open_intake(), settings.mcp_calls_per_minute)

    def _open_status(self, gate: Gate) -> PartsReader:
        parts = Parts(
            *(self._control, self._store, self._sink, gate, self._sources, self.settings.roles),
            cluster=self._cluster,
            leases=tuple(self._leases),
        )
        return PartsReader(parts, system_clock)

    def _open_search(self, gate: Gate) -> SearchService:
        settings = self.settings
        engine = Engine(
            *(self._store, self._query_pool, settings.query_limits, gate),
            cache_bytes=settings.query_cache_mb << 20,
            cluster=self._cluster,
        )
        self._store.on_removed(engine.drop)
        return SearchService(engine, ControlResources(self._control), system_clock)

    def _open_intake(self) -> Intake:
        takes_events = "ingest" in self.settings.roles
        return Intake(
            self._control,
            self._sink,
            self._ingest_offload,
            system_clock,
            takes_events=takes_events,
        )

    def _make_lease(self, family: str, lease_secs: float) -> Leases:
        """Return a lease on work that only one of the nodes of a store does at a time."""
        lease = Leases(self._objects, family, self._store.node, lease_secs, system_clock)
        self._leases.append(lease)
        return lease

    def _open_alerts(self, sender: Sender) -> tuple[watch.AlertWatcher, deliver.Deliverer]:
        """Set up the checks of alerts, and their notifications."""
        control = self._control
        checks = watch.WatcherServices(control, self._search, self._alert_offload, system_clock)
        sends = deliver.DelivererServices(control, sender, self._offload, system_clock)
        return (
            watch.AlertWatcher(self._make_lease("alerts", ALERT_LEASE_SECS), checks),
            deliver.Deliverer(self._make_lease("deliveries", ALERT_LEASE_SECS), sends),
        )

    def _share_compaction(self, gate: Gate) -> None:
        """Let only one node at a time merge blocks, and slow it down while there are requests."""
        lease = self._make_lease("compaction", COMPACTION_LEASE_SECS)
        self._store.share(lease, lambda: gate.running > 0 or self._sink.requests.present > 0)
        if self._cluster and self.settings.dask_compaction == "on":
            merge_on(self._cluster, self._store)

    def _apply(self, settings: LiveSettings) -> None:
        """Apply settings that can change while the service runs."""
        storage = settings.storage
        self._store.tune(storage.block_flush_secs, storage.block_flush_rows)
        reserve_files(self.settings.http_connections + settings.syslog.max_connections)

    def _list_own(self) -> tuple[Path, ...]:
        """Return what sources must not read."""
        key = self._control.settings.effective.syslog.tls_key
        return (*self.settings.own_places, Path(key)) if key else self.settings.own_places

    async def run(self) -> None:
        """Serve until a signal comes."""
        listener = open_listener(self.settings.host, self.settings.port)
        context = self._tls.context if self._tls else None
        server = make_server(
            self._app,
            self.settings.connection_limits,
            context,
            proxies=self.settings.trusted_proxies,
            hosts=self.settings.host_rule,
            find_answer=self._app.find_answer,
            sockets=self._app.sockets,
        )
        stop_on_signals(server, self._stopping)
        if self._tls:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._tls.reload)
        workers = Workers()
        serving = asyncio.ensure_future(server.serve([listener]))
        try:
            await self._offload.run(self._store.open)
            await self._offload.run(self._add_dashboard)
            # Everything that exists now lives as long as the process: the collector can skip it.
            gc.freeze()
            self._app.is_ready = True
            scheme = "https" if self._tls else "http"
            address = "{}://{}:{}".format(scheme, *listener.getsockname()[:2])
            log.info(
                "serving",
                extra={"address": address, "version": __version__, "compiled": is_compiled()},
            )
            if not is_compiled():
                log.warning("running WITHOUT compiled code: ingest is several times slower")
            self._start_workers(workers)
            await self._start_roles(workers)
            await serving
        finally:
            server.should_exit = True
            await serving
            await self._close(workers)

    async def _close(self, workers: Workers) -> None:
        await workers.stop()
        await self._syslog.close()
        await self._alerts.close()
        await self._deliverer.close()
        await self._sources.close()
        await self._offload.run(self._note_token_usage)
        await self._offload.run(self._store.close)
        self._search_offload.close()
        self._alert_offload.close()
        self._mail_offload.close()
        if self._cluster:
            await asyncio.to_thread(self._cluster.close)
        self._query_pool.shutdown()
        self._source_offload.close()
        self._ingest_offload.close()
        self._offload.close()
        log.info("stopped")

    def _start_workers(self, workers: Workers) -> None:
        workers.every(SELF_LOG_S, "self-log", self._ship_self_log)
        workers.every(CONTROL_S, "control", lambda: self._offload.run(self._control.save_counts))
        self._start_following(workers)
        workers.every(REFUSALS_S, "refusals", lambda: self._offload.run(self._refusals.flush))
        announce_s = ANNOUNCE_REMOTE_S if self._objects.is_remote else ANNOUNCE_S
        workers.every(announce_s, "announce", lambda: self._offload.run(self._announce))
        workers.every(STEP_S, "status", lambda: self._offload.run(self._status.sample))
        if not self.settings.is_loopback:
            remind, host = self._control.first_run.remind, self.settings.host
            workers.every(SETUP_S, "setup", lambda: self._offload.run(remind, host))
        workers.every(REST_S, "rest", lambda: self._offload.run(self._rest))
        workers.every(QUIET_S, "framework", self._app.load_if_quiet)
        if self._tls:
            reload = self._tls.reload
            workers.every(TLS_RELOAD_S, "tls-reload", lambda: self._offload.run(reload))

    def _start_following(self, workers: Workers) -> None:
        """Start to follow what other nodes change. In a bucket every look is a request, so one looks at everything."""
        store, control = self._store, self._control
        if not self._objects.is_remote:
            sync_s = self.settings.sync_secs
            workers.every(CONTROL_S, "control-sync", lambda: self._offload.run(control.refresh))
            workers.every(sync_s, "catalog-sync", lambda: self._offload.run(store.refresh))
            return
        follower = Follower(
            self._objects,
            store.catalog,
            read_log=store.refresh,
            read_control=control.refresh,
            clock=system_clock,
        )

        def follow() -> None:
            follower.follow()
            store.catalog.name_fields()

        workers.every(self.settings.sync_secs, "sync", lambda: self._offload.run(follow))

    async def _start_roles(self, workers: Workers) -> None:
        """Start the tasks of this node's roles."""
        if "sources" in self.settings.roles:
            await self._syslog.start()
            workers.every(SYSLOG_S, "syslog", self._syslog.follow)
            workers.every(SOURCES_S, "sources", self._sources.follow)
        if "query" in self.settings.roles:
            workers.every(ALERTS_S, "alerts", self._alerts.follow)
            workers.every(DELIVERIES_S, "deliveries", self._deliverer.follow)
        if "maintenance" in self.settings.roles:
            self._start_maintenance(workers)

    def _start_maintenance(self, workers: Workers) -> None:
        workers.every(
            self.settings.retention_sweep_secs,
            "retention",
            lambda: self._offload.run(self._remove_old),
        )
        workers.every(
            BUCKET_SWEEP_S if self._objects.is_remote else FILE_SWEEP_S,
            "file-sweep",
            lambda: self._offload.run(self._store.sweeper.delete_files),
        )
        scrub_s = SCRUB_REMOTE_S if self._objects.is_remote else SCRUB_S
        workers.every(scrub_s, "scrub", lambda: self._offload.run(self._store.scrubber.step))
        workers.every(
            LEFTOVERS_S,
            "leftovers",
            lambda: self._offload.run(self._store.leftovers.delete_old),
        )
        workers.every(1.0, "checkpoint", lambda: self._offload.run(self._write_checkpoint))

    async def _ship_self_log(self) -> None:
        lines = self.self_log.take_lines()
        if not lines:
            return
        try:
            delivery = Delivery(SELF_LOG, is_self_log)
            await self._sink.ingest(delivery, give(Lines(b"\n".join(lines))))
        except Unavailable:
            # Logging this would only create more to ship.
            self.self_log.give_back(lines)

    def _add_dashboard(self) -> None:
        """Create the built-in dashboard at the first start; a failure is harmless, another node may have been first."""
        if not self._control.dashboards.generation:
            with suppress(Conflict, Unavailable):
                self._control.dashboards.create_first(builtin.OWNER, builtin.SERVICE_DASHBOARD)

    def _announce(self) -> None:
        """Tell the other nodes that this one is running, if the store is writable."""
        with suppress(Conflict, Unavailable):
            self._status.announce()

    def _remove_old(self) -> None:
        swept = self._store.sweeper.remove_old(find_retention(self._control))
        if swept.blocks:
            log.info("old events removed", extra={"blocks": swept.blocks, "events": swept.events})

    def _rest(self) -> None:
        """Return memory that an idle service does not need."""
        if self._search.rest():
            trim_allocator()

    def _note_token_usage(self) -> None:
        """Save when tokens were last used, if the store is writable."""
        with suppress(Conflict, Unavailable):
            self._control.tokens.flush_usage(now=True)

    def _write_checkpoint(self) -> None:
        catalog = self._store.catalog
        commits = catalog.snapshot.version - catalog.checkpoint_version
        if commits >= self.settings.checkpoint_commits and is_worth_it(catalog.snapshot, commits):
            write_checkpoint(catalog, self._objects)


def open_store(settings: Settings) -> ObjectStore:
    """Open the store; raises an error if it cannot be used."""
    objects = settings.open_store()
    objects.check()
    return objects


def open_gate(settings: Settings) -> Gate:
    if "query" not in settings.roles:
        return ClosedGate()
    return Gate(settings.query_concurrency, settings.query_queue, settings.query_queue_secs)


def find_base_url(settings: Settings) -> str:
    """Return the URL of the pages."""
    scheme = "https" if settings.tls_files else "http"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return settings.public_url or f"{scheme}://{host}:{settings.port}"


def is_self_log(index: str) -> bool:
    return index == SELF_LOG.index


def find_cluster(settings: Settings) -> Cluster | None:
    """Return the cluster that large queries, and merges if desired, are done on."""
    access = settings.cluster_access
    merges = settings.dask_compaction == "on" and "maintenance" in settings.roles
    if not access.address or not (merges or "query" in settings.roles):
        return None
    return open_cluster(access, settings.store_place, settings.dask_least_bytes)


def open_control(settings: Settings, objects: ObjectStore) -> Control:
    jwt_secret = read_or_create_secret(settings.jwt_secret_file)
    code = read_code(settings.setup_code_path) if settings.setup_code_path else settings.setup_code
    key = None
    if settings.control_encryption == "on":
        key = read_or_create_secret(settings.control_key_file)
    try:
        control = Control.open(objects, key, jwt_secret, system_clock, os.environ, code)
    except Corrupt as error:
        if not name_new_key(settings.control_key_file).exists():
            raise
        raise Unavailable(
            "a rotation of the control key was interrupted, run logboom admin rotate-key to finish it"
        ) from error
    if settings.admin_reset == "1":
        try_to_reset_admin(control, settings.admin_password)
    return control


def try_to_reset_admin(control: Control, password: str) -> None:
    """Reset the admin's password; on failure, such as a full disk, the service still starts for everybody else."""
    try:
        reset_admin(control, password)
    except Unavailable as error:
        log.warning(
            "SERVICE_ADMIN_RESET is set, but the admin's password cannot be reset now",
            extra={"reason": error.message},
        )


def stop_on_signals(server: uvicorn.Server, stopping: threading.Event) -> None:
    """Drain and stop at the first signal; end the process at the second, which is safe because of the log."""

    def stop() -> None:
        if server.should_exit:
            os._exit(1)
        stopping.set()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)


def serve(settings: Settings) -> None:
    """Run the service until it is told to stop; raises LogboomError if it cannot start."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run_service(settings))
    except OSError as error:
        raise Unavailable(f"cannot start: {error}") from error


async def run_service(settings: Settings) -> None:
    service = Service(settings)
    gc.enable()
    await service.run()

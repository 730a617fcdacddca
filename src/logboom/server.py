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
from logboom.api.services import Services
from logboom.application import make_app
from logboom.background import Background, BackgroundParts
from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Unavailable
from logboom.base.process.log import SelfLog, start_logging
from logboom.base.process.offload import Offload
from logboom.base.process.tasks import Workers
from logboom.base.structs import prepare_structs
from logboom.base.version import __version__
from logboom.config import Settings
from logboom.control.registry.leases import Leases
from logboom.control.registry.settings import Settings as LiveSettings
from logboom.control.saved import builtin
from logboom.engine.answers.engine import Engine
from logboom.engine.cluster.opening import merge_on
from logboom.engine.execution.gate import Gate
from logboom.ingest.sink import Sink
from logboom.ingest.visit import Intake
from logboom.model.shredder import is_compiled, open_shredder
from logboom.opening import (
    find_base_url,
    find_cluster,
    open_control,
    open_gate,
    open_store,
    report_unknown_environments,
)
from logboom.search.scope import ControlResources
from logboom.search.service import SearchService
from logboom.sources.browse import Browser
from logboom.sources.files.poll import PollerServices
from logboom.sources.files.supervisor import SourceSupervisor
from logboom.sources.roots import Roots
from logboom.sources.syslog.listener import SyslogListener
from logboom.status.parts import Parts
from logboom.status.service import PartsReader
from logboom.store.store import Store
from logboom.web.server.listening import make_server, open_listener, reserve_files
from logboom.web.server.tls import Tls

log = logging.getLogger(__name__)

CORES = os.cpu_count() or 1
API_THREADS = 8
SOURCE_THREADS = 2
CHECKS_AT_ONCE = 2
MAILS_AT_ONCE = 8
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
        self._sink = Sink(
            *(self._store, self._ingest_offload, settings.queue_cap, system_clock),
            memory_bytes=settings.ingest_bodies_bytes,
        )
        self._share_compaction(gate)
        self._syslog = SyslogListener(self._control, self._sink, self._ingest_offload, system_clock)
        self._source_offload = Offload(SOURCE_THREADS, "source")
        roots = Roots(settings.source_roots, self._list_own)
        self._sources = self._open_sources(roots)
        self._alert_offload = Offload(CHECKS_AT_ONCE, "alert")
        self._mail_offload = Offload(MAILS_AT_ONCE, "mail")
        sender = Sender(self._mail_offload, find_base_url(settings), system_clock)
        self._alerts, self._deliverer = self._open_alerts(sender)
        self._status = self._open_status(gate)
        services = self._make_services(sender, Browser(roots))
        self._stopping, self._refusals = services.stopping, services.refusals
        self._app = make_app(
            services,
            self._open_intake(),
            bodies_bytes=settings.reader_bodies_bytes,
            mcp_calls_per_minute=settings.mcp_calls_per_minute,
        )

    def _open_sources(self, roots: Roots) -> SourceSupervisor:
        pollers = PollerServices(self._sink, self._store, self._source_offload, roots, system_clock)
        lease = self._make_lease("sources", self.settings.source_lease_secs)
        return SourceSupervisor(self._control, lease, pollers)

    def _make_services(self, sender: Sender, browser: Browser) -> Services:
        return Services(
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
            browser,
            self._status,
            metrics_auth=self.settings.metrics_auth == "on",
        )

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
            cache_bytes=settings.query_cache_bytes,
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
            report_unknown_environments(self._control, self._store)
            await self._offload.run(self._add_dashboard)
            # Everything that exists now lives as long as the process: the collector can skip it.
            gc.freeze()
            self._app.is_ready = True
            scheme = "https" if self._tls else "http"
            address = "{}://{}:{}".format(scheme, *listener.getsockname()[:2])
            log.info(
                "serving",
                extra={
                    "address": address,
                    "version": __version__,
                    "compiled": is_compiled(),
                    "memory_mb": self.settings.memory_bytes >> 20,
                },
            )
            if not is_compiled():
                log.warning("running WITHOUT compiled code: ingest is several times slower")
            await self._make_background(workers).start()
            await serving
        finally:
            server.should_exit = True
            await serving
            await self._close(workers)

    def _make_background(self, workers: Workers) -> Background:
        parts = BackgroundParts(
            settings=self.settings,
            objects=self._objects,
            store=self._store,
            control=self._control,
            sink=self._sink,
            search=self._search,
            syslog=self._syslog,
            sources=self._sources,
            alerts=self._alerts,
            deliverer=self._deliverer,
            status=self._status,
            app=self._app,
            refusals=self._refusals,
            self_log=self.self_log,
            tls=self._tls,
            offload=self._offload,
        )
        return Background(parts, workers)

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

    def _add_dashboard(self) -> None:
        """Create the built-in dashboard at the first start; a failure is harmless, another node may have been first."""
        if not self._control.dashboards.generation:
            with suppress(Conflict, Unavailable):
                self._control.dashboards.create_first(builtin.OWNER, builtin.SERVICE_DASHBOARD)

    def _note_token_usage(self) -> None:
        """Save when tokens were last used, if the store is writable."""
        with suppress(Conflict, Unavailable):
            self._control.tokens.flush_usage(now=True)


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
